//===- RegionPositions.cpp - Index arithmetic of regions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionToTile.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

static bool isPositionType(Type type) { return type.isIndex() || type.isInteger(64); }

std::optional<Position> RegionToTile::getPosition(Value original) {
  auto known = positions.find(original);
  if (known != positions.end())
    return known->second;
  Value value = lookup(original);
  if (!isPositionType(value.getType()))
    return std::nullopt;
  return math.uniform(b.toIndex(value));
}

std::optional<Position> RegionToTile::computePosition(Operation &original, ArrayRef<Position> operands) {
  auto isConstant = [&](unsigned operand) { return getConstantIntValue(lookup(original.getOperand(operand))); };
  if (isa<arith::AddIOp, arith::SubIOp>(original))
    return math.add(operands[0], operands[1], isa<arith::AddIOp>(original) ? 1 : -1);
  if (isa<arith::IndexCastOp>(original))
    return operands[0];
  if (isa<arith::MaxSIOp, arith::MinSIOp>(original)) {
    bool isMax = isa<arith::MaxSIOp>(original), isFirst = getOriginalExtent(original.getOperand(0)) == Extent::Uniform;
    return math.clamp(operands[isFirst ? 1 : 0], operands[isFirst ? 0 : 1], isMax);
  }
  if (isa<arith::MulIOp>(original)) {
    bool isFirst = getOriginalExtent(original.getOperand(0)) == Extent::Uniform;
    std::optional<int64_t> factor = isConstant(isFirst ? 0 : 1);
    return factor ? math.multiply(operands[isFirst ? 1 : 0], *factor) : std::nullopt;
  }
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::RemUIOp, arith::RemSIOp>(original)) {
    std::optional<int64_t> divisor = isConstant(1);
    bool isRemainder = isa<arith::RemUIOp, arith::RemSIOp>(original);
    if (divisor)
      return math.divide(operands[0], *divisor, isRemainder);
    bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp>(original);
    return isUnsigned && getOriginalExtent(original.getOperand(1)) == Extent::Uniform
               ? math.divideBy(operands[0], operands[1].base, isRemainder)
               : std::nullopt;
  }
  return std::nullopt;
}

Value RegionToTile::usePosition(Operation &original, ArrayRef<Position> operands) {
  if (auto compare = dyn_cast<arith::CmpIOp>(original)) {
    Value test = math.compare(compare.getPredicate(), operands[0], operands[1]);
    if (test)
      tests.insert(test);
    return test;
  }
  if (isa<arith::IndexCastOp, arith::TruncIOp>(original) && original.getResult(0).getType().isInteger(32))
    return math.materialize(operands[0], b.getI32Type());
  return {};
}

/// What a conversion to float reads: a distance that takes more than 32 bits is not cut before.
static Value skipTruncation(Operation &original, Value operand) {
  auto cast = isa<arith::SIToFPOp>(original) ? operand.getDefiningOp<arith::IndexCastOp>() : arith::IndexCastOp();
  return cast && cast.getType().isInteger(32) ? cast.getIn() : operand;
}

bool RegionToTile::convertToFloat(Operation &original, const Position &position) {
  std::optional<LinearForm> form = math.toFloat(position);
  if (form && form->slope)
    linear[original.getResult(0)] = *form;
  else if (form)
    mapping[original.getResult(0)] = form->rows;
  return form.has_value();
}

/// Where the condition `rows` alone decides, a comparison takes a bound beyond all numbers. A conjunction holds if both
/// of its parts do, so that an alternative to it is one to both.
Value RegionToTile::foldIntoBounds(Value mask, Value rows, bool isOr) {
  Operation *op = mask.getDefiningOp();
  // What is needed as it is would be made twice.
  if (!mask.use_empty() && !mask.hasOneUse())
    return {};
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    Value lhs = foldIntoBounds(op->getOperand(0), rows, isOr), rhs = op->getOperand(1);
    bool isForBoth = isa<arith::AndIOp>(op) == isOr;
    if (isForBoth && !lhs)
      return {};
    if (isForBoth || !lhs)
      rhs = foldIntoBounds(rhs, rows, isOr);
    if (!lhs)
      lhs = op->getOperand(0);
    if (!rhs)
      return {};
    return isa<arith::AndIOp>(op) ? b.createOrFold<arith::AndIOp>(lhs, rhs) : b.createOrFold<arith::OrIOp>(lhs, rhs);
  }
  auto compare = tests.contains(mask) ? dyn_cast_or_null<arith::CmpIOp>(op) : arith::CmpIOp();
  if (!compare)
    return {};
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  bool isUpper = predicate == P::slt || predicate == P::sle;
  if (!isUpper && predicate != P::sgt && predicate != P::sge)
    return {};
  auto broadcast = compare.getRhs().getDefiningOp<tile::BroadcastOp>();
  auto splat = compare.getRhs().getDefiningOp<tile::SplatOp>();
  if (!broadcast && !splat)
    return {};
  Value bounds = broadcast ? broadcast.getRows() : b.splat(splat.getScalar(), getShape(Extent::Rows));
  Value beyond =
      b.splat(b.i32(isUpper == isOr ? PositionMath::kBeyond : -PositionMath::kBeyond), getShape(Extent::Rows));
  Value joined = isOr ? b.select(rows, beyond, bounds) : b.select(rows, bounds, beyond);
  Value test = b.createOrFold<arith::CmpIOp>(predicate, compare.getLhs(), b.broadcast(joined, shape[1]));
  tests.insert(test);
  return test;
}

bool RegionToTile::convertRowCondition(Operation &original) {
  if (!isa<arith::AndIOp, arith::OrIOp>(original) || !original.getResult(0).getType().isInteger(1))
    return false;
  for (unsigned place : {0u, 1u}) {
    Value pairs = lookup(original.getOperand(place)), rows = lookup(original.getOperand(1 - place));
    if (getExtent(pairs) != Extent::Full || getExtent(rows) == Extent::Full || !original.getOperand(place).hasOneUse())
      continue;
    Value joined = foldIntoBounds(pairs, promote(rows, Extent::Rows), isa<arith::OrIOp>(original));
    if (joined)
      mapping[original.getResult(0)] = joined;
    return static_cast<bool>(joined);
  }
  return false;
}

bool RegionToTile::convertPosition(Operation &original) {
  if (original.getNumResults() != 1 || original.getNumRegions() != 0)
    return false;
  auto select = dyn_cast<arith::SelectOp>(original);
  SmallVector<Position> operands;
  for (Value operand : select ? original.getOperands().drop_front() : original.getOperands()) {
    std::optional<Position> position = getPosition(skipTruncation(original, operand));
    if (!position)
      return false;
    operands.push_back(*position);
  }
  OpResult result = original.getResult(0);
  if (isa<arith::SIToFPOp>(original) && result.getType().isF32())
    return convertToFloat(original, operands[0]);
  if (!isPositionType(result.getType())) {
    Value used = usePosition(original, operands);
    if (used)
      mapping[result] = used;
    return static_cast<bool>(used);
  }
  std::optional<Position> position = select ? math.select(lookup(select.getCondition()), operands[0], operands[1])
                                            : computePosition(original, operands);
  if (position)
    positions[result] = *position;
  return position.has_value();
}
