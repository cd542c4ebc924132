//===- Passes.h - Pass declarations -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_CONVERSION_PASSES_H
#define FOVEA_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace fovea::conversion {
#define GEN_PASS_DECL
#include "fovea/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fovea/Conversion/Passes.h.inc"
} // namespace fovea::conversion

#endif // FOVEA_CONVERSION_PASSES_H
