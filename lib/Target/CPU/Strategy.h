//===- Strategy.h - How the CPU runs an attention op -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_STRATEGY_H
#define FOVEA_LIB_TARGET_CPU_STRATEGY_H

#include "TileToCPU/Machine.h"
#include "fovea/Target/CPU/CPUEmit.h"

namespace fovea::cpu {

/// What the lowering can use of a processor.
struct ProcessorTraits {
  Machine machine;
  bool hasF16C = false;
};

ProcessorTraits getTraits(const CPU &cpu);

/// The variants of `op`, the last one unconditional, or one located error.
mlir::FailureOr<llvm::SmallVector<PlannedVariant>> planAttention(attn::AttentionOp op, const Machine &machine);

/// Emits one error at `op`, in a kernel, if its strategy is none for a CPU.
mlir::LogicalResult verifyStrategy(attn::AttentionOp op);

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_STRATEGY_H
