//===- IntervalArithmetic.cpp - Arithmetic on intervals -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea::attn;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value IntervalBuilder::constant(int64_t value) { return b.createOrFold<arith::ConstantIndexOp>(value); }

Value IntervalBuilder::boolean(bool value) { return arith::ConstantOp::create(b, b.getBoolAttr(value)); }

Value IntervalBuilder::negate(Value condition) { return fold<arith::XOrIOp>(condition, boolean(true)); }

Value IntervalBuilder::less(Value lhs, Value rhs, bool orEqual) {
  return b.createOrFold<arith::CmpIOp>(orEqual ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt, lhs, rhs);
}

Interval IntervalBuilder::getBounds(Value lo, Value hi, unsigned bits, bool nonNegative) {
  Interval interval;
  interval.lo = lo;
  interval.hi = hi;
  interval.bits = bits;
  interval.nonNegative = nonNegative;
  return interval;
}

Interval IntervalBuilder::getUnknown(Type type) {
  return type.isInteger(1) ? getBounds(boolean(false), boolean(true), 1, true) : Interval();
}

/// Bits of the magnitude of a known constant.
static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

static unsigned getMagnitudeBits(int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return std::min<unsigned>(llvm::bit_width(magnitude), 63);
}

Interval IntervalBuilder::getExact(Value value) {
  Type type = value.getType();
  Interval interval;
  if (type.isInteger(1)) {
    interval = getBounds(value, value, 1, true);
  } else if (type.isIndex() || (type.isInteger() && type.getIntOrFloatBitWidth() <= 64)) {
    Value index = type.isIndex() ? value : b.createOrFold<arith::IndexCastOp>(b.getIndexType(), value);
    std::optional<int64_t> constant = getConstant(index);
    unsigned bits = constant ? getMagnitudeBits(*constant) : type.isIndex() ? 63 : type.getIntOrFloatBitWidth() - 1;
    interval = getBounds(index, index, bits, constant && *constant >= 0);
  } else if (type.isF32()) {
    interval = getRange(value, value);
  }
  interval.exact = value;
  return interval;
}

Interval IntervalBuilder::fit(Interval value, Type type) {
  if (!value.isKnown())
    return value;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (value.bits < width)
    return value;
  if (width >= 64)
    return Interval();
  Value least = constant(llvm::minIntN(width)), greatest = constant(llvm::maxIntN(width));
  Value fits = fold<arith::AndIOp>(less(least, value.lo, true), less(value.hi, greatest, true));
  return getBounds(b.createOrFold<arith::SelectOp>(fits, value.lo, least),
                   b.createOrFold<arith::SelectOp>(fits, value.hi, greatest), width - 1, /*nonNegative=*/false);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Magnitudes that may be added, and multiplied, without an overflow of 64 bits.
static constexpr unsigned kTermBits = 61, kFactorBits = 31;

Value IntervalBuilder::staysBelow(const Interval &value, unsigned bits) {
  if (value.bits < bits)
    return boolean(true);
  int64_t limit = int64_t(1) << bits;
  return fold<arith::AndIOp>(less(constant(-limit), value.lo, false), less(value.hi, constant(limit), false));
}

Interval IntervalBuilder::getBoundsIf(Value holds, Value lo, Value hi) {
  Value least = constant(std::numeric_limits<int64_t>::min()), greatest = constant(std::numeric_limits<int64_t>::max());
  return getBounds(b.createOrFold<arith::SelectOp>(holds, lo, least),
                   b.createOrFold<arith::SelectOp>(holds, hi, greatest), 63, /*nonNegative=*/false);
}

Interval IntervalBuilder::getSum(const Interval &lhs, const Interval &rhs, Value lo, Value hi, bool nonNegative) {
  unsigned bits = std::max(lhs.bits, rhs.bits) + 1;
  if (bits <= 63)
    return getBounds(lo, hi, bits, nonNegative);
  return getBoundsIf(fold<arith::AndIOp>(staysBelow(lhs, kTermBits), staysBelow(rhs, kTermBits)), lo, hi);
}

Interval IntervalBuilder::add(const Interval &lhs, const Interval &rhs) {
  Value lo = fold<arith::AddIOp>(lhs.lo, rhs.lo), hi = fold<arith::AddIOp>(lhs.hi, rhs.hi);
  return getSum(lhs, rhs, lo, hi, lhs.nonNegative && rhs.nonNegative);
}

Interval IntervalBuilder::subtract(const Interval &lhs, const Interval &rhs) {
  Value lo = fold<arith::SubIOp>(lhs.lo, rhs.hi), hi = fold<arith::SubIOp>(lhs.hi, rhs.lo);
  return getSum(lhs, rhs, lo, hi, /*nonNegative=*/false);
}

Interval IntervalBuilder::multiply(const Interval &lhs, const Interval &rhs) {
  unsigned bits = lhs.bits + rhs.bits;
  bool isSmall = bits <= 62;
  if (isSmall && lhs.nonNegative && rhs.nonNegative)
    return getBounds(fold<arith::MulIOp>(lhs.lo, rhs.lo), fold<arith::MulIOp>(lhs.hi, rhs.hi), bits, true);
  Value lo, hi;
  for (Value l : {lhs.lo, lhs.hi})
    for (Value r : {rhs.lo, rhs.hi}) {
      Value product = fold<arith::MulIOp>(l, r);
      lo = lo ? fold<arith::MinSIOp>(lo, product) : product;
      hi = hi ? fold<arith::MaxSIOp>(hi, product) : product;
    }
  if (isSmall)
    return getBounds(lo, hi, bits, false);
  return getBoundsIf(fold<arith::AndIOp>(staysBelow(lhs, kFactorBits), staysBelow(rhs, kFactorBits)), lo, hi);
}

/// Division by one positive number is monotone, whichever way it rounds. What divides may be learned when the code runs
/// and not be positive: a quotient is no larger than what is divided.
Interval IntervalBuilder::divide(Operation &op, const Interval &lhs, const Interval &rhs) {
  std::optional<int64_t> divisor = rhs.isPoint() ? getConstant(rhs.lo) : std::nullopt;
  bool isUnsigned = isa<arith::DivUIOp, arith::CeilDivUIOp>(op);
  if (!rhs.isPoint() || (divisor && *divisor <= 0) || (!lhs.nonNegative && (isUnsigned || (!divisor && lhs.bits > 62))))
    return Interval();
  auto build = [&](Value value, Value by) -> Value {
    if (isa<arith::FloorDivSIOp>(op))
      return fold<arith::FloorDivSIOp>(value, by);
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      return fold<arith::CeilDivSIOp>(value, by);
    return fold<arith::DivSIOp>(value, by);
  };
  if (divisor)
    return getBounds(build(lhs.lo, rhs.lo), build(lhs.hi, rhs.lo), lhs.bits, lhs.nonNegative);
  Value safe = fold<arith::MaxSIOp>(rhs.lo, constant(1)), isPositive = less(constant(0), rhs.lo, false);
  Interval mirrored = subtract(getExact(constant(0)), lhs);
  Value least = isUnsigned ? constant(0) : fold<arith::MinSIOp>(lhs.lo, mirrored.lo);
  Value greatest = isUnsigned ? lhs.hi : fold<arith::MaxSIOp>(lhs.hi, mirrored.hi);
  return getBounds(b.createOrFold<arith::SelectOp>(isPositive, build(lhs.lo, safe), least),
                   b.createOrFold<arith::SelectOp>(isPositive, build(lhs.hi, safe), greatest), lhs.bits, isUnsigned);
}

/// A remainder runs through the numbers below the divisor, without a jump where the quotient stays the same; that of a
/// number that is not negative is no larger than the number, whatever divides. A constant divisor bounds the remainder
/// of every number.
Interval IntervalBuilder::remainder(const Interval &lhs, const Interval &rhs, bool isSigned) {
  std::optional<int64_t> constantDivisor = rhs.isPoint() ? getConstant(rhs.lo) : std::nullopt;
  bool isNonNegative = lhs.isKnown() && lhs.nonNegative;
  if (!rhs.isPoint() || (constantDivisor ? *constantDivisor <= 0 : !isNonNegative))
    return Interval();
  Value divisor = rhs.lo, isPositive, last;
  unsigned bits = lhs.bits;
  if (constantDivisor) {
    bits = getMagnitudeBits(*constantDivisor);
    last = constant(*constantDivisor - 1);
    if (!isNonNegative)
      return getBounds(isSigned ? constant(1 - *constantDivisor) : constant(0), last, bits, !isSigned);
  } else {
    divisor = fold<arith::MaxSIOp>(rhs.lo, constant(1));
    isPositive = less(constant(0), rhs.lo, false);
  }
  Value first = fold<arith::DivUIOp>(lhs.lo, divisor), other = fold<arith::DivUIOp>(lhs.hi, divisor);
  Value isSame = less(other, first, /*orEqual=*/true);
  if (!constantDivisor) {
    isSame = fold<arith::AndIOp>(isPositive, isSame);
    last = fold<arith::SubIOp>(divisor, constant(1));
    last = fold<arith::MinSIOp>(lhs.hi, b.createOrFold<arith::SelectOp>(isPositive, last, lhs.hi));
  }
  return getBounds(b.createOrFold<arith::SelectOp>(isSame, fold<arith::RemUIOp>(lhs.lo, divisor), constant(0)),
                   b.createOrFold<arith::SelectOp>(isSame, fold<arith::RemUIOp>(lhs.hi, divisor), last), bits, true);
}

/// And, or, xor and shifts of numbers that are not negative.
Interval IntervalBuilder::combineBits(Operation &op, const Interval &lhs, const Interval &rhs) {
  std::optional<int64_t> number = rhs.isPoint() ? getConstant(rhs.lo) : std::nullopt;
  bool isShift = isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
  if (isShift && (!number || *number < 0 || *number > 62))
    return Interval();
  if (isa<arith::ShLIOp>(op))
    return multiply(lhs, getExact(constant(int64_t(1) << *number)));
  if (isShift) {
    if (isa<arith::ShRUIOp>(op) && !lhs.nonNegative)
      return Interval();
    return getBounds(fold<arith::ShRSIOp>(lhs.lo, rhs.lo), fold<arith::ShRSIOp>(lhs.hi, rhs.lo), lhs.bits,
                     lhs.nonNegative);
  }
  if (isa<arith::AndIOp>(op) && number && *number >= 0 && llvm::isPowerOf2_64(static_cast<uint64_t>(*number) + 1))
    return remainder(lhs, getExact(constant(*number + 1)), /*isSigned=*/false);
  if (!lhs.nonNegative || !rhs.nonNegative)
    return Interval();
  if (isa<arith::AndIOp>(op))
    return getBounds(constant(0), fold<arith::MinSIOp>(lhs.hi, rhs.hi), std::min(lhs.bits, rhs.bits), true);
  Interval sum = add(lhs, rhs);
  if (!sum.isKnown())
    return sum;
  sum.lo = isa<arith::OrIOp>(op) ? fold<arith::MaxSIOp>(lhs.lo, rhs.lo) : constant(0);
  return sum;
}

Interval IntervalBuilder::minMax(const Interval &lhs, const Interval &rhs, bool isMin) {
  auto build = [&](Value l, Value r) { return isMin ? fold<arith::MinSIOp>(l, r) : fold<arith::MaxSIOp>(l, r); };
  bool nonNegative = isMin ? lhs.nonNegative && rhs.nonNegative : lhs.nonNegative || rhs.nonNegative;
  return getBounds(build(lhs.lo, rhs.lo), build(lhs.hi, rhs.hi), std::max(lhs.bits, rhs.bits), nonNegative);
}

Interval IntervalBuilder::magnitude(const Interval &value) {
  Interval mirrored = subtract(getExact(constant(0)), value);
  Value lo = fold<arith::MaxSIOp>(fold<arith::MaxSIOp>(value.lo, mirrored.lo), constant(0));
  Value hi = fold<arith::MaxSIOp>(value.hi, mirrored.hi);
  return value.bits <= 62 ? getBounds(lo, hi, value.bits, true) : getBoundsIf(staysBelow(value, kTermBits), lo, hi);
}

Interval IntervalBuilder::visitInteger(Operation &op) {
  Type type = op.getResult(0).getType();
  if (op.hasTrait<OpTrait::ConstantLike>())
    return getExact(b.clone(op)->getResult(0));
  if (isa<math::AbsIOp>(op)) {
    Interval value = lookup(op.getOperand(0));
    return value.isKnown() ? fit(magnitude(value), type) : Interval();
  }
  if (op.getNumOperands() != 2)
    return Interval();
  Interval lhs = lookup(op.getOperand(0)), rhs = lookup(op.getOperand(1));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && rhs.isKnown())
    return remainder(lhs, rhs, isa<arith::RemSIOp>(op));
  if (!lhs.isKnown() || !rhs.isKnown())
    return Interval();
  if (isa<arith::AddIOp>(op))
    return fit(add(lhs, rhs), type);
  if (isa<arith::SubIOp>(op))
    return fit(subtract(lhs, rhs), type);
  if (isa<arith::MulIOp>(op))
    return fit(multiply(lhs, rhs), type);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return fit(divide(op, lhs, rhs), type);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return fit(combineBits(op, lhs, rhs), type);
  bool areNonNegative = lhs.nonNegative && rhs.nonNegative;
  if (isa<arith::MinSIOp>(op) || (isa<arith::MinUIOp>(op) && areNonNegative))
    return minMax(lhs, rhs, /*isMin=*/true);
  if (isa<arith::MaxSIOp>(op) || (isa<arith::MaxUIOp>(op) && areNonNegative))
    return minMax(lhs, rhs, /*isMin=*/false);
  return Interval();
}

Interval IntervalBuilder::visitCast(Operation &op) {
  Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  Interval value = lookup(op.getOperand(0));
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  if (to.isInteger(1))
    return getUnknown(to);
  if (from.isInteger(1)) {
    auto widen = [&](Value condition, int64_t taken) {
      return b.createOrFold<arith::SelectOp>(condition, constant(taken), constant(0));
    };
    return isUnsigned ? getBounds(widen(value.lo, 1), widen(value.hi, 1), 1, true)
                      : getBounds(widen(value.hi, -1), widen(value.lo, -1), 1, false);
  }
  if (!value.isKnown() || !from.isIntOrIndex() || !to.isIntOrIndex())
    return Interval();
  unsigned width = from.isIndex() ? 64 : from.getIntOrFloatBitWidth();
  if (!isUnsigned || value.nonNegative)
    return fit(value, to);
  if (width >= 64)
    return Interval();
  Value isPositive = less(constant(0), value.lo, true);
  return fit(getBounds(b.createOrFold<arith::SelectOp>(isPositive, value.lo, constant(0)),
                       b.createOrFold<arith::SelectOp>(isPositive, value.hi, constant(llvm::maxUIntN(width))), width,
                       true),
             to);
}

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

Interval IntervalBuilder::visitBoolean(Operation &op) {
  Type type = op.getResult(0).getType();
  if (op.hasTrait<OpTrait::ConstantLike>())
    return getExact(b.clone(op)->getResult(0));
  if (op.getNumOperands() != 2 || !op.getOperand(0).getType().isInteger(1))
    return getUnknown(type);
  Interval lhs = lookup(op.getOperand(0)), rhs = lookup(op.getOperand(1));
  if (isa<arith::AndIOp>(op))
    return getBounds(fold<arith::AndIOp>(lhs.lo, rhs.lo), fold<arith::AndIOp>(lhs.hi, rhs.hi), 1, true);
  if (isa<arith::OrIOp>(op))
    return getBounds(fold<arith::OrIOp>(lhs.lo, rhs.lo), fold<arith::OrIOp>(lhs.hi, rhs.hi), 1, true);
  if (!isa<arith::XOrIOp>(op))
    return getUnknown(type);
  // One holds always and the other never; one may hold and the other may not.
  auto build = [&](Value l, Value r, Value notL, Value notR) {
    return fold<arith::OrIOp>(fold<arith::AndIOp>(l, notR), fold<arith::AndIOp>(r, notL));
  };
  return getBounds(build(lhs.lo, rhs.lo, negate(lhs.hi), negate(rhs.hi)),
                   build(lhs.hi, rhs.hi, negate(lhs.lo), negate(rhs.lo)), 1, true);
}

Interval IntervalBuilder::compare(Operation &operation) {
  using P = arith::CmpIPredicate;
  auto op = cast<arith::CmpIOp>(operation);
  Interval lhs = lookup(op.getLhs()), rhs = lookup(op.getRhs());
  P predicate = op.getPredicate();
  bool isEquality = predicate == P::eq || predicate == P::ne;
  if (!lhs.isKnown() || !rhs.isKnown() || (lhs.lo.getType().isInteger(1) && !isEquality))
    return getUnknown(op.getType());
  if (lhs.lo.getType().isInteger(1)) {
    // Both hold always, or both never.
    Value never = fold<arith::AndIOp>(negate(lhs.hi), negate(rhs.hi));
    Value always = fold<arith::OrIOp>(fold<arith::AndIOp>(lhs.lo, rhs.lo), never);
    Value differ =
        fold<arith::OrIOp>(fold<arith::AndIOp>(lhs.lo, negate(rhs.hi)), fold<arith::AndIOp>(rhs.lo, negate(lhs.hi)));
    return predicate == P::eq ? getBounds(always, negate(differ), 1, true) : getBounds(differ, negate(always), 1, true);
  }
  if (isEquality) {
    Value always = fold<arith::AndIOp>(less(lhs.hi, rhs.lo, true), less(rhs.hi, lhs.lo, true));
    Value may = fold<arith::AndIOp>(less(lhs.lo, rhs.hi, true), less(rhs.lo, lhs.hi, true));
    return predicate == P::eq ? getBounds(always, may, 1, true) : getBounds(negate(may), negate(always), 1, true);
  }
  bool isUnsigned = predicate >= P::ult;
  if (isUnsigned && !(lhs.nonNegative && rhs.nonNegative)) {
    // Read as signed numbers they compare alike where none is negative.
    Value areNonNegative = fold<arith::AndIOp>(less(constant(0), lhs.lo, true), less(constant(0), rhs.lo, true));
    lhs.nonNegative = rhs.nonNegative = true;
    bool swaps = predicate == P::ugt || predicate == P::uge, orEqual = predicate == P::ule || predicate == P::uge;
    if (swaps)
      std::swap(lhs, rhs);
    Value always = fold<arith::AndIOp>(areNonNegative, less(lhs.hi, rhs.lo, orEqual));
    return getBounds(always, fold<arith::OrIOp>(negate(areNonNegative), less(lhs.lo, rhs.hi, orEqual)), 1, true);
  }
  if (llvm::is_contained({P::sgt, P::sge, P::ugt, P::uge}, predicate))
    std::swap(lhs, rhs);
  bool orEqual = llvm::is_contained({P::sle, P::sge, P::ule, P::uge}, predicate);
  return getBounds(less(lhs.hi, rhs.lo, orEqual), less(lhs.lo, rhs.hi, orEqual), 1, true);
}

Interval IntervalBuilder::select(const Interval &condition, const Interval &lhs, const Interval &rhs, Type type) {
  if (!condition.isKnown() || !lhs.isKnown() || !rhs.isKnown())
    return getUnknown(type);
  if (type.isInteger(1)) {
    Value both = fold<arith::AndIOp>(lhs.lo, rhs.lo);
    Value always = fold<arith::OrIOp>(fold<arith::AndIOp>(condition.lo, lhs.lo),
                                      fold<arith::AndIOp>(negate(condition.hi), rhs.lo));
    Value may = fold<arith::OrIOp>(fold<arith::AndIOp>(condition.hi, lhs.hi),
                                   fold<arith::AndIOp>(negate(condition.lo), rhs.hi));
    return getBounds(fold<arith::OrIOp>(always, both), may, 1, true);
  }
  if (type.isF32())
    return selectFloat(condition, lhs, rhs);
  if (!type.isIntOrIndex())
    return getUnknown(type);
  auto choose = [&](Value l, Value r, Value joined) -> Value {
    Value unlessAlways = b.createOrFold<arith::SelectOp>(condition.hi, joined, r);
    return b.createOrFold<arith::SelectOp>(condition.lo, l, unlessAlways);
  };
  return getBounds(choose(lhs.lo, rhs.lo, fold<arith::MinSIOp>(lhs.lo, rhs.lo)),
                   choose(lhs.hi, rhs.hi, fold<arith::MaxSIOp>(lhs.hi, rhs.hi)), std::max(lhs.bits, rhs.bits),
                   lhs.nonNegative && rhs.nonNegative);
}
