//===- BlockMap.cpp - Maps and lists of blocks as scalar code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOperand.h"
#include "Kernels.h"
#include "RegionToTile.h"
#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

// What an element of a map says of its block; a block list counts on the order.
static constexpr int64_t kNever = 0, kPartial = 1, kFull = 2;

static Value constantI32(TileBuilder &b, int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }

/// Continues where the program has a task: its number is below the product of `sizes`. Returns its coordinates, the
/// last one the fastest.
static SmallVector<Value> beginTask(TileBuilder &b, ArrayRef<Value> sizes) {
  Value id = tile::ProgramIdOp::create(b, b.getIndexType()), total = b.index(1);
  for (Value size : sizes)
    total = b.mul(total, size);
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, id, total);
  auto guard = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
  b.setInsertionPointToStart(guard.thenBlock());
  SmallVector<Value> coordinates;
  for (Value size : llvm::reverse(sizes))
    coordinates.push_back(takeFastest(b, id, size));
  std::reverse(coordinates.begin(), coordinates.end());
  return coordinates;
}

namespace {
/// Builds the classification of one block.
class BlockClassifier {
public:
  BlockClassifier(TileBuilder &b, attn::BlockMapOp op)
      : b(b), op(op), strategy(*op.getStrategy()),
        intervals(b, std::max<int64_t>(strategy.getBlockM() * strategy.getBlockN(), 4096)) {}
  void run();

private:
  Value buildState();
  Value buildStructurallyFull();
  attn::Interval buildKept();
  attn::Interval scanMask(ArrayRef<attn::Interval> positions);

  TileBuilder &b;
  attn::BlockMapOp op;
  attn::StrategyAttr strategy;
  attn::IntervalBuilder intervals;
  Task task;
  KeyRange range;
  Value key, keyEnd;
};
} // namespace

/// Whether length, causal and window keep all of the block.
Value BlockClassifier::buildStructurallyFull() {
  auto isAtMost = [&](Value lhs, Value rhs) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sle, lhs, rhs);
  };
  Value full = isAtMost(keyEnd, range.length);
  if (range.high)
    full = b.createOrFold<arith::AndIOp>(full, isAtMost(keyEnd, b.add(task.query, range.high)));
  if (range.low)
    full = b.createOrFold<arith::AndIOp>(full, isAtMost(b.add(task.lastQuery, range.low), key));
  return full;
}

/// What the block of the operand `mask` holds; its dimensions of size 1 are repeated.
attn::Interval BlockClassifier::scanMask(ArrayRef<attn::Interval> positions) {
  SmallVector<attn::Interval> indices;
  for (auto [dim, position] : llvm::enumerate(positions)) {
    Value isOne = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, b.dim(op.getMask(), dim), b.index(1));
    auto repeat = [&](Value value) { return b.select(isOne, b.index(0), value); };
    bool isPoint = position.isPoint();
    Value lo = repeat(position.lo);
    indices.push_back(intervals.getPositions(lo, isPoint ? lo : repeat(position.hi)));
  }
  return intervals.load(op.getMask(), indices);
}

/// What mask and region keep of the pairs of the block that the other masks may keep.
attn::Interval BlockClassifier::buildKept() {
  Value one = b.index(1), firstKey = range.low ? b.max(key, range.begin) : key;
  Value lastKey = b.sub(b.min(keyEnd, range.end), one);
  auto shift = [&](unsigned dim, Value value) { return b.add(getBase(b, op, dim), value); };
  SmallVector<attn::Interval> positions = {intervals.getPosition(shift(0, task.batch)),
                                           intervals.getPosition(shift(1, task.head)),
                                           intervals.getPositions(shift(2, task.query), shift(2, task.lastQuery)),
                                           intervals.getPositions(shift(3, firstKey), shift(3, lastKey))};
  if (!op.hasMaskMod())
    return scanMask(positions);
  attn::Interval kept = intervals.evaluate(op.getMaskMod(), positions);
  if (!op.getMask())
    return kept;
  attn::Interval scanned = scanMask(positions);
  kept.lo = b.createOrFold<arith::AndIOp>(kept.lo, scanned.lo);
  kept.hi = b.createOrFold<arith::AndIOp>(kept.hi, scanned.hi);
  return kept;
}

Value BlockClassifier::buildState() {
  range = computeKeyRange(b, op, task, /*maskAll=*/false);
  Value isBefore = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, key, range.end);
  Value isBehind = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, range.begin, keyEnd);
  // No pair, no load.
  Value mayKeep = b.createOrFold<arith::AndIOp>(isBefore, isBehind);
  auto branch = scf::IfOp::create(b, b.getI32Type(), mayKeep, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, constantI32(b, kNever));
  b.setInsertionPointToStart(branch.thenBlock());
  attn::Interval kept = buildKept();
  Value full = b.createOrFold<arith::AndIOp>(kept.lo, buildStructurallyFull());
  Value some = b.select(full, constantI32(b, kFull), constantI32(b, kPartial));
  scf::YieldOp::create(b, b.select(kept.hi, some, constantI32(b, kNever)));
  return branch.getResult(0);
}

void BlockClassifier::run() {
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(4))
    sizes.push_back(b.dim(op.getStates(), dim));
  SmallVector<Value> block = beginTask(b, sizes);
  task.numRows = strategy.getBlockM();
  task.batch = block[0];
  task.head = block[1];
  placeQueryBlock(b, task, block[2], b.dim(op.getQuery(), 2));
  key = b.mul(block[3], b.index(strategy.getBlockN()));
  keyEnd = b.add(key, b.index(strategy.getBlockN()));
  memref::StoreOp::create(b, buildState(), op.getStates(), block);
}

LogicalResult fovea::conversion::convertBlockMap(attn::BlockMapOp op) {
  if (!op.getStrategy())
    return op.emitOpError() << "in a kernel needs a strategy";
  if (failed(prepareRegions(op)))
    return failure();
  TileBuilder b(op.getLoc(), op);
  BlockClassifier(b, op).run();
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static Value isState(TileBuilder &b, arith::CmpIPredicate predicate, Value state, int64_t value) {
  return b.createOrFold<arith::CmpIOp>(predicate, state, constantI32(b, value));
}

/// A loop over the states of one row that carries two numbers.
static std::pair<Value, Value> forEachState(TileBuilder &b, attn::BlockListOp op, ArrayRef<Value> row, Value first,
                                            Value second,
                                            function_ref<std::pair<Value, Value>(Value, Value, ValueRange)> build) {
  auto buildBody = [&](OpBuilder &nested, Location, Value block, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    SmallVector<Value> indices(row);
    indices.push_back(block);
    auto [next, other] = build(block, memref::LoadOp::create(b, op.getStates(), indices), carried);
    scf::YieldOp::create(b, ValueRange{next, other});
  };
  auto loop =
      scf::ForOp::create(b, b.index(0), b.dim(op.getStates(), 3), b.index(1), ValueRange{first, second}, buildBody);
  return {loop.getResult(0), loop.getResult(1)};
}

static void buildList(TileBuilder &b, attn::BlockListOp op) {
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(3))
    sizes.push_back(b.dim(op.getStates(), dim));
  SmallVector<Value> row = beginTask(b, sizes);
  auto store = [&](Value value, Value position) {
    SmallVector<Value> indices(row);
    indices.push_back(position);
    memref::StoreOp::create(b, b.createOrFold<arith::IndexCastOp>(b.getI32Type(), value), op.getList(), indices);
  };
  auto increment = [&](Value number, Value condition) {
    return b.add(number, b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), condition));
  };
  Value zero = b.index(0);
  auto [partial, visited] = forEachState(b, op, row, zero, zero, [&](Value, Value state, ValueRange counts) {
    return std::pair(increment(counts[0], isState(b, arith::CmpIPredicate::eq, state, kPartial)),
                     increment(counts[1], isState(b, arith::CmpIPredicate::ne, state, kNever)));
  });
  store(partial, zero);
  store(visited, b.index(1));
  Value first = b.index(2);
  forEachState(b, op, row, first, b.add(first, partial), [&](Value block, Value state, ValueRange next) {
    Value isPartial = isState(b, arith::CmpIPredicate::eq, state, kPartial);
    auto listed = scf::IfOp::create(b, isState(b, arith::CmpIPredicate::ne, state, kNever), /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(listed.thenBlock());
      store(block, b.select(isPartial, next[0], next[1]));
    }
    return std::pair(increment(next[0], isPartial),
                     increment(next[1], isState(b, arith::CmpIPredicate::eq, state, kFull)));
  });
}

LogicalResult fovea::conversion::convertBlockList(attn::BlockListOp op) {
  TileBuilder b(op.getLoc(), op);
  buildList(b, op);
  op.erase();
  return success();
}
