//===- Passes.td - Passes of the CPU target ---------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_CPU_PASSES_TD
#define FOVEA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // FOVEA_TARGET_CPU_PASSES_TD
