//===- ExpandFloats.h - 16-bit float conversions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_EXPANDFLOATS_H
#define FOVEA_LIB_TARGET_CPU_EXPANDFLOATS_H

#include "mlir/IR/PatternMatch.h"

namespace fovea::cpu {
/// Adds patterns that convert between f32 and bf16, and without `hasF16C` between f32 and f16, by integer arithmetic.
/// Results are rounded to nearest even; a NaN stays a NaN.
void populateExpandFloatPatterns(mlir::RewritePatternSet &patterns, bool hasF16C);
} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_EXPANDFLOATS_H
