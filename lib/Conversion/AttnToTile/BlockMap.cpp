//===- BlockMap.cpp - Maps of blocks as scalar code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOperand.h"
#include "Kernels.h"
#include "Lanes.h"
#include "RegionToTile.h"
#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// Rows of a mask that a warp looks at together.
static constexpr int64_t kScannedRows = 16;

namespace {
/// Builds the classification of one block.
class BlockClassifier {
public:
  BlockClassifier(TileBuilder &b, attn::BlockMapOp op) : b(b), op(op), strategy(*op.getStrategy()), lanes(op) {}
  void run();

private:
  Value buildState();
  Value buildStructurallyFull();
  attn::IntervalBuilder makeIntervals();
  attn::Interval buildKept();
  attn::Interval scanMask(attn::IntervalBuilder &intervals, ArrayRef<attn::Interval> positions);
  attn::Interval scanMaskTiles();

  TileBuilder &b;
  attn::BlockMapOp op;
  attn::StrategyAttr strategy;
  Lanes lanes;
  Task task;
  KeyRange range;
  Value key, keyEnd;
};
} // namespace

attn::IntervalBuilder BlockClassifier::makeIntervals() {
  attn::ScanLanes scan;
  scan.count = lanes.getCount();
  scan.lane = lanes.getNumber(b);
  scan.reduce = [lanes = lanes](ImplicitLocOpBuilder &nested, attn::ScanLanes::Kind kind, Value value) {
    using From = attn::ScanLanes::Kind;
    using To = tile::LaneReduceKind;
    To to = kind == From::Min ? To::Min : kind == From::Max ? To::Max : kind == From::And ? To::And : To::Or;
    return lanes.reduce(nested, to, value);
  };
  int64_t maxLoads = std::max<int64_t>(strategy.getBlockM() * strategy.getBlockN(), 4096);
  return attn::IntervalBuilder(b, maxLoads, std::move(scan));
}

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

/// What the block of the operand `mask` holds, by all threads of a warp together, some rows at a time. Keys that don't
/// exist hold false: what they may spoil is full, and with such keys a block is not.
attn::Interval BlockClassifier::scanMaskTiles() {
  Value no = arith::ConstantIntOp::create(b, 0, 1), keyLimit = b.min(keyEnd, range.end);
  Task rows = task;
  rows.numRows = kScannedRows;
  rows.rowLimit = b.dim(op.getQuery(), 2);
  auto buildBody = [&](OpBuilder &nested, Location, Value row, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    rows.query = b.add(task.query, row);
    Value kept = loadBlockOperand(b, op, rows, op.getMask(), key, strategy.getBlockN(), keyLimit);
    ArrayRef<int64_t> shape = getTileShape(kept);
    Value numbers = b.iota({kScannedRows}, b.getI32Type(), 0);
    Value numRows = b.createOrFold<arith::IndexCastOp>(b.getI32Type(), b.sub(rows.rowLimit, rows.query));
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, numbers, b.splat(numRows, {kScannedRows}));
    Value missing = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, b.broadcast(exists, shape[1]), kept);
    scf::YieldOp::create(b, ValueRange{b.createOrFold<arith::OrIOp>(carried[0], tile::AnyOp::create(b, missing)),
                                       b.createOrFold<arith::OrIOp>(carried[1], tile::AnyOp::create(b, kept))});
  };
  auto loop = scf::ForOp::create(b, b.index(0), b.index(strategy.getBlockM()), b.index(kScannedRows),
                                 ValueRange{no, no}, buildBody);
  attn::Interval interval;
  interval.lo = arith::XOrIOp::create(b, loop.getResult(0), arith::ConstantIntOp::create(b, 1, 1));
  interval.hi = loop.getResult(1);
  return interval;
}

/// What the block of the operand `mask` holds; its dimensions of size 1 are repeated.
attn::Interval BlockClassifier::scanMask(attn::IntervalBuilder &intervals, ArrayRef<attn::Interval> positions) {
  if (strategy.getVectorBytes() > 1)
    return scanMaskTiles();
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
  attn::IntervalBuilder intervals = makeIntervals();
  auto shift = [&](unsigned dim, Value value) { return b.add(getBase(b, op, dim), value); };
  SmallVector<attn::Interval> positions = {intervals.getPosition(shift(0, task.batch)),
                                           intervals.getPosition(shift(1, task.head)),
                                           intervals.getPositions(shift(2, task.query), shift(2, task.lastQuery)),
                                           intervals.getPositions(shift(3, firstKey), shift(3, lastKey))};
  if (!op.hasMaskMod())
    return scanMask(intervals, positions);
  attn::Interval kept = intervals.evaluate(op.getMaskMod(), positions);
  if (!op.getMask())
    return kept;
  attn::Interval scanned = scanMask(intervals, positions);
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
  scf::YieldOp::create(b, b.i32(attn::kNeverBlock));
  b.setInsertionPointToStart(branch.thenBlock());
  attn::Interval kept = buildKept();
  Value full = b.createOrFold<arith::AndIOp>(kept.lo, buildStructurallyFull());
  Value some = b.select(full, b.i32(attn::kFullBlock), b.i32(attn::kPartialBlock));
  scf::YieldOp::create(b, b.select(kept.hi, some, b.i32(attn::kNeverBlock)));
  return branch.getResult(0);
}

void BlockClassifier::run() {
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(4))
    sizes.push_back(b.dim(op.getStates(), dim));
  SmallVector<Value> block = beginScalarTask(b, sizes, lanes.getCount());
  task.numRows = strategy.getBlockM();
  task.batch = block[0];
  task.head = block[1];
  placeQueryBlock(b, task, block[2], b.dim(op.getQuery(), 2));
  key = b.mul(block[3], b.index(strategy.getBlockN()));
  keyEnd = b.add(key, b.index(strategy.getBlockN()));
  Value state = buildState();
  lanes.enterFirst(b);
  memref::StoreOp::create(b, state, op.getStates(), block);
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
