//===- LaunchBuilder.h - Code that launches the kernels of an op -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_HANDOVER_LAUNCHBUILDER_H
#define FOVEA_LIB_PIPELINES_HANDOVER_LAUNCHBUILDER_H

#include "KernelLauncher.h"
#include "OperandBuffers.h"
#include "ProblemValues.h"

namespace fovea {

/// Replaces a planned attention or combine op by code that launches its kernels.
class LaunchBuilder {
public:
  LaunchBuilder(mlir::DestinationStyleOpInterface op, const llvm::StringMap<Kernel> &kernels, KernelLauncher &launcher,
                int64_t threads);

  void run();

private:
  void buildVariants(llvm::ArrayRef<attn::VariantAttr> variants);
  void buildVariant(attn::VariantAttr variant);
  void buildIf(mlir::OpFoldResult condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);
  mlir::Value allocate(attn::TemporaryAttr temporary);
  mlir::Value getArgument(attn::SourceAttr source);

  mlir::DestinationStyleOpInterface op;
  const llvm::StringMap<Kernel> &kernels;
  KernelLauncher &launcher;
  mlir::ImplicitLocOpBuilder b;
  int64_t threads;
  OperandBuffers buffers;
  llvm::SmallVector<mlir::Value> temporaries;
  std::optional<ProblemValues> problem;
};

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_HANDOVER_LAUNCHBUILDER_H
