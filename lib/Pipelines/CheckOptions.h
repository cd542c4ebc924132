//===- CheckOptions.h - Whether options have a meaning -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_CHECKOPTIONS_H
#define FOVEA_LIB_PIPELINES_CHECKOPTIONS_H

#include "fovea/Pipelines/HandOver.h"
#include "fovea/Pipelines/Pipelines.h"

namespace fovea {

/// The targets of these names; one error at `module` if there is none, one is not known, or two are one.
mlir::FailureOr<llvm::SmallVector<attn::TargetAttr>> parseTargets(mlir::ModuleOp module,
                                                                  llvm::ArrayRef<std::string> names);

/// One error at `module` for a level that LLVM does not have.
mlir::LogicalResult checkOptimisationLevel(mlir::ModuleOp module, const TargetOptions &options);

/// One error at `module` for a value that is none, or that no target takes notice of.
mlir::LogicalResult checkOptions(mlir::ModuleOp module, const HandOverOptions &options);

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_CHECKOPTIONS_H
