//===- Divisions.cpp - Integer divisions that every divisor has -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/Divisions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace fovea;

static bool isSignedQuotient(Operation *op) { return isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op); }

static bool isUnsignedDivision(Operation *op) { return isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(op); }

/// What is known of an integer from the `depth` ops that make it.
static ConstantIntRanges getRange(Value value, unsigned depth) {
  ConstantIntRanges range = ConstantIntRanges::maxRange(ConstantIntRanges::getStorageBitwidth(value.getType()));
  auto op = value.getDefiningOp<InferIntRangeInterface>();
  if (!op || depth == 0 || op->getNumRegions() != 0)
    return range;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    if (!getElementTypeOrSelf(operand).isIntOrIndex())
      return range;
    operands.push_back(getRange(operand, depth - 1));
  }
  op.inferResultRanges(operands, [&](Value result, const ConstantIntRanges &inferred) {
    if (result == value)
      range = inferred;
  });
  return range;
}

/// Whether a divisor is known to be one that MLIR's op has a value for.
static bool isDefinedFor(Operation *op, Value divisor) {
  constexpr unsigned kDepth = 4;
  ConstantIntRanges range = getRange(divisor, kDepth);
  if (range.umin().isZero() && range.smin().isNonPositive() && range.smax().isNonNegative())
    return false;
  bool mayBeMinusOne = range.umax().isAllOnes() && range.smin().isNegative() && range.smax().sge(-1);
  return isUnsignedDivision(op) || !mayBeMinusOne;
}

/// A number of an integer type or of a vector of it.
static Value makeConstant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  auto element = cast<TypedAttr>(b.getIntegerAttr(getElementTypeOrSelf(type), value));
  if (auto shaped = dyn_cast<ShapedType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(shaped, cast<Attribute>(element)));
  return arith::ConstantOp::create(b, element);
}

/// Numbers of one bit: what divides is 0 or -1, and each counts as 1, which the type does not have.
static Value replaceBit(ImplicitLocOpBuilder &b, Operation *op) {
  Value result = isSignedQuotient(op) ? op->getOperand(0) : makeConstant(b, op->getResult(0).getType(), 0);
  op->replaceAllUsesWith(ValueRange(result));
  op->erase();
  return result;
}

Value fovea::attn::guardDivision(Operation *op) {
  if (!isSignedQuotient(op) && !isUnsignedDivision(op) && !isa<arith::RemSIOp>(op))
    return {};
  Value dividend = op->getOperand(0), divisor = op->getOperand(1), result = op->getResult(0);
  if (isDefinedFor(op, divisor))
    return result;
  Type type = result.getType();
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (!isUnsignedDivision(op) && getElementTypeOrSelf(type).isInteger(1))
    return replaceBit(b, op);
  Value one = makeConstant(b, type, 1);
  if (isUnsignedDivision(op)) {
    op->setOperand(1, b.createOrFold<arith::MaxUIOp>(divisor, one));
    return result;
  }
  // What 0 and -1 divide is divided by 1; a quotient by -1 changes its sign.
  Value next = b.createOrFold<arith::AddIOp>(divisor, one);
  Value isTrivial = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule, next, one);
  op->setOperand(1, b.createOrFold<arith::SelectOp>(isTrivial, one, divisor));
  if (!isSignedQuotient(op))
    return result;
  Value negated = b.createOrFold<arith::SubIOp>(makeConstant(b, type, 0), dividend);
  Value isMinusOne = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, divisor, makeConstant(b, type, -1));
  b.setInsertionPointAfter(op);
  auto chosen = arith::SelectOp::create(b, isMinusOne, negated, result);
  result.replaceAllUsesExcept(chosen, chosen);
  return chosen;
}
