//===- Passes.h - Passes of the CPU target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_CPU_PASSES_H
#define FOVEA_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace fovea::cpu {
#define GEN_PASS_DECL
#include "fovea/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

#endif // FOVEA_TARGET_CPU_PASSES_H
