//===- KernelLauncher.h - Launches of compiled kernels in IR -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_HANDOVER_KERNELLAUNCHER_H
#define FOVEA_LIB_PIPELINES_HANDOVER_KERNELLAUNCHER_H

#include "fovea/Pipelines/HandOver.h"
#include "fovea/Pipelines/Pipelines.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace fovea {

/// One compiled kernel: its symbol, its arguments as planned, and the launch numbers that the lowering left.
struct Kernel {
  std::string name;
  llvm::SmallVector<mlir::MemRefType> memrefs; // null for a scalar
  llvm::SmallVector<attn::SourceAttr> sources;
  attn::LaunchAttr launch;
};

/// How kernels become part of a module and are launched there.
class KernelLauncher {
public:
  virtual ~KernelLauncher();

  /// Generates code for the lowered kernels of one function and prepares to add it to the module; `name` is the stem of
  /// new symbols. Errors are diagnostics; then the module is as it was.
  virtual mlir::LogicalResult addKernels(PlannedModule &kernels, llvm::StringRef name, mlir::SymbolTable &symbols) = 0;

  /// Begins and ends the launches of one variant at the builder's position.
  virtual void begin(mlir::ImplicitLocOpBuilder &b) = 0;
  virtual void end(mlir::ImplicitLocOpBuilder &b) = 0;

  /// A buffer that lives until the next `end`.
  virtual mlir::Value allocate(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType type, mlir::ValueRange sizes) = 0;

  /// Launches `tasks` tasks (CPU) or thread blocks (GPU) of a kernel.
  virtual void launch(mlir::ImplicitLocOpBuilder &b, const Kernel &kernel, mlir::OpFoldResult tasks,
                      mlir::ValueRange arguments) = 0;
};

std::unique_ptr<KernelLauncher> createGPULauncher(const HandOverOptions &options);
std::unique_ptr<KernelLauncher> createCPULauncher(const HandOverOptions &options);

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_HANDOVER_KERNELLAUNCHER_H
