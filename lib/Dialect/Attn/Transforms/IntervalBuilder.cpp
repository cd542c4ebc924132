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
