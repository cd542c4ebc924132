//===- Passes.h - Passes and pipelines of the CPU target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_CPU_PASSES_H
#define FOVEA_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fovea::cpu {
#define GEN_PASS_DECL
#include "fovea/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fovea/Target/CPU/Passes.h.inc"

/// Appends the passes from kernel functions in upstream dialects (linalg on memrefs, vector, scf, memref, arith, math)
/// to the LLVM dialect: loops, `attn-cpu-kernel-entry`, conversions. Math functions that LLVM has no instruction for
/// become libm calls. Registered as the pipeline `attn-cpu-to-llvm`.
void buildKernelToLLVMPipeline(mlir::OpPassManager &pm);
void registerCPUPipelines();
} // namespace fovea::cpu

#endif // FOVEA_TARGET_CPU_PASSES_H
