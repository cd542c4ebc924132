//===- Report.h - What kernels need of a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_NVPTX_REPORT_H
#define FOVEA_TARGET_NVPTX_REPORT_H

#include "fovea/Target/Target.h"

namespace fovea {

/// What the assembler says of one kernel, and what follows for a multiprocessor.
struct KernelReport {
  std::string name;
  /// Registers of a thread at its start; roles of warpgroups exchange theirs later.
  int64_t registers = 0;
  /// Bytes that a thread stores to and loads from local memory for want of registers, as instructions count.
  int64_t spillStores = 0, spillLoads = 0;
  /// Static and dynamic shared memory of a thread block, and its threads.
  int64_t sharedBytes = 0, threads = 0;
  /// Thread blocks and warps that a multiprocessor holds at once.
  int64_t blocks = 0, warps = 0, maxWarps = 0;
  /// The strategy's `score_part`.
  int64_t scorePart = 0;
};

/// Assembles the kernels of a module that the pipeline of `chip` lowered, and reports each in the order of the module.
/// What the assembler says of lost performance becomes a warning at the kernel in question. One error where there is no
/// ptxas.
mlir::FailureOr<llvm::SmallVector<KernelReport>> reportKernels(mlir::ModuleOp module, llvm::StringRef chip,
                                                               const TargetOptions &options);

} // namespace fovea

#endif // FOVEA_TARGET_NVPTX_REPORT_H
