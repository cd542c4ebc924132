//===- Attention.cpp - attn.attention as tile loops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionLowering.h"
#include "BlockOperand.h"
#include "Kernels.h"
#include "Transfer.h"
#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// How far weights are lowered, so that 2 is too large. Of f16 few small numbers have all bits.
static int getLoweredExponent(Type type) { return type.isF16() ? 3 : kWeightExponent - 1; }

/// Raw units where nothing but the scale stands between a product and its weight.
ScoreUnits AttentionLowering::chooseUnits() {
  std::optional<float> scale = op.getConstantScale();
  ScoreUnits units = ScoreUnits::natural();
  if (scale && !op.hasScoreMod() && !op.getBias())
    units = ScoreUnits::raw(*scale).value_or(units);
  if (!guessesWeights())
    return units;
  // Sums by the product leave another way to see that weights are too large (`AttentionLowering::buildGuess`).
  return sumsByProduct() ? units.fuse().lower(getLoweredExponent(op.getValueType().getElementType())) : units.fuse();
}

SoftmaxState AttentionLowering::buildInitialState() {
  int64_t rows = task.numRows;
  return {b.floatTile({rows}, -std::numeric_limits<float>::infinity()), b.floatTile({rows}, 0.0),
          b.floatTile({rows, getPaddedDepth(op.getVDepth())}, 0.0)};
}

Value AttentionLowering::loadKeys(TileBuilder &b, Value memref, Value key, Value limit, int64_t ones) {
  int64_t depth = cast<MemRefType>(memref.getType()).getDimSize(3);
  return loadRows(b, memref, {task.batch, task.kvHead, key}, limit, /*rowDim=*/2, numKeys, getPaddedDepth(depth),
                  strategy, /*column=*/Value(), ones);
}

Value AttentionLowering::buildProduct(TileBuilder &b, Value lhs, Value rhs, Value acc, bool transpose, int64_t part) {
  // A single part of f32 is still another sum than the whole.
  bool isSingle = cast<RankedTensorType>(lhs.getType()).getElementType().isF32();
  bool isWhole = part == 0 || (part >= getTileShape(lhs)[1] && !isSingle);
  return tile::DotOp::create(b, acc.getType(), lhs, rhs, acc, transpose, op.getAllowTf32(),
                             isWhole ? IntegerAttr() : b.getI64IntegerAttr(part));
}

LinearForm AttentionLowering::buildScaled(TileBuilder &b, Value product) {
  if (units.isRaw())
    return LinearForm::ofTile(product);
  std::optional<float> scale = op.getConstantScale();
  Value factor = scale ? arith::ConstantOp::create(b, b.getF32FloatAttr(*scale)).getResult() : op.getScale();
  return LinearForm::ofTile(product, factor);
}

Value AttentionLowering::loadOperand(TileBuilder &b, Value operand, Value key, bool masked) {
  // No row of this block keeps a key past the end of its range: a target need not read or multiply them.
  Value limit = masked && range.crossesLength ? range.end : Value();
  return loadBlockOperand(b, op, task, operand, key, numKeys, limit);
}

static Value joinMasks(TileBuilder &b, Value lhs, Value rhs) {
  return !lhs ? rhs : !rhs ? lhs : b.createOrFold<arith::AndIOp>(lhs, rhs);
}

Value AttentionLowering::isFullByMap(TileBuilder &b, Value key) {
  Value map = op.getBlockMap();
  ArrayRef<int64_t> sizes = *op.getBlockMapSizes();
  auto broadcast = [&](int64_t dim, Value index) {
    return attn::SoftmaxBuilder::getBroadcastIndex(b, map, dim, index);
  };
  Value indices[] = {broadcast(0, task.batch), broadcast(1, task.head), b.floorDiv(task.query, b.index(sizes[0])),
                     b.floorDiv(key, b.index(sizes[1]))};
  Value state = memref::LoadOp::create(b, map, indices);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, state,
                               arith::ConstantIntOp::create(b, attn::kFullBlock, 8));
}

FailureOr<Value> AttentionLowering::buildPairMask(TileBuilder &b, Value key, RegionToTile &regions) {
  Value mask = op.getMask() ? loadOperand(b, op.getMask(), key, /*masked=*/true) : Value();
  if (op.hasMaskMod()) {
    FailureOr<Value> kept = regions.evaluateMask();
    if (mlir::failed(kept))
      return failure();
    mask = joinMasks(b, mask, *kept);
  }
  // Blocks that the map leaves out are not listed. A full one is here where length, causal or window cut it.
  if (mask && op.getBlockMap())
    mask = b.createOrFold<arith::OrIOp>(mask, b.splat(isFullByMap(b, key), getTileShape(mask)));
  return mask;
}

FailureOr<Value> AttentionLowering::buildMask(TileBuilder &b, Value key, RegionToTile &regions) {
  Value mask = buildStructuralMask(b, task, range, key, numKeys);
  FailureOr<Value> pairs = buildPairMask(b, key, regions);
  if (mlir::failed(pairs))
    return failure();
  return joinMasks(b, mask, *pairs);
}

Value AttentionLowering::multiplyKeys(TileBuilder &b, Value keys, bool again) {
  Value zero = b.floatTile({task.numRows, numKeys}, 0.0);
  if (again)
    zero = tile::RecomputeOp::create(b, zero);
  return buildProduct(b, query, keys, zero, /*transpose=*/true, strategy.getScorePart());
}

FailureOr<Value> AttentionLowering::buildScores(TileBuilder &b, Value key, bool masked) {
  // No row of this block keeps a key past the end of its range: a target need not read or multiply them.
  Value limit = masked && range.crossesLength ? range.end : Value();
  return finishScores(b, multiplyKeys(b, loadKeys(b, op.getKey(), key, limit)), key, masked);
}

FailureOr<LinearForm> AttentionLowering::modifyScores(TileBuilder &b, Value product, Value key, bool masked,
                                                      RegionToTile &regions, Value bias) {
  LinearForm scores = buildScaled(b, product);
  if (op.hasScoreMod()) {
    FailureOr<LinearForm> modified = regions.evaluateScore(scores);
    if (mlir::failed(modified))
      return failure();
    scores = *modified;
  }
  if (!op.getBias())
    return scores;
  if (!bias)
    bias = loadOperand(b, op.getBias(), key, masked);
  bias = b.convertFloat(bias, b.getF32Type());
  return LinearMath(b, getTileShape(product)).add(scores, LinearForm::ofTile(bias));
}

RegionInvariants AttentionLowering::getInvariants() const {
  RegionInvariants known = invariants;
  for (auto [choice, value] : choices)
    known.values[choice] = value;
  known.hasChoices = !choices.empty();
  return known;
}

RegionToTile AttentionLowering::createRegions(TileBuilder &b, Value key, bool masked) {
  return RegionToTile(b, op, task, range, key, numKeys, masked && range.crossesLength, getInvariants());
}

FailureOr<LinearForm> AttentionLowering::finishLinearScores(TileBuilder &b, Value product, Value key, bool masked,
                                                            RegionToTile &regions, Value bias) {
  FailureOr<LinearForm> scores = modifyScores(b, product, key, masked, regions, bias);
  if (mlir::failed(scores) || !masked)
    return scores;
  FailureOr<Value> mask = buildMask(b, key, regions);
  if (mlir::failed(mask))
    return failure();
  if (!*mask)
    return scores;
  ArrayRef<int64_t> shape = getTileShape(product);
  Value none = b.floatTile(shape, -std::numeric_limits<float>::infinity());
  return LinearForm::ofTile(b.select(*mask, LinearMath(b, shape).materialize(*scores), none));
}

FailureOr<Value> AttentionLowering::finishScores(TileBuilder &b, Value product, Value key, bool masked) {
  RegionToTile regions = createRegions(b, key, masked);
  FailureOr<LinearForm> scores = finishLinearScores(b, product, key, masked, regions);
  if (mlir::failed(scores))
    return failure();
  return LinearMath(b, getTileShape(product)).materialize(*scores);
}

Value AttentionLowering::roundWeights(TileBuilder &b, Value weights) {
  return strategy.getRoundP() ? b.convertFloat(weights, op.getValueType().getElementType()) : weights;
}

FailureOr<SoftmaxState> AttentionLowering::buildBlock(TileBuilder &b, Value key, SoftmaxState state, bool masked) {
  FailureOr<Value> scores = buildScores(b, key, masked);
  if (mlir::failed(scores))
    return failure();
  SoftmaxStep step = beginStep(b, units, *scores, state.max, getLag());
  SoftmaxState next;
  next.max = step.max;
  next.sum = addWeights(b, step, state.sum);
  next.acc = rescaleRows(b, state.acc, step.rescale, step.needed);
  Value limit = masked && range.crossesLength ? range.end : Value();
  Value values = loadKeys(b, op.getValue(), key, limit);
  next.acc = buildProduct(b, roundWeights(b, step.weights), values, next.acc, /*transpose=*/false);
  return next;
}

Value AttentionLowering::loadListEntry(TileBuilder &b, Value entry) {
  return loadListElement(b, op, task.batch, task.head, b.floorDiv(task.query, b.index(task.numRows)), entry);
}

Value AttentionLowering::getListedKey(TileBuilder &b, Value number) {
  return b.mul(loadListEntry(b, b.add(number, b.index(attn::kListHeader))), b.index(numKeys));
}

void AttentionLowering::readList() {
  partialBlocks = loadListEntry(b, b.index(attn::kListPartial));
  listedBlocks = loadListEntry(b, b.index(attn::kListAll));
  // Listed blocks lie at multiples of their size.
  int64_t allKeys = op.getKVLength();
  range.crossesLength = op.getKvLengths() || ShapedType::isDynamic(allKeys) || allKeys % numKeys != 0;
}

SoftmaxState AttentionLowering::buildLoop(Value begin, Value end, SoftmaxState state, bool masked) {
  bool isListed = static_cast<bool>(op.getBlockList());
  auto buildBody = [&](OpBuilder &nested, Location, Value position, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    Value key = isListed ? getListedKey(b, position) : position;
    // After an error the rest is built without blocks, so that it is reported once.
    FailureOr<SoftmaxState> next =
        failed ? FailureOr<SoftmaxState>() : buildBlock(b, key, SoftmaxState::fromValues(carried), masked);
    failed |= mlir::failed(next);
    scf::YieldOp::create(b, mlir::failed(next) ? ValueRange(carried) : ValueRange(next->toValues()));
  };
  auto loop = scf::ForOp::create(b, begin, end, b.index(isListed ? 1 : numKeys), state.toValues(), buildBody);
  return SoftmaxState::fromValues(loop.getResults());
}

void AttentionLowering::forEachFullPart(Value begin, Value end, bool fromRight,
                                        llvm::function_ref<void(Value begin, Value end)> build) {
  std::optional<AgreedBlocks> agreed = findAgreedBlocks(b, op, task, range, begin, end);
  if (!agreed)
    return build(begin, end);
  auto buildAgreed = [&](Value first, Value last, ArrayRef<Value> values) {
    for (auto [choice, value] : llvm::zip_equal(agreed->choices, values))
      choices.push_back({choice, value});
    build(first, last);
    choices.clear();
  };
  auto buildLeft = [&] { buildAgreed(begin, agreed->leftEnd, agreed->left); };
  auto buildRight = [&] {
    if (agreed->hasRight)
      buildAgreed(agreed->rightBegin, end, agreed->right);
  };
  fromRight ? buildRight() : buildLeft();
  build(agreed->leftEnd, agreed->rightBegin);
  fromRight ? buildLeft() : buildRight();
}

void AttentionLowering::loadQuery(bool ahead) {
  query = loadRows(b, op.getQuery(), task.getIndices(/*partial=*/false), task.rowLimit, task.getRowDim(), task.numRows,
                   getPaddedDepth(op.getQKDepth()), strategy);
  query.getDefiningOp<tile::LoadOp>().setAhead(ahead);
}

SoftmaxState AttentionLowering::buildLoops() {
  loadQuery();
  SoftmaxState state = buildInitialState();
  if (op.getBlockList()) {
    state = buildLoop(b.index(0), partialBlocks, state, /*masked=*/true);
    return buildLoop(partialBlocks, listedBlocks, state, /*masked=*/false);
  }
  if (range.hasLeftEdge)
    state = buildLoop(range.begin, range.fullBegin, state, /*masked=*/true);
  if (range.hasFull)
    forEachFullPart(range.fullBegin, range.fullEnd, /*fromRight=*/false,
                    [&](Value begin, Value end) { state = buildLoop(begin, end, state, /*masked=*/false); });
  if (range.hasRightEdge)
    state = buildLoop(range.fullEnd, range.end, state, /*masked=*/true);
  return state;
}

/// Columns of a slice are whole blocks of so many.
static constexpr int64_t kSliceUnit = 8;

SoftmaxState AttentionLowering::exchangeParts(SoftmaxState state) {
  int64_t programs = strategy.getCluster(), depth = getTileShape(state.acc)[1];
  int64_t columns = llvm::alignTo(llvm::divideCeil(depth, programs), kSliceUnit);
  SmallVector<Type> types;
  for (int64_t program = 0; program < programs; ++program) {
    llvm::append_values(types, state.max.getType(), state.sum.getType());
    types.push_back(RankedTensorType::get({task.numRows, columns}, b.getF32Type()));
  }
  auto exchange = tile::ExchangeOp::create(b, types, state.toValues(), programs);
  SmallVector<SoftmaxState> parts;
  for (int64_t program = 0; program < programs; ++program)
    parts.push_back(SoftmaxState::fromValues(exchange.getResults().slice(3 * program, 3)));
  task.column = b.mul(task.part, b.index(columns));
  // What follows is of all keys.
  task.part = task.parts = Value();
  return mergeStates(b, units, parts);
}

void AttentionLowering::buildTask(const Task &ownTask) {
  task = ownTask;
  range = computeKeyRange(b, op, task, needsMaskEverywhere());
  if (op.getBlockList())
    readList();
  SoftmaxState state = strategy.getOverlap() ? buildOverlappedLoops() : buildLoops();
  if (failed)
    return;
  finishTask(state);
}

void AttentionLowering::finishTask(SoftmaxState state) {
  if (strategy.mergesInCluster())
    state = exchangeParts(state);
  Value sink = op.getSink() ? loadSink(b, task, op.getSink()) : Value();
  auto [output, lse] = finishSoftmax(b, units, state, sink, /*wantLse=*/static_cast<bool>(op.getLse()));
  // Of its own memory, so that a target sees that the limit is where the memory ends.
  if (strategy.getOverlap() && task.rowLimit && !task.packed && !task.part)
    task.rowLimit = b.dim(op.getOutput(), 2);
  storeResults(b, task, output, op.getOutput(), lse, op.getLse(), strategy);
  if (strategy.mergesInCluster())
    tile::AwaitPeersOp::create(b);
}

LogicalResult AttentionLowering::run() {
  units = chooseUnits();
  if (strategy.getCarryScores())
    forEachTaskCarrying(
        b, op, [&](const Task &first) { return multiplyFirstKeys(findBegin(first)); },
        [&](const Task &task, const Task &next, Value product) { return buildCarryingTask(task, next, product); });
  else
    forEachTask(b, op, [&](const Task &task) { buildTask(task); });
  return failure(failed);
}

/// What the tile form cannot express.
static LogicalResult checkSupported(attn::AttentionOp op) {
  if (!op.getStrategy())
    return op.emitOpError() << "in a kernel needs a strategy";
  if (!op.hasPureBufferSemantics())
    return op.emitOpError() << "in a kernel works on memrefs, but got " << op.getQuery().getType();
  for (auto [name, type] :
       {std::pair<StringRef, ShapedType>("query", op.getQueryType()), {"output", op.getOutputType()}})
    if (!isa<Float32Type, Float16Type, BFloat16Type>(type.getElementType()))
      return op.emitOpError() << name << " has element type " << type.getElementType()
                              << ", but tiles compute in f32, f16 or bf16";
  return attn::verifyKernelStrategy(op);
}

/// Whether each block of the op's list lies inside one block of its map.
static bool isListInsideMap(attn::AttentionOp op) {
  ArrayRef<int64_t> sizes = *op.getBlockMapSizes();
  return op.getBlockList() && op.getBase().empty() && sizes[0] % op.getStrategy()->getBlockM() == 0 &&
         sizes[1] % op.getStrategy()->getBlockN() == 0;
}

LogicalResult fovea::conversion::convertAttention(attn::AttentionOp op) {
  if (failed(checkSupported(op)))
    return failure();
  if (op.getBlockMap() && !isListInsideMap(op))
    attn::inlineBlockMap(op);
  if (failed(prepareRegions(op)))
    return failure();
  TileBuilder b(op.getLoc(), op);
  if (op.hasMaskMod())
    op->getParentOfType<func::FuncOp>()->setAttr(attn::kMaskRegionAttrName, b.getUnitAttr());
  if (failed(AttentionLowering(b, op).run()))
    return failure();
  op.erase();
  return success();
}
