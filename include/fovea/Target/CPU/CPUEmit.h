//===- CPUEmit.h - From the LLVM dialect to CPU code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_CPU_CPUEMIT_H
#define FOVEA_TARGET_CPU_CPUEMIT_H

#include "fovea/Target/Target.h"

namespace fovea::cpu {

using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The processor that code is made for, in LLVM's terms.
struct CPU {
  /// A name of `getKnownCPUNames()`.
  std::string name;
  /// What is added to or removed from the name's features: "+avx2,-avx512f"; empty: nothing.
  std::string features;
};

/// The processor this process runs on.
CPU getHostCPU();

/// Names that `lookupCPU` takes for this process's architecture, sorted; "host" is another one.
llvm::SmallVector<std::string> getKnownCPUNames();

/// The processor of a name a user types: "host" (or empty), or one of `getKnownCPUNames()`. Emits an error otherwise.
mlir::FailureOr<CPU> lookupCPU(llvm::StringRef name, EmitErrorFn emitError);

/// Every instruction-set feature that code for `cpu` may use, as "+avx,+avx2,...": what a launch has to check.
std::string getRequiredFeatures(const CPU &cpu);

/// How code is emitted.
struct EmitOptions {
  CPU cpu = getHostCPU();
  /// Optimisation level of LLVM, 0 to 3.
  int optLevel = 3;
  /// Whether the code is made of vectors and register tiles already (`attn-tile-to-cpu`): LLVM then only cleans it up.
  bool isVectorCode = false;
  /// Whether code may call libm; mem*, malloc, calloc and free are always allowed. Other calls are errors.
  bool allowLibm = false;
  /// Other functions that code may call: the caller links them.
  llvm::SmallVector<std::string> allowedCalls;
};

/// Translates a module of the LLVM dialect and compiles it to `kind` (not PTX or Cubin). Functions that are not private
/// are exported, the others become internal. A shared object of kernels alone is made of an object for each kernel,
/// several at a time on the threads of the context; its bytes do not depend on that. Errors are diagnostics at `module`
/// or at a function: a call that has no definition, a stack frame of more than 32 KiB.
mlir::FailureOr<std::string> emitCode(mlir::ModuleOp module, CodeKind kind, const EmitOptions &options);

/// Links relocatable objects to a shared object, in process. Safe to call from several threads.
mlir::FailureOr<std::string> linkSharedObject(llvm::ArrayRef<std::string> objects, EmitErrorFn emitError);

} // namespace fovea::cpu

#endif // FOVEA_TARGET_CPU_CPUEMIT_H
