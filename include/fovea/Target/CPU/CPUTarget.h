//===- CPUTarget.h - The CPU as a target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_CPU_CPUTARGET_H
#define FOVEA_TARGET_CPU_CPUTARGET_H

#include "mlir/IR/DialectRegistry.h"

namespace fovea::cpu {
/// Adds the backend "cpu" to the attn dialect of every context made from `registry`. Its target names are `cpu` (the
/// processor this process runs on) and `cpu:NAME` with a name that LLVM knows.
void registerCPUTarget(mlir::DialectRegistry &registry);
} // namespace fovea::cpu

#endif // FOVEA_TARGET_CPU_CPUTARGET_H
