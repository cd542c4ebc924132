//===- RegionLinear.cpp - Linear arithmetic of score regions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionToTile.h"
#include "fovea/Dialect/Attn/Transforms/ScoreShape.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

bool RegionToTile::variesInRow(Value original) { return getOriginalExtent(original) == Extent::Full; }

LinearForm RegionToTile::getLinear(Value original) {
  auto known = linear.find(original);
  if (known != linear.end())
    return known->second;
  Value value = lookup(original);
  return getExtent(value) == Extent::Full ? LinearForm::ofTile(value) : LinearForm::ofRows(value);
}

std::optional<LinearForm> RegionToTile::computeSum(Value lhs, Value rhs, bool negate) {
  bool isForm = linear.contains(lhs) || linear.contains(rhs);
  if (!isForm && variesInRow(lhs) == variesInRow(rhs))
    return std::nullopt;
  LinearForm other = getLinear(rhs);
  return linearMath.add(getLinear(lhs), negate ? linearMath.negate(other) : other);
}

LinearForm RegionToTile::computeProduct(Value lhs, Value rhs) {
  bool isFirst = variesInRow(lhs);
  return linearMath.multiply(getLinear(isFirst ? lhs : rhs), lookup(isFirst ? rhs : lhs));
}

/// `original` is one that keeps linear forms.
std::optional<LinearForm> RegionToTile::computeLinear(Operation &original) {
  auto operand = [&](unsigned number) { return original.getOperand(number); };
  if (isa<arith::AddFOp, arith::SubFOp>(original))
    return computeSum(operand(0), operand(1), isa<arith::SubFOp>(original));
  if (isa<arith::MulFOp>(original))
    return computeProduct(operand(0), operand(1));
  if (isa<arith::DivFOp>(original))
    return linearMath.divide(getLinear(operand(0)), lookup(operand(1)));
  if (isa<arith::NegFOp>(original))
    return linearMath.negate(getLinear(operand(0)));
  return linearMath.add(computeProduct(operand(0), operand(1)), getLinear(operand(2)));
}

bool RegionToTile::convertLinear(Operation &original) {
  auto varies = [&](Value operand) { return variesInRow(operand); };
  if (!attn::isLinearFloat(original, varies) || llvm::none_of(original.getOperands(), varies))
    return false;
  std::optional<LinearForm> form = computeLinear(original);
  if (form)
    linear[original.getResult(0)] = *form;
  return form.has_value();
}
