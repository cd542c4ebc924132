//===- Emit.h - From the LLVM dialect to PTX and cubin -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_EMIT_H
#define FOVEA_LIB_TARGET_NVPTX_EMIT_H

#include "fovea/Target/Target.h"

namespace llvm {
class Module;
} // namespace llvm

namespace fovea::nvptx {

/// Moves pure instructions to their first uses, which keeps fewer values live.
void sinkToUses(llvm::Module &module);

/// Generates `kind` (LLVMIR, Assembly or PTX, Object or Cubin) for kernels in the LLVM dialect. Needs no CUDA but for
/// a cubin, which `ptxas` makes.
mlir::FailureOr<std::string> emitCode(mlir::ModuleOp module, CodeKind kind, llvm::StringRef chip,
                                      const TargetOptions &options);

/// The PTX version (times ten) for a chip: `requested`, or with 0 the lowest that will do. One error at `loc` where
/// `requested` is unknown or too low.
mlir::FailureOr<int> selectPtxVersion(mlir::Location loc, llvm::StringRef chip, int requested);

/// Assembles PTX by `ptxas` from PATH, CUDA_HOME, CUDA_PATH or CUDA_ROOT; one error at `loc` where there is none, it is
/// too old for the chip or it fails. `log` takes what it says of each kernel.
mlir::FailureOr<std::string> assemble(mlir::Location loc, llvm::StringRef ptx, llvm::StringRef chip, int optLevel,
                                      std::string *log = nullptr);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_EMIT_H
