//===- FloatFunctions.cpp - Functions of floats as arithmetic -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/FloatFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

/// A test of a float's class as a comparison of its magnitude. What is normal is a matter of the op's own type.
static Value expandClassTest(ImplicitLocOpBuilder &b, Operation *op, Value operand) {
  const llvm::fltSemantics &semantics = cast<FloatType>(op->getOperand(0).getType()).getFloatSemantics();
  Value magnitude = math::AbsFOp::create(b, operand);
  auto compare = [&](arith::CmpFPredicate predicate, APFloat bound) -> Value {
    auto type = cast<FloatType>(operand.getType());
    bool losesInfo;
    bound.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return arith::CmpFOp::create(b, predicate, magnitude, arith::ConstantOp::create(b, b.getFloatAttr(type, bound)));
  };
  APFloat infinity = APFloat::getInf(semantics);
  if (isa<math::IsInfOp>(op))
    return compare(arith::CmpFPredicate::OEQ, infinity);
  Value isLarge = compare(arith::CmpFPredicate::OGE, APFloat::getSmallestNormalized(semantics));
  return arith::AndIOp::create(b, isLarge, compare(arith::CmpFPredicate::OLT, infinity));
}

Value fovea::attn::expandFloatFunction(ImplicitLocOpBuilder &b, Operation *op, ValueRange operands) {
  if (isa<math::IsInfOp, math::IsNormalOp>(op))
    return expandClassTest(b, op, operands[0]);
  if (!isa<math::ClampFOp>(op))
    return {};
  Value low = arith::MaximumFOp::create(b, operands[0], operands[1]);
  return arith::MinimumFOp::create(b, low, operands[2]);
}
