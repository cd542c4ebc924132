//===- FloatFunctions.h - Functions of floats as arithmetic -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_FLOATFUNCTIONS_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_FLOATFUNCTIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::attn {

/// The value of `math.isinf`, `math.isnormal` or `math.clampf`, which targets have no code for, by plain arithmetic on
/// `operands`: those of `op`, or the same numbers in a wider type. A clamped NaN stays. Null for another op.
mlir::Value expandFloatFunction(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, mlir::ValueRange operands);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_FLOATFUNCTIONS_H
