//===- HandOver.h - Kernels in a module with other code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PIPELINES_HANDOVER_H
#define FOVEA_PIPELINES_HANDOVER_H

#include "fovea/Target/Target.h"

namespace fovea {

/// How attention ops of a module with other code become launches of kernels.
struct HandOverOptions {
  /// Names of targets: `cpu`, `cpu:NAME` or a chip. Several, all of one backend, only with `viaRuntime`, which then
  /// takes the best that the machine runs.
  std::vector<std::string> targets = {"cpu"};
  /// The value of the problem symbol `threads`: CPU workers, or SMs of a GPU. With `viaRuntime` the runtime counts a
  /// GPU's SMs itself.
  int64_t threads = 1;
  /// Machine code instead of the portable code of a target that has both (cubin instead of PTX).
  bool withMachineCode = false;
  /// A function that cannot be compiled is an error, not a warning.
  bool strict = false;
  /// Calls of the runtime with an artifact in the module, instead of kernels and launches in IR.
  bool viaRuntime = false;
  /// The C function that they call, of the type of this one in runtime.h.
  std::string runtimeCall = "fovea_embedded_run_or_abort";
  TargetOptions targetOptions;
};

/// Replaces the attention and combine ops of `module`, on tensors or memrefs, by code that launches their kernels, and
/// adds the kernels to the module (`attn-hand-over`). A function with an op that has no kernel keeps all of its ops and
/// gets one warning, or with `strict` one error, which says why; then the result is a failure after the others are
/// done.
mlir::LogicalResult handOver(mlir::ModuleOp module, const HandOverOptions &options);

} // namespace fovea

#endif // FOVEA_PIPELINES_HANDOVER_H
