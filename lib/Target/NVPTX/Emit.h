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
class Function;
class Module;
} // namespace llvm

namespace fovea::nvptx {

/// Moves pure instructions to their first uses, which keeps fewer values live.
void sinkToUses(llvm::Module &module);

/// Makes choices of f32 by several conditions one choice by all of them.
void joinConditions(llvm::Function &function);

/// Generates `kind` (LLVMIR, PTX or Cubin) for kernels in the LLVM dialect, as one module. Needs no CUDA but for a
/// cubin, which `ptxas` makes.
mlir::FailureOr<std::string> emitCode(mlir::ModuleOp module, CodeKind kind, llvm::StringRef chip,
                                      const TargetOptions &options);

/// Generates PTX or cubins, or both, for each kernel, several at a time on the threads of the context: for each kind
/// the images in the order of the kernels.
mlir::FailureOr<std::vector<std::vector<CodeImage>>> emitKernelImages(mlir::ModuleOp module,
                                                                      llvm::ArrayRef<CodeKind> kinds,
                                                                      llvm::StringRef chip,
                                                                      const TargetOptions &options);

/// One PTX module of those of several kernels, which declare alike what they share.
std::string joinPtx(llvm::ArrayRef<CodeImage> kernels);

/// The PTX version (times ten) for a chip: `requested`, or with 0 the lowest that will do. One error at `loc` where
/// `requested` is unknown or too low.
mlir::FailureOr<int> selectPtxVersion(mlir::Location loc, llvm::StringRef chip, int requested);

/// The path of `ptxas` from PATH, CUDA_HOME, CUDA_PATH or CUDA_ROOT; one error at `loc` where there is none or it is
/// too old for the chip.
mlir::FailureOr<std::string> findAssembler(mlir::Location loc, llvm::StringRef chip);

/// Assembles PTX by `ptxas`, the result of `findAssembler`; one error at `loc` where it fails. `log` takes what it says
/// of each kernel.
mlir::FailureOr<std::string> assemble(mlir::Location loc, llvm::StringRef ptxas, llvm::StringRef ptx,
                                      llvm::StringRef chip, int optLevel, std::string *log = nullptr);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_EMIT_H
