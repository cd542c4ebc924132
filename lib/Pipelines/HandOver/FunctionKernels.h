//===- FunctionKernels.h - The kernels of a function's ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_HANDOVER_FUNCTIONKERNELS_H
#define FOVEA_LIB_PIPELINES_HANDOVER_FUNCTIONKERNELS_H

#include "KernelLauncher.h"

namespace fovea {

/// Hands over ops of one function as kernels and launches in IR.
class FunctionKernels {
public:
  /// `function` is the op of the module's body that holds `ops`, attention and combine ops; `targetName` is the name of
  /// `target`.
  FunctionKernels(mlir::Operation *function, llvm::ArrayRef<mlir::Operation *> ops, mlir::SymbolTable &symbols,
                  llvm::StringRef targetName, attn::TargetAttr target, const HandOverOptions &options);

  /// Compiles the kernels and adds them to the module. Errors are diagnostics; then all is as it was.
  mlir::LogicalResult compile();
  /// Replaces the ops.
  void replaceOps();

private:
  mlir::FailureOr<mlir::ArrayAttr> planOp(mlir::Operation *op, llvm::StringRef stem);
  mlir::LogicalResult plan();
  void moveKernels();
  void moveConstants();
  mlir::LogicalResult lower();

  mlir::Operation *function;
  llvm::ArrayRef<mlir::Operation *> ops;
  mlir::SymbolTable &symbols;
  const HandOverOptions &options;
  PlannedModule module;
  llvm::StringMap<Kernel> kernels;
  std::unique_ptr<KernelLauncher> launcher;
  /// Constants that the user's module had.
  llvm::DenseSet<mlir::Operation *> knownConstants;
};

/// The name of a function of the module's body, or `attn` where it has none.
std::string getStem(mlir::Operation *function);

/// Whether the code of a target runs on the host.
bool isHostTarget(const Target &backend);

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_HANDOVER_FUNCTIONKERNELS_H
