//===- KernelInfo.h - The launch data of a kernel function -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_KERNELINFO_H
#define FOVEA_LIB_TARGET_NVPTX_KERNELINFO_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace fovea::nvptx {

/// The `attn.launch` of a kernel function; null for any other function.
attn::LaunchAttr getLaunch(mlir::FunctionOpInterface function);

/// Sets the threads and the bytes of shared memory in the `attn.launch` of `function`.
void updateLaunch(mlir::FunctionOpInterface function, int64_t block, int64_t sharedBytes);

/// The `attn.strategy` that `attn-to-tile` leaves on a kernel function; null if there is none.
attn::StrategyAttr getStrategy(mlir::FunctionOpInterface function);

/// Warps of a thread block: those of the strategy, else those of the launch block, else 4.
int64_t getNumWarps(mlir::FunctionOpInterface function);

/// Slots of the key/value ring, at least 1.
int64_t getNumStages(mlir::FunctionOpInterface function);

/// An error at `op`, which makes a tile of `rows` rows: these don't divide into blocks of all warps.
mlir::InFlightDiagnostic emitUnevenRows(mlir::Operation *op, int64_t rows, int64_t warps);

/// Emits an error at the first op of the kernel that makes a tile without a layout, which attn-tile-assign-layouts
/// gives.
mlir::LogicalResult verifyAssigned(mlir::FunctionOpInterface function);

/// Whether the products of the kernel are those of warpgroups.
bool isWarpgroupKernel(mlir::FunctionOpInterface function);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_KERNELINFO_H
