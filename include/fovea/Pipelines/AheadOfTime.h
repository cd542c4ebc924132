//===- AheadOfTime.h - Functions of C from attention -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PIPELINES_AHEADOFTIME_H
#define FOVEA_PIPELINES_AHEADOFTIME_H

#include "fovea/Pipelines/Pipelines.h"

namespace fovea {

/// What a C or C++ program needs: the text of a header, and an object file to link.
struct AheadOfTimeCode {
  std::string header, object;
};

/// Compiles each function of `module` to a C function of its name, which launches it through the runtime; the object
/// holds the artifact for all targets. `stem` is the name of the header without its extension. Errors are diagnostics:
/// also at a function whose name is none in C, or is that of another one.
mlir::FailureOr<AheadOfTimeCode> compileAheadOfTime(mlir::ModuleOp module, const CompileOptions &options,
                                                    llvm::StringRef stem);

} // namespace fovea

#endif // FOVEA_PIPELINES_AHEADOFTIME_H
