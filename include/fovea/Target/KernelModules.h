//===- KernelModules.h - One module for each kernel -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_KERNELMODULES_H
#define FOVEA_TARGET_KERNELMODULES_H

#include "mlir/IR/BuiltinOps.h"

namespace fovea {

/// Whether an op is a kernel: it has `attn.launch`.
bool isKernel(mlir::Operation *op);

/// The kernels of the body of a module in order.
llvm::SmallVector<mlir::Operation *> getKernels(mlir::ModuleOp module);

/// A module of its own for `kernel` of `module`: copies of it and of all that it refers to, in the order of `module`.
/// May run for several kernels at once.
mlir::OwningOpRef<mlir::ModuleOp> cloneKernelModule(mlir::ModuleOp module, mlir::Operation *kernel);

/// Moves each kernel of `module`, which holds kernels and what these refer to, to a nested module of its own; these are
/// all that is left in `module`.
void splitKernels(mlir::ModuleOp module);

/// Moves the ops of nested modules back in their order. Of equal symbols one stays; others of the same name get another
/// one, kernels keep theirs.
void mergeKernels(mlir::ModuleOp module);

} // namespace fovea

#endif // FOVEA_TARGET_KERNELMODULES_H
