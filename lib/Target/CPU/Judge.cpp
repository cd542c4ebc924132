//===- Judge.cpp - The float64 reference of an attention op as a CPU kernel -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Target/CPU/Judge.h"
#include "Rounding.h"
#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

/// Rows of a task: a row of K or V is converted to f64 once for this many rows of scores.
static constexpr int64_t kRows = 16;

namespace {
/// Builds the body of one judge.
class JudgeBuilder {
public:
  JudgeBuilder(ImplicitLocOpBuilder &builder, AttentionOp op, const IRMapping &mapping, ValueRange outputs)
      : b(builder), op(op), elements(op, mapping, b.getF64Type()), outputs(outputs) {}

  void run();

private:
  using LoopFn = llvm::function_ref<void(Value)>;
  using ReduceFn = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value zero() { return elements.constant(b, 0); }
  Value load(Value memref, ValueRange at) { return memref::LoadOp::create(b, memref, at); }
  void store(Value value, Value memref, ValueRange at) { memref::StoreOp::create(b, value, memref, at); }
  Value allocate(ArrayRef<int64_t> shape) { return memref::AllocOp::create(b, MemRefType::get(shape, b.getF64Type())); }
  void loop(Value count, LoopFn body);
  SmallVector<Value> reduce(Value count, ValueRange inits, ReduceFn body);

  void decodeTask();
  void loadRow(Value source, Value head, Value position, Value destination);
  void buildScores();
  void buildSoftmax();
  void buildRowSoftmax(Value row);
  void buildProducts();
  void accumulate(Value row, Value key);
  void storeRows();
  Value buildRounded(Value row, Value column);
  Value round(Value value, Value shaped);
  Value getGlobalRow(Value row) { return arith::AddIOp::create(b, firstRow, row); }

  ImplicitLocOpBuilder &b;
  AttentionOp op;
  ElementBuilder elements;
  ValueRange outputs;
  Value batch, head, kvHead, firstRow, numRows, numKeys;
  KeyBounds bounds;
  /// `[key, row]`: u; then per row m, l and the largest u of a key; sums over keys of P V, P |V| and of V times the
  /// rounded weights relative to the largest key.
  Value scores, maxima, sums, keyMaxima, product, absProduct, roundedProduct;
  /// A row of K or V.
  Value keyRow, valueRow, queryRows;
};
} // namespace

void JudgeBuilder::loop(Value count, LoopFn body) {
  auto op = scf::ForOp::create(b, index(0), count, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

SmallVector<Value> JudgeBuilder::reduce(Value count, ValueRange inits, ReduceFn body) {
  auto op = scf::ForOp::create(b, index(0), count, index(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  scf::YieldOp::create(b, body(op.getInductionVar(), op.getRegionIterArgs()));
  return op.getResults();
}

void JudgeBuilder::run() {
  decodeTask();
  int64_t depth = op.getQKDepth(), valueDepth = op.getVDepth();
  queryRows = allocate({kRows, depth});
  keyRow = allocate({depth});
  valueRow = allocate({valueDepth});
  maxima = allocate({kRows});
  sums = allocate({kRows});
  keyMaxima = allocate({kRows});
  product = allocate({kRows, valueDepth});
  absProduct = allocate({kRows, valueDepth});
  roundedProduct = allocate({kRows, valueDepth});
  scores = memref::AllocOp::create(b, MemRefType::get({ShapedType::kDynamic, kRows}, b.getF64Type()), numKeys);
  buildScores();
  buildSoftmax();
  buildProducts();
  storeRows();
  memref::DeallocOp::create(b, scores);
}

/// Task = (b * Hq + h) * blocks + block.
void JudgeBuilder::decodeTask() {
  Value query = elements.lookup(op.getQuery()), key = elements.lookup(op.getKey());
  Value heads = ElementBuilder::dim(b, query, 1), queries = ElementBuilder::dim(b, query, 2);
  Value blocks = arith::CeilDivUIOp::create(b, queries, index(kRows));
  Value task = tile::ProgramIdOp::create(b, b.getIndexType());
  Value batchAndHead = arith::DivUIOp::create(b, task, blocks);
  firstRow = arith::MulIOp::create(b, arith::RemUIOp::create(b, task, blocks), index(kRows));
  batch = arith::DivUIOp::create(b, batchAndHead, heads);
  head = arith::RemUIOp::create(b, batchAndHead, heads);
  Value groupSize =
      arith::DivUIOp::create(b, heads, arith::MaxUIOp::create(b, ElementBuilder::dim(b, key, 1), index(1)));
  kvHead = arith::DivUIOp::create(b, head, groupSize);
  numRows = arith::MinUIOp::create(b, arith::SubIOp::create(b, queries, firstRow), index(kRows));
  // Keys at or past Lk do not exist for this task.
  bounds = elements.buildKeyBounds(b, batch);
  numKeys = bounds.length;
  if (!op.getBase().empty())
    numKeys = arith::MaxSIOp::create(b, arith::SubIOp::create(b, numKeys, elements.lookup(op.getBase()[3])), index(0));
}

/// destination[:] = source[batch, head, position, :] as f64.
void JudgeBuilder::loadRow(Value source, Value head, Value position, Value destination) {
  Value depth = ElementBuilder::dim(b, destination, 0);
  loop(depth, [&](Value d) { store(elements.toCompute(b, load(source, {batch, head, position, d})), destination, d); });
}

/// u of every pair of a key and a row.
void JudgeBuilder::buildScores() {
  Value depth = index(op.getQKDepth());
  Value query = elements.lookup(op.getQuery()), key = elements.lookup(op.getKey());
  loop(numRows, [&](Value row) {
    loop(depth, [&](Value d) {
      Value element = load(query, {batch, head, getGlobalRow(row), d});
      store(elements.toCompute(b, element), queryRows, {row, d});
    });
  });
  loop(numKeys, [&](Value j) {
    loadRow(key, kvHead, j, keyRow);
    loop(numRows, [&](Value row) {
      Value dot = reduce(depth, zero(), [&](Value d, ValueRange sum) -> SmallVector<Value> {
        // The order of a sum in f64 does not matter here, and a free order makes it a vector sum.
        auto reassoc = arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
        Value term = arith::MulFOp::create(b, load(queryRows, {row, d}), load(keyRow, d), reassoc);
        return {arith::AddFOp::create(b, sum[0], term, reassoc)};
      })[0];
      ScorePosition position = {batch, head, getGlobalRow(row), j};
      store(elements.buildMaskedScore(b, dot, position, bounds), scores, {j, row});
    });
  });
}

void JudgeBuilder::buildSoftmax() {
  loop(numRows, [&](Value row) { buildRowSoftmax(row); });
}

/// m, l, the largest key, LSE and smax of one row.
void JudgeBuilder::buildRowSoftmax(Value row) {
  Value sink = elements.buildSink(b, head);
  SmallVector<Value> inits = {elements.minusInfinity(b), zero()};
  SmallVector<Value> largest = reduce(numKeys, inits, [&](Value j, ValueRange old) -> SmallVector<Value> {
    Value score = load(scores, {j, row});
    Value magnitude =
        arith::SelectOp::create(b, elements.isMinusInfinity(b, score), zero(), math::AbsFOp::create(b, score));
    return {arith::MaximumFOp::create(b, old[0], score), arith::MaximumFOp::create(b, old[1], magnitude)};
  });
  Value max = arith::MaximumFOp::create(b, largest[0], sink);
  Value sum = reduce(numKeys, elements.buildWeight(b, sink, max), [&](Value j, ValueRange old) -> SmallVector<Value> {
    return {arith::AddFOp::create(b, old[0], elements.buildWeight(b, load(scores, {j, row}), max))};
  })[0];
  store(max, maxima, row);
  store(sum, sums, row);
  store(largest[0], keyMaxima, row);
  store(elements.buildLogSum(b, max, sum), outputs[1], {batch, head, getGlobalRow(row)});
  store(largest[1], outputs[3], {batch, head, getGlobalRow(row)});
}

/// `value` rounded to the element type of `shaped`, which means f64 where that is f32.
Value JudgeBuilder::round(Value value, Value shaped) {
  auto type = cast<FloatType>(getElementTypeOrSelf(shaped.getType()));
  return type.getWidth() >= 32 ? value : cpu::roundToType(b, value, type);
}

/// Adds key after key to the products of every row that keeps it.
void JudgeBuilder::buildProducts() {
  Value depth = index(op.getVDepth());
  loop(numRows, [&](Value row) {
    loop(depth, [&](Value d) {
      for (Value sum : {product, absProduct, roundedProduct})
        store(zero(), sum, {row, d});
    });
  });
  loop(numKeys, [&](Value j) {
    loadRow(elements.lookup(op.getValue()), kvHead, j, valueRow);
    loop(numRows, [&](Value row) {
      Value isMasked = elements.isMinusInfinity(b, load(scores, {j, row}));
      Value isKept = arith::XOrIOp::create(b, isMasked, arith::ConstantIntOp::create(b, 1, 1));
      auto ifKept = scf::IfOp::create(b, isKept, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(ifKept.thenBlock());
      accumulate(row, j);
    });
  });
}

/// P[row, key] times the row of V.
void JudgeBuilder::accumulate(Value row, Value key) {
  Value max = load(maxima, row), score = load(scores, {key, row});
  Value probability = elements.buildQuotient(b, elements.buildWeight(b, score, max), max, load(sums, row));
  Value weight = elements.buildWeight(b, score, load(keyMaxima, row));
  Value rounded = round(weight, op.getValue());
  auto addTo = [&](Value sum, Value factor, Value value, Value d) {
    Value term = arith::MulFOp::create(b, factor, value);
    store(arith::AddFOp::create(b, load(sum, {row, d}), term), sum, {row, d});
  };
  loop(index(op.getVDepth()), [&](Value d) {
    Value value = load(valueRow, d);
    addTo(product, probability, value, d);
    addTo(absProduct, probability, math::AbsFOp::create(b, value), d);
    if (rounded != weight)
      addTo(roundedProduct, rounded, value, d);
  });
}

/// The sum of rounded weights times V, divided as a kernel does at the end: here relative to the row's maximum.
Value JudgeBuilder::buildRounded(Value row, Value column) {
  Value max = load(maxima, row);
  Value factor = elements.buildWeight(b, load(keyMaxima, row), max);
  Value sum = load(roundedProduct, {row, column});
  return arith::MulFOp::create(b, sum, elements.buildQuotient(b, factor, max, load(sums, row)));
}

void JudgeBuilder::storeRows() {
  bool isRounded = cast<FloatType>(op.getValueType().getElementType()).getWidth() < 32;
  loop(numRows, [&](Value row) {
    loop(index(op.getVDepth()), [&](Value d) {
      SmallVector<Value> at = {batch, head, getGlobalRow(row), d};
      Value output = load(product, {row, d});
      store(output, outputs[0], at);
      store(load(absProduct, {row, d}), outputs[2], at);
      store(round(isRounded ? buildRounded(row, d) : output, op.getOutput()), outputs[4], at);
    });
  });
}

/// The judge's arguments; the five outputs are the last.
static KernelSignature getSignature(AttentionOp op) {
  KernelSignature signature;
  for (OpOperand &operand : op->getOpOperands())
    if (!op.isDpsInit(&operand))
      signature.addOperand(operand);
  signature.addCaptures(op);
  SmallVector<int64_t> shape = {op.getBatch(), op.getNumQueryHeads(), op.getQueryLength(), op.getVDepth()};
  Type f64 = Float64Type::get(op.getContext());
  for (int64_t i = 0; i < 5; ++i) {
    bool hasDepth = i % 2 == 0;
    signature.addTemporary(i, MemRefType::get(ArrayRef(shape).take_front(hasDepth ? 4 : 3), f64));
  }
  return signature;
}

static LaunchAttr getLaunch(MLIRContext *context) {
  auto symbol = [&](ProblemSymbol which) { return getSymbolExpr(which, context); };
  AffineExpr tasks = symbol(ProblemSymbol::Batch) * symbol(ProblemSymbol::QueryHeads) *
                     symbol(ProblemSymbol::QueryLength).ceilDiv(kRows);
  auto map = AffineMapAttr::get(AffineMap::get(0, kNumProblemSymbols, tasks));
  return LaunchAttr::get(context, map, /*block=*/1, /*shared_bytes=*/0, /*scratch_bytes=*/0);
}

/// A captured tensor is a memref in a kernel: only reads of its elements and sizes can follow.
static LogicalResult checkRegions(AttentionOp op) {
  SmallVector<Value> captures = getKernelCaptures(op);
  WalkResult result = op->walk([&](Operation *nested) {
    auto isCapturedTensor = [&](Value value) {
      return isa<TensorType>(value.getType()) && llvm::is_contained(captures, value);
    };
    if (nested == op || isa<tensor::ExtractOp, tensor::DimOp>(nested) ||
        llvm::none_of(nested->getOperands(), isCapturedTensor))
      return WalkResult::advance();
    nested->emitError() << "'" << nested->getName()
                        << "' on a captured tensor cannot be part of a kernel; use tensor.extract or tensor.dim";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

FailureOr<func::FuncOp> cpu::buildJudge(OpBuilder &builder, AttentionOp op, StringRef name) {
  if (failed(checkRegions(op)))
    return failure();
  KernelSignature signature = getSignature(op);
  IRMapping mapping;
  func::FuncOp kernel = signature.build(builder, op.getLoc(), name, getLaunch(op.getContext()), mapping);
  Block &entry = kernel.getBody().front();
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  b.setInsertionPointToEnd(&entry);
  JudgeBuilder(b, op, mapping, entry.getArguments().take_back(5)).run();
  func::ReturnOp::create(b);
  moveConstantsToMemory(kernel);
  return kernel;
}
