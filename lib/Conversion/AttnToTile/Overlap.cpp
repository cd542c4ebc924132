//===- Overlap.cpp - Attention with the next scores under the present weights -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionLowering.h"
#include "fovea/Dialect/Attn/Transforms/ScoreShape.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

// A step multiplies the keys of its block, then the values of the block before, then computes the weights of its own.
// Both products stand before the weights, so that a target that multiplies asynchronously has one in flight all the
// time. The blocks are visited from the last to the first: the last one is cut by a mask more often than any other, and
// where it is the only one no block pays for a mask in vain.

/// Row sums stay spread over a few columns until the end.
static constexpr int64_t kFoldedColumns = 8;

SmallVector<Value> AttentionLowering::OverlapState::toValues() const {
  SmallVector<Value> values = {max};
  if (sum)
    values.push_back(sum);
  llvm::append_values(values, acc, weights, rescale);
  if (needed)
    values.push_back(needed);
  return values;
}

AttentionLowering::OverlapState AttentionLowering::getOverlapState(ValueRange values) const {
  OverlapState state;
  state.max = values.front();
  values = values.drop_front();
  if (!sumsByProduct()) {
    state.sum = values.front();
    values = values.drop_front();
  }
  state.acc = values[0];
  state.weights = values[1];
  state.rescale = values[2];
  if (values.size() > 3)
    state.needed = values[3];
  return state;
}

Value AttentionLowering::multiplyValues(TileBuilder &b, const OverlapState &state, Value key) {
  Value acc = rescaleRows(b, state.acc, state.rescale, state.needed);
  // Weights of keys that don't exist are zero, but zero times what lies behind the keys need not be.
  Value limit;
  if (range.crossesLength)
    limit = op.getKvLengths() ? range.length : b.dim(op.getValue(), 2);
  Value values = loadKeys(b, op.getValue(), key, limit, /*ones=*/sumsByProduct() ? kFoldedColumns : 0);
  return buildProduct(b, state.weights, values, acc, /*transpose=*/false);
}

/// Where the keys of a block end to exist in memory; the mask discards the scores of those that are not valid.
static Value getKeyLimit(TileBuilder &b, attn::AttentionOp op, const KeyRange &range) {
  return range.crossesLength ? b.dim(op.getKey(), 2) : Value();
}

static Value fold(TileBuilder &b, Value weights) {
  auto type = cast<RankedTensorType>(weights.getType());
  return tile::FoldOp::create(b, type.clone({type.getDimSize(0), kFoldedColumns}), weights);
}

static Value sumRows(TileBuilder &b, Value folded) {
  Value zero = b.floatTile({getTileShape(folded)[0]}, 0.0);
  return tile::RowReduceOp::create(b, zero.getType(), tile::ReduceKind::Sum, folded, zero);
}

/// Where only the length can cut the block, or a list says what does, it is looked whether it is cut.
FailureOr<Value> AttentionLowering::finishFirstScores(Value product, Value key, bool masked) {
  bool isKnown = !op.getBlockList() && (range.low || range.high || needsMaskEverywhere());
  if (!masked || isKnown)
    return finishScores(b, product, key, masked);
  Value isCut = op.getBlockList()
                    ? arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, partialBlocks, b.index(0)).getResult()
                    : arith::CmpIOp::create(b, arith::CmpIPredicate::sge, key, range.fullEnd).getResult();
  auto branch = scf::IfOp::create(b, product.getType(), isCut, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  FailureOr<Value> scores;
  for (bool cut : {true, false}) {
    b.setInsertionPointToStart(cut ? branch.thenBlock() : branch.elseBlock());
    scores = finishScores(b, product, key, cut);
    scf::YieldOp::create(b, mlir::failed(scores) ? product : *scores);
    if (mlir::failed(scores))
      return failure();
  }
  return branch.getResult(0);
}

static Value takeColumns(TileBuilder &b, Value tile, int64_t first, int64_t columns) {
  auto type = cast<RankedTensorType>(tile.getType());
  return tile::ColumnsOp::create(b, type.clone({type.getDimSize(0), columns}), tile, first);
}

AttentionLowering::OverlapState AttentionLowering::buildInitialOverlap() {
  SoftmaxState initial = buildInitialState();
  OverlapState state{initial.max, Value(), initial.acc, Value(), b.floatTile({task.numRows}, 1.0), Value()};
  if (sumsByProduct())
    state.acc = b.floatTile({task.numRows, getTileShape(initial.acc)[1] + kFoldedColumns}, 0.0);
  else
    state.sum = b.floatTile({task.numRows, kFoldedColumns}, 0.0);
  if (strategy.getRescale() != attn::Rescale::Always)
    state.needed = arith::ConstantIntOp::create(b, 0, 1);
  return state;
}

/// Each of the accumulator's columns of sums holds all of it.
SoftmaxState AttentionLowering::finishOverlap(const OverlapState &state, Value acc) {
  if (!sumsByProduct())
    return {state.max, sumRows(b, state.sum), acc};
  int64_t columns = getTileShape(acc)[1] - kFoldedColumns;
  Value sum = sumRows(b, takeColumns(b, acc, columns, kFoldedColumns));
  sum = b.mulF(sum, b.floatTile(getTileShape(sum), 1.0 / kFoldedColumns));
  return {units.getReference(b, state.max), sum, takeColumns(b, acc, 0, columns)};
}

AttentionLowering::OverlapState AttentionLowering::buildFirstBlock(Value key, bool masked, Value product) {
  OverlapState state = buildInitialOverlap();
  if (!product)
    product = multiplyKeys(b, loadKeys(b, op.getKey(), key, getKeyLimit(b, op, range)));
  FailureOr<Value> scores = finishFirstScores(product, key, masked);
  if (mlir::failed(scores)) {
    failed = true;
    state.weights = roundWeights(b, b.floatTile({task.numRows, numKeys}, 0.0));
    return state;
  }
  SoftmaxStep step = beginStep(b, units, *scores, state.max, /*lag=*/std::nullopt);
  state.max = step.max;
  if (!sumsByProduct())
    state.sum = fold(b, step.weights);
  state.weights = roundWeights(b, step.weights);
  return state;
}

FailureOr<AttentionLowering::OverlapState>
AttentionLowering::buildOverlappedBlock(TileBuilder &b, Value key, Value before, OverlapState state, Blocks blocks) {
  bool masked = blocks != Blocks::Full;
  RegionToTile regions = createRegions(b, key, masked);
  // Tables and bias are read in front of the products: a warp that has begun them goes on when the first one is over,
  // and would wait for memory.
  bool readsTables = attn::ScoreShape::of(op.getScoreMod()).kind == attn::ScoreShape::Kind::Tables;
  if (readsTables && mlir::failed(regions.evaluateWithoutScore()))
    return failure();
  Value bias = op.getBias() ? loadOperand(b, op.getBias(), key, masked) : Value();
  Value keys = loadKeys(b, op.getKey(), key, getKeyLimit(b, op, range));
  Value product = multiplyKeys(b, keys);
  OverlapState next;
  next.acc = multiplyValues(b, state, before ? before : b.add(key, b.index(numKeys)));
  FailureOr<LinearForm> scores = finishLinearScores(b, product, key, masked, regions, bias);
  if (mlir::failed(scores))
    return failure();
  if (guessesWeights() && blocks != Blocks::Masked)
    return guessWeights(b, *scores, keys, key, state, next, masked);
  Value values = LinearMath(b, getTileShape(product)).materialize(*scores);
  SoftmaxStep step = beginStep(b, units, values, state.max, getLag());
  next.max = step.max;
  if (!sumsByProduct()) {
    Value sum = rescaleRows(b, state.sum, step.rescale, step.needed);
    next.sum = b.addF(sum, fold(b, step.weights));
  }
  next.weights = roundWeights(b, step.weights);
  next.rescale = step.rescale;
  next.needed = step.needed;
  return next;
}

/// What a few weights of a block may sum up to, for any type of P. A weight that counts should be close to 1: larger
/// ones are rounded for the product alone, and where one weight of a row counts that is the row's error.
static constexpr float kWeightLimit = 1 << kWeightExponent;

/// The bits of f32 weights from 2 on, which no smaller one has, nor 0; infinite and undefined ones have it.
static constexpr int64_t kBitOfTwo = 1 << 30;

/// Whether any of a few weights in each of the folded columns is 2 or more.
static Value hasTwo(TileBuilder &b, Value weights) {
  auto words = cast<RankedTensorType>(weights.getType()).clone(b.getI32Type());
  auto folded = words.clone({words.getDimSize(0), kFoldedColumns});
  auto splat = [&](int64_t value) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(folded, b.getI32IntegerAttr(value)));
  };
  Value bits = tile::FoldBitsOp::create(b, folded, arith::BitcastOp::create(b, words, weights));
  Value bit = arith::AndIOp::create(b, bits, splat(kBitOfTwo));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, splat(0));
}

/// Where weights are added up a sum tells that some are too large. Else they are lowered so that 2 is too large.
AttentionLowering::Guess AttentionLowering::buildGuess(TileBuilder &b, const LinearForm &scores, Value max) {
  if (sumsByProduct()) {
    Value weights = units.buildFusedExp(b, scores, max, /*mark=*/true);
    return {weights, Value(), hasTwo(b, weights)};
  }
  Value weights = units.buildFusedExp(b, scores, max), sums = fold(b, weights);
  Value isLarge = b.broadcast(units.isLarge(b, max), kFoldedColumns);
  Value tooLarge = b.compare(arith::CmpFPredicate::OGT, sums, b.floatTile(getTileShape(sums), kWeightLimit));
  return {weights, sums, b.createOrFold<arith::OrIOp>(tooLarge, isLarge)};
}

/// The rows whose weights are not relative to a maximum that suits them.
Value AttentionLowering::findWrongRows(TileBuilder &b, const Guess &guess, Value max) {
  ArrayRef<int64_t> rows = getTileShape(max);
  auto findLargest = [&](Value tile) {
    return tile::RowReduceOp::create(b, max.getType(), tile::ReduceKind::Max, tile, b.floatTile(rows, 0.0));
  };
  if (sumsByProduct()) {
    ArrayRef<int64_t> shape = getTileShape(guess.wrong);
    Value marks = b.select(guess.wrong, b.floatTile(shape, 1.0), b.floatTile(shape, 0.0));
    return b.compare(arith::CmpFPredicate::OGT, findLargest(marks), b.floatTile(rows, 0.0));
  }
  Value tooLarge = b.compare(arith::CmpFPredicate::OGT, findLargest(guess.sums), b.floatTile(rows, kWeightLimit));
  return b.createOrFold<arith::OrIOp>(tooLarge, units.isLarge(b, max));
}

/// Weights relative to the maximum from before the block. That needs no exchange between threads and no look at all
/// scores before the first weight; a block that it is wrong for, which is rare, is multiplied again. Only the rows in
/// question get another maximum, so that no row's result depends on others. Not where rows without a key so far are
/// many.
FailureOr<AttentionLowering::OverlapState> AttentionLowering::guessWeights(TileBuilder &b, const LinearForm &scores,
                                                                           Value keys, Value key, OverlapState state,
                                                                           OverlapState next, bool masked) {
  Guess guess = buildGuess(b, scores, state.max);
  next.needed = tile::AnyOp::create(b, guess.wrong, /*uniform=*/true);

  // The maximum; where weights are added up the sums of the other blocks and of this one; weights, rescale.
  SmallVector<Value> good = {state.max};
  if (!sumsByProduct())
    llvm::append_values(good, state.sum, guess.sums);
  llvm::append_values(good, guess.weights, b.floatTile({task.numRows}, 1.0));
  auto branch = scf::IfOp::create(b, ValueRange(good).getTypes(), next.needed, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value sameKey = tile::RecomputeOp::create(b, key);
  FailureOr<Value> again = finishScores(b, multiplyKeys(b, keys, /*again=*/true), sameKey, masked);
  if (mlir::failed(again))
    return failure();
  Value top = tile::RowReduceOp::create(b, state.max.getType(), tile::ReduceKind::Max, *again, state.max);
  Value max = b.select(findWrongRows(b, guess, state.max), top, state.max), finite = replaceNegInf(b, max);
  Value newWeights = units.buildMixedExp(b, *again, finite), rescale = units.buildRescale(b, state.max, finite);
  SmallVector<Value> better = {max};
  if (!sumsByProduct())
    llvm::append_values(better, rescaleRows(b, state.sum, rescale, Value()), fold(b, newWeights));
  llvm::append_values(better, newWeights, rescale);
  scf::YieldOp::create(b, better);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, good);
  b.setInsertionPointAfter(branch);
  next.max = branch.getResult(0);
  ValueRange results = branch.getResults();
  if (!sumsByProduct())
    next.sum = b.addF(results[1], results[2]);
  next.weights = roundWeights(b, results.drop_back().back());
  next.rescale = results.back();
  return next;
}

AttentionLowering::OverlapState AttentionLowering::buildOverlappedLoop(Value begin, Value end, OverlapState state,
                                                                       Blocks blocks) {
  bool isListed = static_cast<bool>(op.getBlockList());
  Value step = b.index(isListed ? 1 : numKeys), last = b.sub(b.add(begin, end), step);
  auto buildBody = [&](OpBuilder &nested, Location, Value position, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    OverlapState state = getOverlapState(carried);
    Value key = isListed ? getListedKey(b, position) : b.sub(last, position);
    Value before = isListed ? getListedKey(b, b.sub(position, step)) : Value();
    // After an error the rest is built without blocks, so that it is reported once.
    FailureOr<OverlapState> next =
        failed ? FailureOr<OverlapState>() : buildOverlappedBlock(b, key, before, state, blocks);
    failed |= mlir::failed(next);
    scf::YieldOp::create(b, mlir::failed(next) ? ValueRange(carried) : ValueRange(next->toValues()));
  };
  auto loop = scf::ForOp::create(b, begin, end, step, state.toValues(), buildBody);
  return getOverlapState(loop.getResults());
}

/// A block that the left bound of the last row cuts begins more than `windowLeft` keys before that row's diagonal, so
/// that it ends before the diagonal of the first row.
bool AttentionLowering::hasSeparateEdges() {
  std::optional<uint64_t> left = op.getWindowLeft();
  return left && !op.getOffset() && !task.packed && *left >= static_cast<uint64_t>(task.numRows + numKeys);
}

void AttentionLowering::evaluateInvariants() {
  FailureOr<RegionInvariants> found = RegionToTile::evaluateInvariants(b, op, task, range, numKeys);
  failed |= mlir::failed(found);
  invariants = mlir::failed(found) ? RegionInvariants() : std::move(*found);
}

Value AttentionLowering::getLastBlock(const KeyRange &range) {
  Value step = b.index(numKeys);
  Value numBlocks = b.ceilDiv(b.sub(range.end, range.begin), step);
  return b.add(range.begin, b.mul(b.sub(numBlocks, b.index(1)), step));
}

AttentionLowering::OverlapState AttentionLowering::buildOtherBlocks(Value last, OverlapState state) {
  KeyRange whole = range;
  // Blocks from `fullBegin` on are not cut by a left bound.
  if (range.hasFull)
    range.low = Value();
  if (range.hasRightEdge)
    state = buildOverlappedLoop(range.fullEnd, last, state, Blocks::Masked);
  if (range.hasFull)
    forEachFullPart(range.fullBegin, b.min(range.fullEnd, last), /*fromRight=*/true,
                    [&](Value begin, Value end) { state = buildOverlappedLoop(begin, end, state, Blocks::Full); });
  range = whole;
  if (hasSeparateEdges())
    range.high = Value();
  if (range.hasLeftEdge)
    state = buildOverlappedLoop(range.begin, b.min(range.fullBegin, last), state, Blocks::MaskedLast);
  range = whole;
  return state;
}

/// All blocks of a range that holds at least one.
SoftmaxState AttentionLowering::buildAllBlocks() {
  loadQuery();
  evaluateInvariants();
  Value last = getLastBlock(range);
  OverlapState state = buildFirstBlock(last, /*masked=*/range.hasLeftEdge || range.hasRightEdge);
  state = buildOtherBlocks(last, state);
  Value acc = multiplyValues(b, state, range.begin);
  return finishOverlap(state, acc);
}

AttentionLowering::Begin AttentionLowering::findBegin(const Task &task) {
  KeyRange range = computeKeyRange(b, op, task, needsMaskEverywhere()), notEmpty = range;
  notEmpty.end = b.max(range.end, b.add(range.begin, b.index(1)));
  return {task, range, getLastBlock(notEmpty)};
}

Value AttentionLowering::multiplyFirstKeys(const Begin &begin) {
  llvm::SaveAndRestore ownTask(task, begin.task);
  llvm::SaveAndRestore ownRange(range, begin.range);
  llvm::SaveAndRestore ownQuery(query);
  // Keys come first: where Q has one slot, no warpgroup waits for keys behind the rows of another one.
  Value keys = loadKeys(b, op.getKey(), begin.key, getKeyLimit(b, op, range));
  loadQuery(/*ahead=*/true);
  return multiplyKeys(b, keys);
}

Value AttentionLowering::buildCarryingTask(const Task &ownTask, const Task &nextTask, Value product) {
  Begin begin = findBegin(ownTask), next = findBegin(nextTask);
  task = begin.task;
  range = begin.range;
  loadQuery();
  evaluateInvariants();
  OverlapState state = buildFirstBlock(begin.key, /*masked=*/range.hasLeftEdge || range.hasRightEdge, product);
  state = buildOtherBlocks(begin.key, state);
  Value acc = multiplyValues(b, state, range.begin);
  Value nextProduct = multiplyFirstKeys(next);
  if (!failed)
    finishTask(finishOverlap(state, acc));
  return nextProduct;
}

/// All blocks of a list that holds at least one: those that need masks, then the others.
SoftmaxState AttentionLowering::buildListedBlocks() {
  loadQuery();
  evaluateInvariants();
  Value zero = b.index(0), one = b.index(1);
  OverlapState state = buildFirstBlock(getListedKey(b, zero), /*masked=*/true);
  state = buildOverlappedLoop(one, partialBlocks, state, Blocks::Masked);
  state = buildOverlappedLoop(b.max(partialBlocks, one), listedBlocks, state, Blocks::Full);
  Value acc = multiplyValues(b, state, getListedKey(b, b.sub(listedBlocks, one)));
  return finishOverlap(state, acc);
}

SoftmaxState AttentionLowering::buildOverlappedLoops() {
  SoftmaxState none = buildInitialState();
  bool isListed = static_cast<bool>(op.getBlockList());
  Value begin = isListed ? b.index(0) : range.begin, end = isListed ? listedBlocks : range.end;
  Value hasKeys = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, begin, end);
  auto branch = scf::IfOp::create(b, ValueRange(none.toValues()).getTypes(), hasKeys, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, (isListed ? buildListedBlocks() : buildAllBlocks()).toValues());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, none.toValues());
  return SoftmaxState::fromValues(branch.getResults());
}
