//===- IntervalFloats.cpp - Intervals of f32 -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fovea::attn;

// Bounds hold for every way in which a target computes a value: each operation once rounded, a product and a sum
// rounded once together, products distributed over sums, and functions within their stated errors. Each of these
// differs from real arithmetic by a few units in the last place of an operand or of the result, which is what `widen`
// gives way for. Where a bound is not a number nothing is known.

/// Part of the largest operand or result by which bounds are moved, and what they are moved at least.
static constexpr float kRelativeError = 0x1p-20f, kAbsoluteError = 0x1p-100f;
/// Magnitudes up to which that holds: of larger ones, as of slopes that are cut, nothing is known. Divisors and
/// arguments of logarithms are at least its reciprocal.
static constexpr float kLargest = 0x1p60f, kLeast = 0x1p-60f;
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

static Value buildNumber(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

Value IntervalBuilder::number(float value) { return buildNumber(b, value); }

static Value buildSelect(ImplicitLocOpBuilder &b, Value condition, Value lhs, Value rhs) {
  return b.createOrFold<arith::SelectOp>(condition, lhs, rhs);
}

static Value buildCompare(ImplicitLocOpBuilder &b, arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpFOp>(predicate, lhs, rhs);
}

Interval IntervalBuilder::getRange(Value lo, Value hi) {
  Interval interval;
  interval.lo = lo;
  interval.hi = hi;
  return interval;
}

Value IntervalBuilder::getMagnitude(const Interval &value) {
  return fold<arith::MaximumFOp>(b.createOrFold<math::AbsFOp>(value.lo), b.createOrFold<math::AbsFOp>(value.hi));
}

Interval IntervalBuilder::widen(const Interval &value, Value magnitude) {
  Value error = fold<arith::AddFOp>(fold<arith::MulFOp>(magnitude, number(kRelativeError)), number(kAbsoluteError));
  Value isSmall = buildCompare(b, arith::CmpFPredicate::OLE, magnitude, number(kLargest));
  error = buildSelect(b, isSmall, error, number(kNaN));
  return getRange(fold<arith::SubFOp>(value.lo, error), fold<arith::AddFOp>(value.hi, error));
}

Interval IntervalBuilder::spanAll(ArrayRef<Value> values) {
  Value lo = values.front(), hi = lo;
  for (Value value : values.drop_front()) {
    lo = fold<arith::MinimumFOp>(lo, value);
    hi = fold<arith::MaximumFOp>(hi, value);
  }
  return getRange(lo, hi);
}

Interval IntervalBuilder::negateFloat(const Interval &value) {
  return getRange(b.createOrFold<arith::NegFOp>(value.hi), b.createOrFold<arith::NegFOp>(value.lo));
}

/// `magnitude`: of what else is rounded together with the sum; null: nothing.
Interval IntervalBuilder::addFloat(const Interval &lhs, const Interval &rhs, Value magnitude) {
  Value largest = fold<arith::MaximumFOp>(getMagnitude(lhs), getMagnitude(rhs));
  if (magnitude)
    largest = fold<arith::MaximumFOp>(largest, magnitude);
  return widen(getRange(fold<arith::AddFOp>(lhs.lo, rhs.lo), fold<arith::AddFOp>(lhs.hi, rhs.hi)), largest);
}

template <typename OpTy> Interval IntervalBuilder::spanBounds(const Interval &lhs, const Interval &rhs) {
  SmallVector<Value, 4> values;
  for (Value l : {lhs.lo, lhs.hi})
    for (Value r : {rhs.lo, rhs.hi})
      values.push_back(fold<OpTy>(l, r));
  return spanAll(values);
}

Interval IntervalBuilder::multiplyFloat(const Interval &lhs, const Interval &rhs) {
  Interval product = spanBounds<arith::MulFOp>(lhs, rhs);
  return widen(product, getMagnitude(product));
}

/// A divisor is one number, or may be one of either sign: then nothing is known.
Interval IntervalBuilder::divideFloat(const Interval &lhs, const Interval &rhs) {
  Interval quotient = spanBounds<arith::DivFOp>(lhs, rhs);
  Value isPositive = buildCompare(b, arith::CmpFPredicate::OGE, rhs.lo, number(kLeast));
  Value isNegative = buildCompare(b, arith::CmpFPredicate::OLE, rhs.hi, number(-kLeast));
  Value magnitude = buildSelect(b, fold<arith::OrIOp>(isPositive, isNegative), getMagnitude(quotient), number(kNaN));
  return widen(quotient, magnitude);
}

Interval IntervalBuilder::minMaxFloat(const Interval &lhs, const Interval &rhs, bool isMin) {
  auto build = [&](Value l, Value r) { return isMin ? fold<arith::MinimumFOp>(l, r) : fold<arith::MaximumFOp>(l, r); };
  return getRange(build(lhs.lo, rhs.lo), build(lhs.hi, rhs.hi));
}

/// |value| up to which a float is taken for a number with a fraction; larger ones are integers or too large.
static constexpr float kLargestFraction = 0x1p23f;

/// The largest integer that is not above `value`, without a function that a target may have to call.
static Value buildFloor(ImplicitLocOpBuilder &b, Value value) {
  auto number = [&](float f) { return buildNumber(b, f); };
  Value isSmall =
      buildCompare(b, arith::CmpFPredicate::OLT, b.createOrFold<math::AbsFOp>(value), number(kLargestFraction));
  Value safe = buildSelect(b, isSmall, value, number(0.0f));
  Value whole = b.createOrFold<arith::SIToFPOp>(b.getF32Type(), b.createOrFold<arith::FPToSIOp>(b.getI32Type(), safe));
  Value isAbove = buildCompare(b, arith::CmpFPredicate::OGT, whole, safe);
  Value below = b.createOrFold<arith::SubFOp>(whole, buildSelect(b, isAbove, number(1.0f), number(0.0f)));
  return buildSelect(b, isSmall, below, value);
}

/// Functions that round to integers, each monotone.
Interval IntervalBuilder::roundFloat(Operation &op, const Interval &value) {
  auto ceil = [&](Value v) { return b.createOrFold<arith::NegFOp>(buildFloor(b, b.createOrFold<arith::NegFOp>(v))); };
  if (isa<math::FloorOp>(op))
    return getRange(buildFloor(b, value.lo), buildFloor(b, value.hi));
  if (isa<math::CeilOp>(op))
    return getRange(ceil(value.lo), ceil(value.hi));
  return getRange(buildFloor(b, value.lo), ceil(value.hi));
}

/// The logarithm to base 2 of a normal positive number, off by less than `kLogError`: exponent and fraction, as its
/// bits have them, are within 0.0861 of it, and a parabola makes up for most.
static constexpr float kLogError = 0.0096f;

static Value buildRoughLog2(ImplicitLocOpBuilder &b, Value value) {
  auto number = [&](float f) { return buildNumber(b, f); };
  auto integer = [&](int64_t i) { return arith::ConstantIntOp::create(b, i, 32).getResult(); };
  Value bits = b.createOrFold<arith::BitcastOp>(b.getI32Type(), value);
  Value exponent = b.createOrFold<arith::SubIOp>(b.createOrFold<arith::ShRUIOp>(bits, integer(23)), integer(127));
  Value one = b.createOrFold<arith::OrIOp>(b.createOrFold<arith::AndIOp>(bits, integer(0x7fffff)), integer(0x3f800000));
  Value fraction = b.createOrFold<arith::SubFOp>(b.createOrFold<arith::BitcastOp>(b.getF32Type(), one), number(1.0f));
  Value parabola = b.createOrFold<arith::MulFOp>(fraction, b.createOrFold<arith::SubFOp>(number(1.0f), fraction));
  Value sum = b.createOrFold<arith::AddFOp>(b.createOrFold<arith::SIToFPOp>(b.getF32Type(), exponent), fraction);
  return b.createOrFold<arith::AddFOp>(sum, b.createOrFold<arith::MulFOp>(parabola, number(0.34f)));
}

Interval IntervalBuilder::logarithm(const Interval &value, float factor) {
  auto bound = [&](Value v, float error) {
    // Of other numbers the bits are no logarithm.
    Value isNormal = buildCompare(b, arith::CmpFPredicate::OGE, v, number(kLeast));
    Value isSmall = buildCompare(b, arith::CmpFPredicate::OLE, v, number(kLargest));
    Value log = fold<arith::AddFOp>(buildRoughLog2(b, v), number(error));
    return buildSelect(b, fold<arith::AndIOp>(isNormal, isSmall), log, number(kNaN));
  };
  Interval log2 = getRange(bound(value.lo, -kLogError), bound(value.hi, kLogError));
  return multiplyFloat(log2, getRange(number(factor), number(factor)));
}

Interval IntervalBuilder::toFloat(const Interval &value) {
  auto convert = [&](Value index) {
    return b.createOrFold<arith::SIToFPOp>(b.getF32Type(), b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index));
  };
  Interval converted = getRange(convert(value.lo), convert(value.hi));
  Value magnitude = getMagnitude(converted);
  // Smaller integers are exact, and so is a sum with a few columns.
  Value isExact = buildCompare(b, arith::CmpFPredicate::OLT, magnitude, number(0x1p23f));
  Interval widened = widen(converted, magnitude);
  return getRange(buildSelect(b, isExact, converted.lo, widened.lo), buildSelect(b, isExact, converted.hi, widened.hi));
}

Interval IntervalBuilder::toInteger(const Interval &value, Type type, bool isSigned) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 8 || width > 64)
    return Interval();
  // What the type has room for, and room for the conversion.
  float limit = std::ldexp(1.0f, std::min<int>(width - 1, 61));
  Value fits = fold<arith::AndIOp>(buildCompare(b, isSigned ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OGE,
                                                value.lo, number(isSigned ? -limit : 0.0f)),
                                   buildCompare(b, arith::CmpFPredicate::OLT, value.hi, number(limit)));
  auto convert = [&](Value bound, int64_t otherwise) {
    Value safe = buildSelect(b, fits, bound, number(0.0f));
    Value integer = b.createOrFold<arith::FPToSIOp>(b.getI64Type(), safe);
    return buildSelect(b, fits, b.createOrFold<arith::IndexCastOp>(b.getIndexType(), integer), constant(otherwise));
  };
  if (width == 64)
    return getBounds(convert(value.lo, std::numeric_limits<int64_t>::min()),
                     convert(value.hi, std::numeric_limits<int64_t>::max()), 63, /*nonNegative=*/false);
  return getBounds(convert(value.lo, llvm::minIntN(width)), convert(value.hi, llvm::maxIntN(width)), width - 1,
                   /*nonNegative=*/false);
}

Interval IntervalBuilder::visitConversion(Operation &op) {
  Interval value = lookup(op.getOperand(0));
  bool isKnown = op.getOperand(0).getType().isF32() && value.isKnown();
  Type type = op.getResult(0).getType();
  return isKnown ? toInteger(value, type, isa<arith::FPToSIOp>(op)) : getUnknown(type);
}

Interval IntervalBuilder::compareFloat(Operation &operation) {
  using P = arith::CmpFPredicate;
  auto op = cast<arith::CmpFOp>(operation);
  Interval lhs = lookup(op.getLhs()), rhs = lookup(op.getRhs());
  P predicate = op.getPredicate();
  if (!lhs.isKnown() || !rhs.isKnown())
    return getUnknown(op.getType());
  // A value that is known is a number, so that ordered and unordered predicates are one.
  if (llvm::is_contained({P::OGT, P::OGE, P::UGT, P::UGE}, predicate))
    std::swap(lhs, rhs);
  bool isLess = llvm::is_contained({P::OLT, P::ULT, P::OGT, P::UGT}, predicate);
  bool isAtMost = llvm::is_contained({P::OLE, P::ULE, P::OGE, P::UGE}, predicate);
  if (isLess || isAtMost) {
    Value always = buildCompare(b, isLess ? P::OLT : P::OLE, lhs.hi, rhs.lo);
    return getBounds(always, negate(buildCompare(b, isLess ? P::OGE : P::OGT, lhs.lo, rhs.hi)), 1, true);
  }
  bool isEqual = predicate == P::OEQ || predicate == P::UEQ;
  if (!isEqual && predicate != P::ONE && predicate != P::UNE)
    return getUnknown(op.getType());
  Value same = fold<arith::AndIOp>(buildCompare(b, P::OLE, lhs.hi, rhs.lo), buildCompare(b, P::OLE, rhs.hi, lhs.lo));
  Value apart = fold<arith::OrIOp>(buildCompare(b, P::OLT, lhs.hi, rhs.lo), buildCompare(b, P::OLT, rhs.hi, lhs.lo));
  return isEqual ? getBounds(same, negate(apart), 1, true) : getBounds(apart, negate(same), 1, true);
}

Interval IntervalBuilder::selectFloat(const Interval &condition, const Interval &lhs, const Interval &rhs) {
  auto choose = [&](Value l, Value r, Value joined) {
    return buildSelect(b, condition.lo, l, buildSelect(b, condition.hi, joined, r));
  };
  return getRange(choose(lhs.lo, rhs.lo, fold<arith::MinimumFOp>(lhs.lo, rhs.lo)),
                  choose(lhs.hi, rhs.hi, fold<arith::MaximumFOp>(lhs.hi, rhs.hi)));
}

Interval IntervalBuilder::visitFloat(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>())
    return getExact(b.clone(op)->getResult(0));
  SmallVector<Interval> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(lookup(operand));
    bool hasBounds = operand.getType().isF32() || (isa<arith::SIToFPOp>(op) && operand.getType().isInteger());
    if (!operands.back().isKnown() || !hasBounds)
      return Interval();
  }
  if (isa<arith::SIToFPOp>(op))
    return toFloat(operands[0]);
  if (isa<arith::NegFOp>(op))
    return negateFloat(operands[0]);
  if (isa<arith::AddFOp>(op))
    return addFloat(operands[0], operands[1]);
  if (isa<arith::SubFOp>(op))
    return addFloat(operands[0], negateFloat(operands[1]));
  if (isa<arith::MulFOp>(op))
    return multiplyFloat(operands[0], operands[1]);
  if (isa<arith::DivFOp>(op))
    return divideFloat(operands[0], operands[1]);
  if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MaxNumFOp>(op))
    return minMaxFloat(operands[0], operands[1], isa<arith::MinimumFOp, arith::MinNumFOp>(op));
  if (isa<math::FmaOp>(op)) {
    Interval product = multiplyFloat(operands[0], operands[1]);
    return addFloat(product, operands[2], getMagnitude(product));
  }
  if (isa<math::AbsFOp>(op)) {
    Interval mirrored = negateFloat(operands[0]);
    Value least = fold<arith::MaximumFOp>(fold<arith::MaximumFOp>(operands[0].lo, mirrored.lo), number(0.0f));
    return getRange(least, fold<arith::MaximumFOp>(operands[0].hi, mirrored.hi));
  }
  if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp>(op))
    return roundFloat(op, operands[0]);
  if (isa<math::Log2Op>(op))
    return logarithm(operands[0], 1.0f);
  if (isa<math::LogOp>(op))
    return logarithm(operands[0], 0.6931471805599453f);
  if (isa<math::Log10Op>(op))
    return logarithm(operands[0], 0.30102999566398120f);
  return Interval();
}
