//===- IntervalBuilder.cpp - What a mask keeps of a block of pairs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea::attn;

Interval IntervalBuilder::getPosition(Value value) {
  Interval position = getBounds(value, value, kPositionBits, /*nonNegative=*/true);
  position.exact = value;
  return position;
}

Interval IntervalBuilder::getPositions(Value first, Value last) {
  return first == last ? getPosition(first) : getBounds(first, last, kPositionBits, /*nonNegative=*/true);
}

Interval IntervalBuilder::evaluate(Region &region, ArrayRef<Interval> positions) {
  Location loc = b.getLoc();
  Block &block = region.front();
  for (auto [argument, position] : llvm::zip_equal(block.getArguments(), positions))
    known[argument] = position;
  visitBlock(block);
  b.setLoc(loc);
  return lookup(block.getTerminator()->getOperand(0));
}

/// The ops of `block` that `wanted` depends on.
static llvm::DenseSet<Operation *> findSlice(Block &block, ArrayRef<Value> wanted) {
  llvm::DenseSet<Operation *> slice;
  SmallVector<Value> pending(wanted);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !(op = block.findAncestorOpInBlock(*op)) || !slice.insert(op).second)
      continue;
    op->walk([&](Operation *nested) { llvm::append_range(pending, nested->getOperands()); });
  }
  return slice;
}

SmallVector<Interval> IntervalBuilder::evaluate(Region &region, ArrayRef<Interval> arguments, ArrayRef<Value> wanted) {
  Location loc = b.getLoc();
  Block &block = region.front();
  for (auto [argument, interval] : llvm::zip_equal(block.getArguments(), arguments))
    known[argument] = interval;
  llvm::DenseSet<Operation *> slice = findSlice(block, wanted);
  for (Operation &op : block.without_terminator())
    if (slice.contains(&op))
      visitOp(op);
  b.setLoc(loc);
  return llvm::map_to_vector(wanted, [&](Value value) { return lookup(value); });
}

void IntervalBuilder::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    visitOp(op);
}

void IntervalBuilder::visitOp(Operation &op) {
  b.setLoc(op.getLoc());
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch->getNumResults() > 0) {
    ++depth;
    visitBlock(*branch.thenBlock());
    visitBlock(*branch.elseBlock());
    --depth;
    for (OpResult result : branch->getResults())
      known[result] = visitBranch(branch, result.getResultNumber());
  } else if (op.getNumResults() == 1) {
    known[op.getResult(0)] = visit(op);
    noteUnknown(op);
  }
}

/// Whether nothing is known of a value; `interval` is what is known.
static bool isUnknown(const Interval &interval) {
  if (!interval.isKnown())
    return !interval.exact;
  return interval.lo.getType().isInteger(1) && matchPattern(interval.lo, m_Zero()) &&
         matchPattern(interval.hi, m_One());
}

void IntervalBuilder::noteUnknown(Operation &op) {
  auto isKnown = [&](Value operand) { return !isUnknown(lookup(operand)); };
  if (!unknownOp && isUnknown(known[op.getResult(0)]) && llvm::all_of(op.getOperands(), isKnown))
    unknownOp = &op;
}

Interval IntervalBuilder::lookup(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  // What is neither an argument nor computed in the region is captured.
  Operation *op = value.getDefiningOp();
  bool isConstant = op && op->hasTrait<OpTrait::ConstantLike>();
  bool isCaptured = value.getParentRegion()->isAncestor(b.getInsertionBlock()->getParent());
  return isConstant || isCaptured ? getExact(value) : getUnknown(value.getType());
}

Interval IntervalBuilder::visitBranch(scf::IfOp branch, unsigned result) {
  Interval lhs = lookup(branch.thenYield().getOperand(result)), rhs = lookup(branch.elseYield().getOperand(result));
  return select(lookup(branch.getCondition()), lhs, rhs, branch->getResult(result).getType());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool IntervalBuilder::hasExactOperands(Operation &op) {
  return llvm::all_of(op.getOperands(), [&](Value operand) { return static_cast<bool>(lookup(operand).exact); });
}

/// `bounds`, and the value itself: the op on exact operands.
Interval IntervalBuilder::cloneExact(Operation &op, Interval bounds) {
  IRMapping mapping;
  for (Value operand : op.getOperands())
    mapping.map(operand, lookup(operand).exact);
  Operation *clone = op.clone(mapping);
  SmallVector<Value> folded;
  if (succeeded(b.tryFold(clone, folded)) && !folded.empty()) {
    clone->erase();
  } else {
    b.insert(clone);
    folded = {clone->getResult(0)};
  }
  Interval exact = getExact(folded.front());
  // What is computed is not known to the last bit, what is loaded is.
  if (folded.front().getType().isF32() && !isa<memref::LoadOp, tensor::ExtractOp>(op) &&
      !op.hasTrait<OpTrait::ConstantLike>()) {
    exact.lo = bounds.lo;
    exact.hi = bounds.hi;
    return exact;
  }
  if (exact.isKnown() && bounds.isKnown()) {
    exact.bits = std::min(exact.bits, bounds.bits);
    exact.nonNegative |= bounds.nonNegative;
  }
  return exact;
}

static Interval getDim(IntervalBuilder &builder, Operation *clone) { return builder.getPosition(clone->getResult(0)); }

Interval IntervalBuilder::visit(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return visitLoad(op, load.getMemRef(), load.getIndices());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return visitLoad(op, extract.getTensor(), extract.getIndices());
  bool isExact = hasExactOperands(op) && op.getNumRegions() == 0;
  if (isa<memref::DimOp, tensor::DimOp>(op) && isExact && depth == 0) {
    IRMapping mapping;
    for (Value operand : op.getOperands())
      mapping.map(operand, lookup(operand).exact);
    return getDim(*this, b.clone(op, mapping));
  }
  Type type = op.getResult(0).getType();
  Interval result = getUnknown(type);
  if (isa<arith::CmpIOp>(op))
    result = compare(op);
  else if (isa<arith::CmpFOp>(op))
    result = compareFloat(op);
  else if (auto choice = dyn_cast<arith::SelectOp>(op))
    result = select(lookup(choice.getCondition()), lookup(choice.getTrueValue()), lookup(choice.getFalseValue()), type);
  else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    result = visitCast(op);
  else if (type.isF32())
    result = visitFloat(op);
  else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    result = visitConversion(op);
  else if (type.isInteger(1))
    result = visitBoolean(op);
  else if (type.isIntOrIndex())
    result = visitInteger(op);
  // A target may compute a function of one number in another way than that of many.
  if (type.isF32() && isa<math::MathDialect>(op.getDialect()))
    return result;
  // A division by zero must not be made where the op is not reached.
  return isExact && isPure(&op) ? cloneExact(op, result) : result;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Folds the elements of a box into `least` and `greatest`; an i1 in the way of intervals.
static std::pair<Value, Value> scanBox(OpBuilder &builder, Location loc, Value source, const IntervalBuilder::Box &box,
                                       size_t dim, SmallVector<Value> indices, Value least, Value greatest) {
  ImplicitLocOpBuilder b(loc, builder);
  bool isBoolean = least.getType().isInteger(1);
  if (dim == box.begin.size()) {
    Value element = isa<MemRefType>(source.getType()) ? memref::LoadOp::create(b, source, indices).getResult()
                                                      : tensor::ExtractOp::create(b, source, indices).getResult();
    if (isBoolean)
      return {arith::AndIOp::create(b, least, element), arith::OrIOp::create(b, greatest, element)};
    return {arith::MinSIOp::create(b, least, element), arith::MaxSIOp::create(b, greatest, element)};
  }
  indices.push_back(box.begin[dim]);
  if (!box.end[dim])
    return scanBox(b, loc, source, box, dim + 1, indices, least, greatest);
  Value end = box.end[dim];
  if (isBoolean) {
    // Nothing more is to be learned once both values were seen.
    Value all = arith::XOrIOp::create(b, least, arith::ConstantIntOp::create(b, 1, 1));
    Value isDecided = arith::AndIOp::create(b, all, greatest);
    end = arith::SelectOp::create(b, isDecided, box.begin[dim], end);
  }
  auto loop =
      scf::ForOp::create(b, box.begin[dim], end, arith::ConstantIndexOp::create(b, 1), ValueRange{least, greatest},
                         [&](OpBuilder &nested, Location, Value index, ValueRange carried) {
                           indices.back() = index;
                           auto [lo, hi] = scanBox(nested, loc, source, box, dim + 1, indices, carried[0], carried[1]);
                           scf::YieldOp::create(nested, loc, ValueRange{lo, hi});
                         });
  return {loop.getResult(0), loop.getResult(1)};
}

Interval IntervalBuilder::visitLoad(Operation &op, Value source, ValueRange indices) {
  if (depth == 0 && hasExactOperands(op))
    return cloneExact(op, Interval());
  Value exact = lookup(source).exact;
  if (!exact)
    return getUnknown(op.getResult(0).getType());
  return load(exact, llvm::map_to_vector(indices, [&](Value index) { return lookup(index); }));
}

/// Elements of a box up to which it is counted.
static constexpr int64_t kCountLimit = 1 << 24;

Value IntervalBuilder::addDimension(Box &box, Value source, int64_t dim, const Interval &index, Value count) {
  if (index.exact && depth == 0) {
    box.begin.push_back(index.exact);
    box.end.push_back(Value());
    return count;
  }
  // An index is in bounds by contract, its interval need not be.
  Value size = isa<MemRefType>(source.getType()) ? b.createOrFold<memref::DimOp>(source, dim)
                                                 : b.createOrFold<tensor::DimOp>(source, dim);
  Value zero = constant(0), one = constant(1);
  Value begin = index.isKnown() ? fold<arith::MaxSIOp>(index.lo, zero) : zero;
  Value end = size;
  if (index.isKnown())
    end = fold<arith::AddIOp>(fold<arith::MinSIOp>(index.hi, fold<arith::SubIOp>(size, one)), one);
  box.begin.push_back(begin);
  box.end.push_back(end);
  Value limit = constant(kCountLimit), extent = fold<arith::MaxSIOp>(fold<arith::SubIOp>(end, begin), zero);
  return fold<arith::MinSIOp>(fold<arith::MulIOp>(count, fold<arith::MinSIOp>(extent, limit)), limit);
}

Interval IntervalBuilder::load(Value source, ArrayRef<Interval> indices) {
  Type type = cast<ShapedType>(source.getType()).getElementType();
  if (!type.isIntOrIndex() || (type.isInteger() && type.getIntOrFloatBitWidth() > 64))
    return getUnknown(type);
  Box box;
  Value count = constant(1);
  for (auto [dim, index] : llvm::enumerate(indices))
    count = addDimension(box, source, dim, index, count);
  Value isSmall = less(count, constant(maxLoads), /*orEqual=*/true);
  for (auto [begin, end] : llvm::zip_equal(box.begin, box.end))
    if (end)
      end = b.createOrFold<arith::SelectOp>(isSmall, end, begin);
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto makeConstant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value.getSExtValue()));
  };
  Value greatest = width == 1 ? boolean(true) : makeConstant(APInt::getSignedMaxValue(width));
  Value least = width == 1 ? boolean(false) : makeConstant(APInt::getSignedMinValue(width));
  auto [lo, hi] = scanBox(b, b.getLoc(), source, box, 0, {}, greatest, least);
  lo = b.createOrFold<arith::SelectOp>(isSmall, lo, least);
  hi = b.createOrFold<arith::SelectOp>(isSmall, hi, greatest);
  if (width == 1)
    return getBounds(lo, hi, 1, true);
  auto toIndex = [&](Value value) {
    return type.isIndex() ? value : b.createOrFold<arith::IndexCastOp>(b.getIndexType(), value);
  };
  return getBounds(toIndex(lo), toIndex(hi), width - 1, /*nonNegative=*/false);
}
