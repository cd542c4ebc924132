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

/// Resources of one kernel as ptxas reports them, and the occupancy of an SM that follows.
struct KernelReport {
  std::string name;
  /// Registers of a thread at launch; the roles of warpgroup kernels redistribute theirs later.
  int64_t registers = 0;
  /// Spills: bytes that the code of a thread stores to and loads from local memory, counted by instruction.
  int64_t spillStores = 0, spillLoads = 0;
  /// Bytes of static and dynamic shared memory of a thread block, and its threads.
  int64_t sharedBytes = 0, threads = 0;
  /// Thread blocks and warps that an SM holds at once, and the most warps that it could.
  int64_t blocks = 0, warps = 0, maxWarps = 0;
  /// The strategy's `score_part`.
  int64_t scorePart = 0;
};

/// Assembles the kernels of a module that the pipeline of `chip` lowered, and reports each in the order of the module.
/// What ptxas says of lost performance becomes a warning at the kernel in question. One error where there is no
/// ptxas.
mlir::FailureOr<llvm::SmallVector<KernelReport>> reportKernels(mlir::ModuleOp module, llvm::StringRef chip,
                                                               const TargetOptions &options);

} // namespace fovea

#endif // FOVEA_TARGET_NVPTX_REPORT_H
