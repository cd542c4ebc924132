//===- Rounding.cpp - Rounds f64 to a narrower type -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rounding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fovea;

/// A constant of the type of `like`, a scalar or vector.
template <typename T> static Value splat(ImplicitLocOpBuilder &b, Type type, T value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr scalar;
  if constexpr (std::is_floating_point_v<T>)
    scalar = b.getFloatAttr(element, value);
  else
    scalar = b.getIntegerAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    scalar = DenseElementsAttr::get(vector, scalar);
  return arith::ConstantOp::create(b, scalar);
}

Value cpu::roundToType(ImplicitLocOpBuilder &b, Value value, FloatType target) {
  // c = 1.5 * 2^(52 - digits + e) for a value in [2^e, 2^(e+1)): the ulp of value + c is that of `target`, so adding
  // and subtracting c rounds. Below the smallest normal number the ulp is that of 2^emin.
  const llvm::fltSemantics &semantics = target.getFloatSemantics();
  int digits = llvm::APFloat::semanticsPrecision(semantics);
  double smallest = std::ldexp(1.0, llvm::APFloat::semanticsMinExponent(semantics));
  double largest = llvm::APFloat::getLargest(semantics).convertToDouble();
  Type type = value.getType(), bits = b.getI64Type();
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.clone(bits);
  Value exponentBits =
      arith::AndIOp::create(b, arith::BitcastOp::create(b, bits, value), splat<int64_t>(b, bits, 0x7FF0000000000000));
  Value power = arith::MaximumFOp::create(b, arith::BitcastOp::create(b, type, exponentBits), splat(b, type, smallest));
  Value magic = arith::MulFOp::create(b, power, splat(b, type, 1.5 * std::ldexp(1.0, 53 - digits)));
  Value rounded = arith::SubFOp::create(b, arith::AddFOp::create(b, value, magic), magic);
  rounded = math::CopySignOp::create(b, rounded, value);
  Value magnitude = math::AbsFOp::create(b, rounded);
  Value isFinite = arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, magnitude, splat(b, type, largest));
  // Past the largest number: infinity. Infinities and NaN stay (the sum above has no meaning for them).
  Value infinity = math::CopySignOp::create(b, splat(b, type, std::numeric_limits<double>::infinity()), value);
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value special = arith::SelectOp::create(b, isNaN, value, infinity);
  return arith::SelectOp::create(b, isFinite, rounded, special);
}
