//===- Position.cpp - Integers of a tile in 32 bits -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Position.h"
#include "fovea/Dialect/Attn/Utils/Predicates.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// What bases are clamped to before they meet an offset.
static constexpr int64_t kBaseLimit = int64_t(1) << 30;
/// Offsets stay below in magnitude: the sum with a clamped base and a column number fits 32 bits, and has the sign that
/// it has with the whole base.
static constexpr int64_t kOffsetLimit = kBaseLimit - (int64_t(1) << 16);
/// What constants that join offsets stay below.
static constexpr int64_t kNearLimit = int64_t(1) << 28;

/// Factors of a column number whose products are exact as f32.
static constexpr int64_t kLargestFactor = 1 << 12;

static bool fits(int64_t low, int64_t high) { return low > -kOffsetLimit && high < kOffsetLimit; }

/// Bits of positions, and of constants that sums with them do not wrap around with.
static constexpr unsigned kNearBits = 62;

static std::optional<int64_t> getConstant(Value index) {
  if (!index)
    return 0;
  APInt value;
  if (!matchPattern(index, m_ConstantInt(&value)) || value.getSignificantBits() > kNearBits)
    return std::nullopt;
  return value.getSExtValue();
}

ArrayRef<int64_t> PositionMath::getShape(const Position &position) const {
  return position.isPerRow() ? shape.take_front() : shape;
}

Value PositionMath::constantTile(int64_t value, ArrayRef<int64_t> tile) const {
  return b.splat(arith::ConstantIntOp::create(b, value, 32), tile);
}

Value PositionMath::toI32(Value index) const { return b.createOrFold<arith::IndexCastOp>(b.getI32Type(), index); }

Value PositionMath::promote(Value offset) const {
  return getTileShape(offset).size() == 2 ? offset : b.broadcast(offset, shape[1]);
}

Position PositionMath::make(Value base, Value offset, int64_t low, int64_t high) const {
  Position result;
  result.base = base;
  bool isPerRow = getTileShape(offset).size() == 1;
  (isPerRow ? result.rows : result.rest) = offset;
  if (isPerRow)
    result.step = std::nullopt;
  // Bounds on both sides of 0 are bounds of each part of a sum, too.
  result.low = std::min<int64_t>(low, 0);
  result.high = std::max<int64_t>(high, 0);
  return result;
}

Position PositionMath::uniform(Value index) const {
  Position result;
  result.base = index;
  result.hasPositiveBase = getConstant(index).value_or(-1) >= 0;
  return result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// `lhs + sign * rhs` where either may be null, which is 0.
static Value addParts(TileBuilder &b, Value lhs, Value rhs, int64_t sign) {
  if (!rhs)
    return lhs;
  if (sign > 0)
    return lhs ? b.add(lhs, rhs) : rhs;
  if (lhs)
    return b.sub(lhs, rhs);
  auto zero = arith::ConstantOp::create(b, b.getZeroAttr(rhs.getType()));
  return b.sub(zero, rhs);
}

/// Whether a base is a constant with which sums of positions may wrap around, which clamped bases do not.
static bool isFar(Value base) {
  APInt value;
  return base && matchPattern(base, m_ConstantInt(&value)) && value.getSignificantBits() > kNearBits;
}

std::optional<Position> PositionMath::add(const Position &lhs, const Position &rhs, int64_t sign) const {
  if (isFar(lhs.base) || isFar(rhs.base))
    return std::nullopt;
  Position result;
  result.columns = lhs.columns + sign * rhs.columns;
  result.low = lhs.low + (sign > 0 ? rhs.low : -rhs.high);
  result.high = lhs.high + (sign > 0 ? rhs.high : -rhs.low);
  if (!fits(result.low, result.high))
    return std::nullopt;
  result.base = addParts(b, lhs.base, rhs.base, sign);
  result.rows = addParts(b, lhs.rows, rhs.rows, sign);
  result.step = lhs.step && rhs.step ? std::optional(*lhs.step + sign * *rhs.step) : std::nullopt;
  result.rest = addParts(b, lhs.rest, rhs.rest, sign);
  result.hasPositiveBase = sign > 0 && lhs.hasPositiveBase && rhs.hasPositiveBase;
  return result;
}

std::optional<Position> PositionMath::multiply(const Position &lhs, int64_t factor) const {
  if (factor < 0 || factor >= kNearLimit || lhs.low < -kOffsetLimit || !fits(lhs.low * factor, lhs.high * factor))
    return std::nullopt;
  auto scale = [&](Value part) -> Value {
    if (!part)
      return part;
    bool isIndex = part.getType().isIndex();
    return b.mul(part, isIndex ? b.index(factor) : constantTile(factor, getTileShape(part)));
  };
  Position result = lhs;
  result.base = scale(lhs.base);
  result.rows = scale(lhs.rows);
  result.rest = scale(lhs.rest);
  if (result.step)
    *result.step *= factor;
  result.columns *= factor;
  result.low *= factor;
  result.high *= factor;
  return result;
}

/// `floor((base + t) / m) = floor(base / m) + floor((base mod m + t) / m)`.
std::optional<Position> PositionMath::divide(const Position &lhs, int64_t divisor, bool remainder) const {
  if (divisor <= 0 || divisor >= kNearLimit || !lhs.isNonNegative() || !fits(0, lhs.high + divisor))
    return std::nullopt;
  Value offset = buildOffset(lhs), m = b.index(divisor), divisors = constantTile(divisor, getTileShape(offset));
  if (lhs.base)
    offset = b.add(offset, b.splat(toI32(b.rem(lhs.base, m)), getTileShape(offset)));
  if (remainder)
    return make(Value(), b.rem(offset, divisors), 0, divisor - 1);
  Position result = make(lhs.base ? b.floorDiv(lhs.base, m) : Value(), b.floorDiv(offset, divisors), 0,
                         (lhs.high + divisor - 1) / divisor);
  result.hasPositiveBase = true;
  return result;
}

/// Offsets below have quotients by multiplication, and cross at most one multiple of a divisor that is not less.
static constexpr int64_t kSmallDivisor = 1 << 15;
/// What a remainder and the multiple that it crosses are cut to, such that the remainder can be clamped.
static constexpr int64_t kRemainderLimit = int64_t(1) << 26;

/// With r = base mod m, `floor((base + t) / m) = floor(base / m) + floor((r + t) / m)`. For a small m that is a
/// quotient of x = r + t. A large m has its next multiple at t = m - r, if at all; moved to x = t + D - min(m - r, D)
/// with D = 2^15, which is m for a small m, it is where a quotient by D becomes 1. With t and D up to 2^15, x < 2^16,
/// and the quotient is that of (x + 1) * floor((2^32 - 1) / D) by 2^32: with the factor (2^32 - e) / D, 0 < e <= D, the
/// error of it is (x + 1) * e / (D * 2^32) <= 1 / D. A remainder is r + t less a multiple of m where there was one.
std::optional<Position> PositionMath::divideBy(const Position &lhs, Value divisor, bool remainder) const {
  if (!lhs.isNonNegative() || lhs.high >= kSmallDivisor)
    return std::nullopt;
  auto least = [&](Value l, Value r) { return b.createOrFold<arith::MinUIOp>(l, r); };
  Value m = divisor, base = lhs.base ? lhs.base : b.index(0), rest = b.rem(base, m), toNext = b.sub(m, rest);
  Value small = least(m, b.index(kSmallDivisor)), start = b.sub(small, least(toNext, small));
  Value offset = buildOffset(lhs);
  ArrayRef<int64_t> tile = getTileShape(offset);
  auto addUniform = [&](Value index) { return b.add(offset, b.splat(toI32(index), tile)); };
  // As i32: a 64-bit division would cost more.
  Value factor = b.floorDiv(b.i32(-1), toI32(small));
  Value steps = multiplyHigh(addUniform(b.add(start, b.index(1))), factor);
  if (!remainder) {
    Position result = make(b.floorDiv(base, m), steps, 0, lhs.high + 1);
    result.hasPositiveBase = true;
    return result;
  }
  // In 32 bits where a multiple is crossed.
  Value near = least(rest, b.index(kRemainderLimit - 1));
  Value crosses = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule, toNext, b.index(lhs.high));
  // Negated, so that a product and a sum are all that is done for each pair.
  Value multiple = b.sub(b.sub(start, near), small);
  Value result32 = b.add(addUniform(near), b.mul(steps, b.splat(toI32(multiple), tile)));
  Position result = make(b.select(crosses, b.index(0), b.sub(rest, near)), result32, 0, kRemainderLimit + lhs.high);
  result.hasPositiveBase = true;
  return result;
}

/// `floor(number * factor / 2^32)` of i32, unsigned.
Value PositionMath::multiplyHigh(Value number, Value factor) const {
  ArrayRef<int64_t> tile = getTileShape(number);
  auto wide = RankedTensorType::get(tile, b.getI64Type());
  auto extend = [&](Value value) { return b.createOrFold<arith::ExtUIOp>(wide, value); };
  Value product = b.mul(extend(number), extend(b.splat(factor, tile)));
  Value bits = b.splat(arith::ConstantIntOp::create(b, 32, 64), tile);
  return b.createOrFold<arith::TruncIOp>(RankedTensorType::get(tile, b.getI32Type()),
                                         b.createOrFold<arith::ShRUIOp>(product, bits));
}

/// Positions and constants stay below; other numbers are cut to it where only their side counts.
static constexpr int64_t kFar = int64_t(1) << (kNearBits - 1);

/// The distance from the base of `rhs` to that of `lhs`, right as long as it is less than 2^31, elsewhere not less and
/// of the right sign: numbers that a region captures may be any of 64 bits, whose difference wraps around.
Value PositionMath::buildDistance(const Position &lhs, const Position &rhs) const {
  auto isPositive = [](const Position &position) { return !position.base || position.hasPositiveBase; };
  auto isNear = [&](const Position &position) { return isPositive(position) || getConstant(position.base); };
  auto cut = [&](Value base, const Position &other) {
    Value above = b.max(base, b.index(-kFar));
    return isPositive(other) ? above : b.min(above, b.index(kFar));
  };
  Value l = lhs.base ? lhs.base : b.index(0), r = rhs.base ? rhs.base : b.index(0);
  if (isNear(lhs))
    return b.sub(l, isNear(rhs) ? r : cut(r, lhs));
  if (isNear(rhs))
    return b.sub(cut(l, rhs), r);
  Value limit = b.index(int64_t(1) << 31);
  Value isAbove = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sgt, l, r);
  Value above = b.createOrFold<arith::MinUIOp>(b.sub(l, r), limit);
  Value below = b.createOrFold<arith::MinUIOp>(b.sub(r, l), limit);
  return b.select(isAbove, above, b.sub(b.index(0), below));
}

/// A distance of bases beyond which an offset of `position` cannot change which of two numbers is larger, or 0.
static int64_t getReach(const Position &position) {
  int64_t reach = std::max(std::abs(position.low), std::abs(position.high)) + 1;
  return reach <= kNearLimit ? reach : 0;
}

/// With `d = lhs.base - limit`, the result is relative to `limit` where `lhs` can be near it, else to the base of
/// `lhs`. A distance so far to the other side that `limit` wins is cut to one that lets it win.
std::optional<Position> PositionMath::clamp(const Position &lhs, const Position &limit, bool isMax) const {
  int64_t reach = getReach(lhs);
  if (reach == 0 || !limit.isPerRow() || limit.rows)
    return std::nullopt;
  Value base = lhs.base ? lhs.base : b.index(0), goal = limit.base ? limit.base : b.index(0);
  std::optional<int64_t> knownBase = getConstant(base), knownGoal = getConstant(goal);
  bool isKnown = knownBase && knownGoal;
  if (isKnown && std::abs(*knownBase - *knownGoal) >= kNearLimit)
    return std::nullopt;
  if (isKnown)
    reach = std::max(reach, std::abs(*knownBase - *knownGoal));
  // A base that is known to be positive is never far below a small limit.
  bool staysNear = isKnown || (!isMax && lhs.hasPositiveBase && knownGoal && std::abs(*knownGoal) < kNearLimit);
  Value distance = buildDistance(lhs, limit), stop = b.index(0), resultBase = goal, offset = buildOffset(lhs);
  Value near = isMax ? b.max(distance, b.index(-reach)) : b.min(distance, b.index(reach));
  if (!staysNear) {
    auto predicate = isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
    Value isFar = b.createOrFold<arith::CmpIOp>(predicate, distance, b.index(isMax ? reach : -reach));
    near = b.select(isFar, b.index(0), near);
    stop = b.select(isFar, b.index(isMax ? -kBaseLimit : kBaseLimit), stop);
    resultBase = b.select(isFar, base, goal);
  }
  offset = b.add(offset, b.splat(toI32(near), getTileShape(offset)));
  Value stops = b.splat(toI32(stop), getTileShape(offset));
  Position result;
  if (isMax)
    result = make(resultBase, b.max(offset, stops), staysNear ? 0 : std::min<int64_t>(lhs.low, 0), lhs.high + reach);
  else
    result = make(resultBase, b.min(offset, stops), lhs.low - std::max(reach, std::abs(knownGoal.value_or(0))),
                  staysNear ? 0 : std::max<int64_t>(lhs.high, 0));
  result.hasPositiveBase = knownGoal && *knownGoal >= 0 && (isMax || staysNear);
  return result;
}

/// The offset with a base that is a small constant in it; null for another base.
Value PositionMath::foldBase(const Position &position) const {
  std::optional<int64_t> base = getConstant(position.base);
  if (!base || std::abs(*base) >= kNearLimit || !fits(position.low + *base, position.high + *base))
    return {};
  Value offset = buildOffset(position);
  return *base == 0 ? offset : b.add(offset, constantTile(*base, getTileShape(offset)));
}

std::optional<Position> PositionMath::select(Value condition, const Position &lhs, const Position &rhs) const {
  bool sameBase = lhs.base == rhs.base;
  Value onTrue = sameBase ? buildOffset(lhs) : foldBase(lhs);
  Value onFalse = !onTrue ? Value() : sameBase ? buildOffset(rhs) : foldBase(rhs);
  if (!onFalse)
    return std::nullopt;
  bool isTile = isa<RankedTensorType>(condition.getType());
  bool isFull = llvm::any_of(ArrayRef<Value>{onTrue, onFalse}, [](Value v) { return getTileShape(v).size() == 2; }) ||
                (isTile && getTileShape(condition).size() == 2);
  if (isFull) {
    onTrue = promote(onTrue);
    onFalse = promote(onFalse);
    if (isTile)
      condition = promote(condition);
  }
  if (!isTile)
    condition = b.splat(condition, getTileShape(onTrue));
  int64_t left = sameBase ? 0 : *getConstant(lhs.base), right = sameBase ? 0 : *getConstant(rhs.base);
  Position result = make(sameBase ? lhs.base : Value(), b.select(condition, onTrue, onFalse),
                         std::min(lhs.low + left, rhs.low + right), std::max(lhs.high + left, rhs.high + right));
  result.hasPositiveBase = sameBase ? lhs.hasPositiveBase && rhs.hasPositiveBase : true;
  return result;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

Value PositionMath::buildOffset(const Position &position) const {
  if (position.isPerRow())
    return position.rows ? position.rows : constantTile(0, shape.take_front());
  Value sum = position.rest;
  if (position.columns != 0) {
    Value columns = b.iota(shape, b.getI32Type(), 1);
    if (std::abs(position.columns) != 1)
      columns = b.mul(columns, constantTile(std::abs(position.columns), shape));
    sum = addParts(b, sum, columns, position.columns);
  }
  return position.rows ? b.add(sum, b.broadcast(position.rows, shape[1])) : sum;
}

/// The predicate for exchanged sides.
static arith::CmpIPredicate swap(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt:
    return P::sgt;
  case P::sle:
    return P::sge;
  case P::sgt:
    return P::slt;
  case P::sge:
    return P::sle;
  default:
    return predicate;
  }
}

Value PositionMath::compare(arith::CmpIPredicate predicate, const Position &lhs, const Position &rhs) const {
  if (attn::getSignedPredicate(predicate) != predicate && (!lhs.isNonNegative() || !rhs.isNonNegative()))
    return {};
  std::optional<Position> difference = add(lhs, rhs, -1);
  if (!difference)
    return {};
  predicate = attn::getSignedPredicate(predicate);
  Value distance = buildDistance(lhs, rhs);
  Value first = toI32(b.max(b.min(distance, b.index(kBaseLimit)), b.index(-kBaseLimit)));
  auto compareTo = [&](Value offset, Value bound) -> Value {
    return b.createOrFold<arith::CmpIOp>(predicate, offset, bound);
  };
  Value negated = b.sub(arith::ConstantIntOp::create(b, 0, 32), first);
  if (difference->isPerRow()) {
    Value offset = buildOffset(*difference);
    return compareTo(offset, b.splat(negated, getTileShape(offset)));
  }
  // What varies in a row against one bound for each row: nothing is subtracted for each pair. Column numbers alone are
  // compared as they are.
  bool isNegative = !difference->rest && difference->columns == -1;
  if (isNegative)
    predicate = swap(predicate);
  Value bound = isNegative ? first : negated, rows = difference->rows;
  difference->rows = {};
  Value numbers = isNegative ? b.iota(shape, b.getI32Type(), 1) : buildOffset(*difference);
  if (!rows)
    return compareTo(numbers, b.splat(bound, shape));
  Value bounds = addParts(b, b.splat(bound, shape.take_front()), rows, isNegative ? 1 : -1);
  return compareTo(numbers, b.broadcast(bounds, shape[1]));
}

std::optional<LinearForm> PositionMath::toFloat(const Position &position) const {
  if (position.rest || std::abs(position.columns) > kLargestFactor)
    return std::nullopt;
  Type f32 = b.getF32Type();
  Value shared;
  if (position.base) {
    Value base = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), position.base);
    shared = b.createOrFold<arith::SIToFPOp>(f32, base);
  }
  if (position.rows) {
    Value rows = arith::SIToFPOp::create(b, cast<RankedTensorType>(position.rows.getType()).clone(f32), position.rows);
    shared = shared ? b.addF(rows, b.splat(shared, shape.take_front())) : rows;
  }
  LinearForm form;
  if (position.columns != 0)
    form.slope = arith::ConstantOp::create(b, b.getF32FloatAttr(static_cast<float>(position.columns)));
  // A distance times a slope is rounded once.
  if (std::abs(position.columns) == 1)
    form.anchor = shared && position.columns < 0 ? arith::NegFOp::create(b, shared).getResult() : shared;
  else
    form.rows = shared;
  return form;
}

Value PositionMath::materialize(const Position &position, Type type) const {
  Value offset = buildOffset(position);
  ArrayRef<int64_t> tile = getTileShape(offset);
  auto cast = [&](Value value) { return b.createOrFold<arith::IndexCastOp>(RankedTensorType::get(tile, type), value); };
  if (type.isInteger(32))
    return position.base ? b.add(offset, b.splat(toI32(position.base), tile)) : offset;
  auto index = RankedTensorType::get(tile, b.getIndexType());
  Value sum = b.createOrFold<arith::IndexCastOp>(index, offset);
  if (position.base)
    sum = b.add(sum, b.splat(position.base, tile));
  return type.isIndex() ? sum : cast(sum);
}
