//===- Rounding.h - Rounds f64 to a narrower type -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_ROUNDING_H
#define FOVEA_LIB_TARGET_CPU_ROUNDING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::cpu {
/// The f64 `value` (a scalar or vector) rounded to the nearest number of `target` (ties to even), as an f64.
mlir::Value roundToType(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::FloatType target);
} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_ROUNDING_H
