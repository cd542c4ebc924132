//===- Options.h - The command line of fovea-compile -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_FOVEA_COMPILE_OPTIONS_H
#define FOVEA_TOOLS_FOVEA_COMPILE_OPTIONS_H

#include "fovea/Pipelines/Pipelines.h"

namespace fovea {

/// What to write; `Header` for a header and its object.
enum class Emit { Header, Attn, Tile, NV, LLVM, PTX, Cubin, Assembly, Object, Artifact };

/// The command line as it was understood.
struct Options {
  Emit emit = Emit::Artifact;
  std::string input, output, cacheDir;
  bool withReport = false;
  /// Lists the CPUs and does nothing else.
  bool listsCPUs = false;
  CompileOptions compile;

  bool holdsArtifact() const { return emit == Emit::Artifact || emit == Emit::Header; }
};

/// Parses the command line; ends the program where it is malformed.
void parseCommandLine(int argc, char **argv);

/// The options given. One error for a value that is none, and for one that would be ignored.
mlir::FailureOr<Options> readOptions();

/// Sets what the environment says where the command line says nothing, and targets take notice of it.
void readEnvironment(CompileOptions &options, mlir::MLIRContext *context);

/// Prints a command line error in the form of a diagnostic.
mlir::LogicalResult error(const llvm::Twine &message);

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_COMPILE_OPTIONS_H
