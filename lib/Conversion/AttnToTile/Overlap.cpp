//===- Overlap.cpp - Attention with the next scores under the present weights -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionLowering.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

// A step multiplies the keys of its block, then the values of the block before, then computes the weights of its own. Both
// products stand before the weights, so that a target that multiplies asynchronously has one in flight all the time. The
// blocks are visited from the last to the first: the last one is cut by a mask more often than any other, and where it is
// the only one no block pays for a mask in vain.

SmallVector<Value> AttentionLowering::OverlapState::toValues() const {
  SmallVector<Value> values = {max, sum, acc, weights, rescale};
  if (needed)
    values.push_back(needed);
  return values;
}

AttentionLowering::OverlapState AttentionLowering::OverlapState::fromValues(ValueRange v) {
  return {v[0], v[1], v[2], v[3], v[4], v.size() > 5 ? v[5] : Value()};
}

Value AttentionLowering::multiplyValues(TileBuilder &b, const OverlapState &state, Value key) {
  Value acc = rescaleRows(b, state.acc, state.rescale, state.needed);
  // Weights of keys that don't exist are zero, but zero times what lies behind the keys need not be.
  Value limit;
  if (range.crossesLength)
    limit = op.getKvLengths() ? range.length : b.dim(op.getValue(), 2);
  return buildProduct(b, state.weights, loadKeys(b, op.getValue(), key, limit), acc, /*transpose=*/false);
}

/// Where the keys of a block end to exist in memory; the mask discards the scores of those that are not valid.
static Value getKeyLimit(TileBuilder &b, attn::AttentionOp op, const KeyRange &range) {
  return range.crossesLength ? b.dim(op.getKey(), 2) : Value();
}

AttentionLowering::OverlapState AttentionLowering::buildFirstBlock(Value key, bool masked) {
  SoftmaxState initial = buildInitialState();
  OverlapState state{initial.max, initial.sum, initial.acc, Value(), b.floatTile({task.numRows}, 1.0), Value()};
  if (isLazy())
    state.needed = arith::ConstantIntOp::create(b, 0, 1);
  FailureOr<Value> scores = finishScores(b, multiplyKeys(b, key, getKeyLimit(b, op, range)), key, masked);
  if (mlir::failed(scores)) {
    failed = true;
    state.weights = roundWeights(b, b.floatTile({task.numRows, numKeys}, 0.0));
    return state;
  }
  SoftmaxStep step = beginStep(b, units, *scores, initial.max, /*lazy=*/false);
  state.max = step.max;
  state.sum = tile::RowReduceOp::create(b, initial.sum.getType(), tile::ReduceKind::Sum, step.weights, initial.sum);
  state.weights = roundWeights(b, step.weights);
  return state;
}

FailureOr<AttentionLowering::OverlapState>
AttentionLowering::buildOverlappedBlock(TileBuilder &b, Value key, OverlapState state, bool masked) {
  Value product = multiplyKeys(b, key, getKeyLimit(b, op, range));
  OverlapState next;
  next.acc = multiplyValues(b, state, b.add(key, b.index(numKeys)));
  FailureOr<Value> scores = finishScores(b, product, key, masked);
  if (mlir::failed(scores))
    return failure();
  SoftmaxStep step = beginStep(b, units, *scores, state.max, isLazy());
  next.max = step.max;
  next.sum = addWeights(b, step, state.sum);
  next.weights = roundWeights(b, step.weights);
  next.rescale = step.rescale;
  next.needed = step.needed;
  return next;
}

AttentionLowering::OverlapState AttentionLowering::buildOverlappedLoop(Value begin, Value end, OverlapState state,
                                                                       bool masked) {
  Value step = b.index(numKeys), last = b.sub(b.add(begin, end), step);
  auto buildBody = [&](OpBuilder &nested, Location, Value position, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    OverlapState before = OverlapState::fromValues(carried);
    // After an error the rest is built without blocks, so that it is reported once.
    FailureOr<OverlapState> next =
        failed ? FailureOr<OverlapState>() : buildOverlappedBlock(b, b.sub(last, position), before, masked);
    failed |= mlir::failed(next);
    scf::YieldOp::create(b, mlir::failed(next) ? ValueRange(carried) : ValueRange(next->toValues()));
  };
  auto loop = scf::ForOp::create(b, begin, end, step, state.toValues(), buildBody);
  return OverlapState::fromValues(loop.getResults());
}

/// All blocks of a range that holds at least one.
SoftmaxState AttentionLowering::buildAllBlocks() {
  Value step = b.index(numKeys);
  Value numBlocks = b.ceilDiv(b.sub(range.end, range.begin), step);
  Value last = b.add(range.begin, b.mul(b.sub(numBlocks, b.index(1)), step));
  OverlapState state = buildFirstBlock(last, /*masked=*/range.hasLeftEdge || range.hasRightEdge);
  if (range.hasRightEdge)
    state = buildOverlappedLoop(range.fullEnd, last, state, /*masked=*/true);
  if (range.hasFull)
    state = buildOverlappedLoop(range.fullBegin, b.min(range.fullEnd, last), state, /*masked=*/false);
  if (range.hasLeftEdge)
    state = buildOverlappedLoop(range.begin, b.min(range.fullBegin, last), state, /*masked=*/true);
  return {state.max, state.sum, multiplyValues(b, state, range.begin)};
}

SoftmaxState AttentionLowering::buildOverlappedLoops() {
  SoftmaxState none = buildInitialState();
  Value hasKeys = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, range.begin, range.end);
  auto branch = scf::IfOp::create(b, ValueRange(none.toValues()).getTypes(), hasKeys, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, buildAllBlocks().toValues());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, none.toValues());
  return SoftmaxState::fromValues(branch.getResults());
}
