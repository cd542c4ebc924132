//===- NVPTXTarget.h - The NVPTX code generator -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_NVPTX_NVPTXTARGET_H
#define FOVEA_TARGET_NVPTX_NVPTXTARGET_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace fovea {

/// Makes the target "nvptx" known to contexts that load the attn dialect.
void registerNVPTXTarget(mlir::DialectRegistry &registry);

/// Registers the target's passes and the pipeline `attn-tile-to-nvptx` with the command line of a pass driver.
void registerNVPTXPasses();

namespace nvptx {
/// Appends the passes from kernels at the tile level to the LLVM dialect for a chip.
void buildPipeline(mlir::OpPassManager &pm, llvm::StringRef chip);
} // namespace nvptx

} // namespace fovea

#endif // FOVEA_TARGET_NVPTX_NVPTXTARGET_H
