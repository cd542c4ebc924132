//===- KeyRange.cpp - Which keys a block of rows needs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyRange.h"
#include "BlockOperand.h"
#include "fovea/Dialect/Attn/Transforms/DiagonalOffset.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// Bounds of rows saturate here, so that no sum with a few positions overflows; positions are far smaller.
static constexpr int64_t kPositionLimit = int64_t(1) << 61;

static Value clamp(TileBuilder &b, Value value, int64_t limit) {
  return b.max(b.min(value, b.index(limit)), b.index(-limit));
}

/// Element `batch` of a vector [B] of integers.
static Value loadBatchElement(TileBuilder &b, Value memref, Value batch) {
  return b.toIndex(memref::LoadOp::create(b, memref, batch));
}

/// `Lk` in positions of the whole: `kv_lengths[b]` clamped to the keys that exist.
static Value getWholeLength(TileBuilder &b, attn::MaskOpInterface op, const Task &task) {
  Value end = b.add(getBase(b, op, 3), b.dim(op.getKey(), 2));
  if (!op.getKvLengths())
    return end;
  Value length = loadBatchElement(b, op.getKvLengths(), task.batch);
  return b.min(b.max(length, b.index(0)), end);
}

/// `off` of the contract.
static Value getDiagonalOffset(TileBuilder &b, attn::MaskOpInterface op, const Task &task, Value wholeLength) {
  switch (op.getDiagonal().value_or(attn::Diagonal::TopLeft)) {
  case attn::Diagonal::TopLeft:
    return b.index(0);
  case attn::Diagonal::BottomRight:
    return b.sub(wholeLength, b.dim(op.getQuery(), 2));
  case attn::Diagonal::Offset:
    break;
  }
  Value offset = op.getOffset();
  if (isa<MemRefType>(offset.getType()))
    offset = loadBatchElement(b, offset, task.batch);
  return b.toIndex(offset);
}

/// `diagonal + distance` without overflow. An offset operand can be any number, other diagonals are positions.
static Value shiftDiagonal(TileBuilder &b, attn::MaskOpInterface op, Value diagonal, int64_t distance) {
  if (!op.getOffset())
    return b.add(diagonal, b.index(std::clamp(distance, -kPositionLimit, kPositionLimit)));
  return attn::buildShiftedOffset(b, diagonal, distance, kPositionLimit);
}

/// Sets `low` and `high` from causal and window.
static void computeRowBounds(TileBuilder &b, attn::MaskOpInterface op, const Task &task, KeyRange &range,
                             Value wholeLength) {
  std::optional<int64_t> left = op.getWindowLeft(), right = op.getRightBound();
  if (!left && !right)
    return;
  Value diagonal = getDiagonalOffset(b, op, task, wholeLength);
  Value origin = b.sub(getBase(b, op, 2), getBase(b, op, 3));
  if (left)
    range.low = b.add(shiftDiagonal(b, op, diagonal, -*left), origin);
  if (right)
    range.high = b.add(b.add(shiftDiagonal(b, op, diagonal, *right), origin), b.index(1));
}

/// Keeps the blocks of this task's part of the keys.
static void takePart(TileBuilder &b, const Task &task, KeyRange &range, Value blockSize) {
  Value numKeys = b.max(b.sub(range.end, range.begin), b.index(0));
  Value partSize = b.mul(b.ceilDiv(b.ceilDiv(numKeys, blockSize), task.parts), blockSize);
  range.begin = b.add(range.begin, b.mul(task.part, partSize));
  range.end = b.min(range.end, b.add(range.begin, partSize));
}

/// Finds the blocks that no bound cuts.
static void computeFullBlocks(TileBuilder &b, const Task &task, KeyRange &range, Value blockSize) {
  auto toBlocks = [&](Value numKeys) { return b.max(numKeys, b.index(0)); };
  Value numBlocks = b.ceilDiv(toBlocks(b.sub(range.end, range.begin)), blockSize);
  Value first = b.index(0), last = numBlocks;
  if (range.hasLeftEdge) {
    Value lowest = b.add(task.lastQuery, range.low);
    first = b.min(b.ceilDiv(toBlocks(b.sub(lowest, range.begin)), blockSize), numBlocks);
  }
  if (range.hasRightEdge) {
    Value highest = range.length;
    if (range.high)
      highest = b.min(highest, b.add(task.query, range.high));
    Value uncut = b.floorDiv(toBlocks(b.sub(highest, range.begin)), blockSize);
    last = b.max(b.min(uncut, numBlocks), first);
  }
  range.fullBegin = b.add(range.begin, b.mul(first, blockSize));
  range.fullEnd = range.hasRightEdge ? b.add(range.begin, b.mul(last, blockSize)) : range.end;
}

KeyRange fovea::conversion::computeKeyRange(TileBuilder &b, attn::MaskOpInterface op, const Task &task, bool maskAll) {
  int64_t numKeys = op.getStrategy()->getBlockN();
  KeyRange range;
  Value wholeLength = getWholeLength(b, op, task);
  range.length = wholeLength;
  if (!op.getBase().empty())
    range.length = op.getKvLengths() ? b.max(b.sub(wholeLength, getBase(b, op, 3)), b.index(0)) : b.dim(op.getKey(), 2);
  computeRowBounds(b, op, task, range, wholeLength);

  range.begin = range.low ? b.max(b.add(task.query, range.low), b.index(0)) : b.index(0);
  range.end = range.high ? b.min(range.length, b.add(task.lastQuery, range.high)) : range.length;
  Value blockSize = b.index(numKeys);
  if (task.part)
    takePart(b, task, range, blockSize);

  int64_t allKeys = cast<ShapedType>(op.getKey().getType()).getDimSize(2);
  bool divides = !ShapedType::isDynamic(allKeys) && allKeys % numKeys == 0;
  range.crossesLength = op.getKvLengths() || !divides || range.low;
  range.hasLeftEdge = static_cast<bool>(range.low);
  range.hasRightEdge = range.high || range.crossesLength;
  if (!maskAll) {
    computeFullBlocks(b, task, range, blockSize);
    return range;
  }
  range.fullBegin = range.fullEnd = range.begin;
  range.hasLeftEdge = range.hasFull = false;
  range.hasRightEdge = true;
  return range;
}

/// `value` (index) as i32, clamped far outside every block.
static Value toTileCoordinate(TileBuilder &b, Value value) {
  return b.createOrFold<arith::IndexCastOp>(b.getI32Type(), clamp(b, value, int64_t(1) << 30));
}

/// `position - key` for each row of the tile; `position` is the bound of row 0 and grows by one a row.
static Value buildRowBounds(TileBuilder &b, const Task &task, Value position, Value key) {
  Value first = b.splat(toTileCoordinate(b, b.sub(position, key)), {task.numRows});
  return b.add(b.iota({task.numRows}, b.getI32Type(), 0), first);
}

/// Compares the column numbers with a bound: a scalar or one value per row.
static Value compareColumns(TileBuilder &b, arith::CmpIPredicate predicate, Value bound, ArrayRef<int64_t> shape) {
  Value columns = b.iota(shape, b.getI32Type(), 1);
  Value bounds = isa<RankedTensorType>(bound.getType()) ? b.broadcast(bound, shape[1]) : b.splat(bound, shape);
  return b.createOrFold<arith::CmpIOp>(predicate, columns, bounds);
}

/// The first column that no row or each row doesn't keep: a scalar, or one value per row; null: no bound.
static Value buildUpperBound(TileBuilder &b, const Task &task, const KeyRange &range, Value key) {
  if (!range.high)
    return range.crossesLength ? toTileCoordinate(b, b.sub(range.length, key)) : Value();
  if (task.packed) {
    Value bound = b.min(b.add(task.query, range.high), range.length);
    return toTileCoordinate(b, b.sub(bound, key));
  }
  Value bound = buildRowBounds(b, task, b.add(task.query, range.high), key);
  if (!range.crossesLength)
    return bound;
  return b.min(bound, b.splat(toTileCoordinate(b, b.sub(range.length, key)), {task.numRows}));
}

Value fovea::conversion::buildStructuralMask(TileBuilder &b, const Task &task, const KeyRange &range, Value key,
                                             int64_t numKeys) {
  SmallVector<int64_t> shape{task.numRows, numKeys};
  Value mask;
  if (Value bound = buildUpperBound(b, task, range, key))
    mask = compareColumns(b, arith::CmpIPredicate::slt, bound, shape);
  if (!range.low)
    return mask;
  Value position = b.add(task.query, range.low);
  Value bound = task.packed ? toTileCoordinate(b, b.sub(position, key)) : buildRowBounds(b, task, position, key);
  Value lower = compareColumns(b, arith::CmpIPredicate::sge, bound, shape);
  return mask ? b.createOrFold<arith::AndIOp>(mask, lower) : lower;
}
