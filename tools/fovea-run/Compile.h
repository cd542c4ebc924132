//===- Compile.h - Files that fovea-run is given -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_COMPILE_H
#define FOVEA_RUN_COMPILE_H

#include "Options.h"
#include "fovea/runtime.h"

namespace fovea::run {

/// Whether a file begins as an artifact does; throws a failure where it cannot be read.
bool isArtifact(const std::string &path);

/// Whether there is a CUDA device.
bool hasCudaDevice();

/// Compiles MLIR with the fovea-compile that lies beside this program, and loads the result.
fovea_artifact *compile(const Options &options);

/// Lines about the values and the code of a function; writes the code to files where `dumpCode` is a prefix.
std::string describeFunction(const fovea_function *function, const std::string &dumpCode);

} // namespace fovea::run

#endif // FOVEA_RUN_COMPILE_H
