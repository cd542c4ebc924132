//===- LinearForm.cpp - Floats that are linear in score and column -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearForm.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// Magnitude of a slope from which it is not told from larger ones; positions stay below 2^40.
static constexpr double kLargestSlope = 0x1p80;

static std::optional<float> getConstant(Value value) {
  FloatAttr scalar;
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&scalar)))
    return static_cast<float>(scalar.getValueAsDouble());
  if (matchPattern(value, m_Constant(&splat)))
    return splat.getSplatValue<float>();
  return std::nullopt;
}

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// An operation on two scalars, or on two values per row.
template <typename OpTy> Value LinearMath::combine(Value lhs, Value rhs) const {
  auto toRows = [&](Value value) { return isTile(value) ? value : b.splat(value, shape.take_front()); };
  if (isTile(lhs) || isTile(rhs)) {
    lhs = toRows(lhs);
    rhs = toRows(rhs);
  }
  return b.createOrFold<OpTy>(lhs, rhs);
}

Value LinearMath::constantLike(Value like, double value) const {
  if (auto tile = dyn_cast<RankedTensorType>(like.getType()))
    return b.floatTile(tile.getShape(), value);
  return arith::ConstantOp::create(b, b.getF32FloatAttr(static_cast<float>(value)));
}

Value LinearMath::one() const { return arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f)); }

Value LinearMath::promote(Value value) const {
  if (!isTile(value))
    return b.splat(value, shape);
  return getTileShape(value).size() == 2 ? value : b.broadcast(value, shape[1]);
}

Value LinearMath::cut(Value slope) const {
  std::optional<float> constant = getConstant(slope);
  if (constant && std::abs(*constant) <= kLargestSlope)
    return slope;
  Value low = b.createOrFold<arith::MaximumFOp>(slope, constantLike(slope, -kLargestSlope));
  return b.createOrFold<arith::MinimumFOp>(low, constantLike(slope, kLargestSlope));
}

Value LinearMath::buildRows(const LinearForm &form) const {
  if (!form.slope || !form.anchor)
    return form.rows;
  Value product = combine<arith::MulFOp>(cut(form.slope), form.anchor);
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!form.rows || !multiply)
    return form.rows ? combine<arith::AddFOp>(product, form.rows) : product;
  // Rounded once.
  Value lhs = multiply.getLhs(), rhs = multiply.getRhs(), rows = form.rows;
  if (isTile(lhs) && !isTile(rows))
    rows = b.splat(rows, shape.take_front());
  if (!isTile(lhs) && isTile(rows)) {
    lhs = b.splat(lhs, shape.take_front());
    rhs = b.splat(rhs, shape.take_front());
  }
  return math::FmaOp::create(b, lhs, rhs, rows);
}

Value LinearMath::addTiles(const LinearForm &lhs, const LinearForm &rhs) const {
  if (!lhs.factor && !rhs.factor)
    return b.addF(lhs.tile, rhs.tile);
  const LinearForm &first = lhs.factor ? lhs : rhs, &second = lhs.factor ? rhs : lhs;
  Value other = second.factor ? b.mulF(second.tile, promote(second.factor)) : second.tile;
  return math::FmaOp::create(b, first.tile, promote(first.factor), other);
}

LinearForm LinearMath::add(LinearForm lhs, LinearForm rhs) const {
  LinearForm sum;
  if (lhs.tile && rhs.tile)
    sum.tile = addTiles(lhs, rhs);
  else
    std::tie(sum.tile, sum.factor) = lhs.tile ? std::pair(lhs.tile, lhs.factor) : std::pair(rhs.tile, rhs.factor);
  bool sameAnchor = lhs.anchor == rhs.anchor;
  if (lhs.slope && rhs.slope && !sameAnchor)
    for (LinearForm *form : {&lhs, &rhs}) {
      form->rows = buildRows(*form);
      form->slope = cut(form->slope);
      form->anchor = Value();
    }
  auto join = [&](Value l, Value r) { return l && r ? combine<arith::AddFOp>(l, r) : l ? l : r; };
  sum.slope = join(lhs.slope, rhs.slope);
  sum.anchor = lhs.slope ? lhs.anchor : rhs.anchor;
  sum.rows = join(lhs.rows, rhs.rows);
  return sum;
}

LinearForm LinearMath::multiply(LinearForm form, Value factor) const {
  if (form.tile)
    form.factor = form.factor ? combine<arith::MulFOp>(form.factor, factor) : factor;
  if (form.slope)
    form.slope = combine<arith::MulFOp>(form.slope, factor);
  if (form.rows)
    form.rows = combine<arith::MulFOp>(form.rows, factor);
  return form;
}

Value LinearMath::quotient(Value dividend, Value divisor) const {
  Value result = combine<arith::DivFOp>(dividend, divisor);
  std::optional<float> constant = getConstant(result);
  if (constant && std::isfinite(*constant))
    return result;
  Value largest = constantLike(result, std::numeric_limits<float>::max());
  Value magnitude = b.createOrFold<arith::MinNumFOp>(b.createOrFold<math::AbsFOp>(result), largest);
  Value bounded = b.createOrFold<math::CopySignOp>(magnitude, result);
  Value isZero = b.compare(arith::CmpFPredicate::UEQ, divisor, constantLike(divisor, 0.0));
  if (isTile(bounded) && !isTile(isZero))
    isZero = b.splat(isZero, shape.take_front());
  return b.select(isZero, result, bounded);
}

LinearForm LinearMath::divide(LinearForm form, Value divisor) const {
  if (form.tile)
    form.factor = quotient(form.factor ? form.factor : one(), divisor);
  if (form.slope)
    form.slope = quotient(form.slope, divisor);
  if (form.rows)
    form.rows = combine<arith::DivFOp>(form.rows, divisor);
  return form;
}

LinearForm LinearMath::negate(const LinearForm &form) const {
  return multiply(form, arith::ConstantOp::create(b, b.getF32FloatAttr(-1.0f)));
}

Value LinearMath::materialize(const LinearForm &form) const {
  Value rows = buildRows(form), sum = rows ? promote(rows) : Value();
  if (form.slope) {
    Value numbers = b.iota(shape, b.getI32Type(), 1);
    Value columns = arith::SIToFPOp::create(b, RankedTensorType::get(shape, b.getF32Type()), numbers);
    sum = math::FmaOp::create(b, columns, promote(cut(form.slope)), sum ? sum : b.floatTile(shape, 0.0));
  }
  if (!form.tile)
    return sum ? sum : b.floatTile(shape, 0.0);
  std::optional<float> factor = form.factor ? getConstant(form.factor) : 1.0f;
  if (factor == 1.0f)
    return sum ? b.addF(form.tile, sum) : form.tile;
  Value scale = promote(form.factor);
  return sum ? math::FmaOp::create(b, form.tile, scale, sum).getResult() : b.mulF(form.tile, scale);
}
