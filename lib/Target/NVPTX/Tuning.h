//===- Tuning.h - Tables of measured strategies -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_TUNING_H
#define FOVEA_LIB_TARGET_NVPTX_TUNING_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::nvptx {

/// One kernel of a table's entry.
/// What a round of tasks costs, in nanoseconds or any other unit of all kernels of an entry: for each of its tasks, and
/// for each block of keys of one.
struct RoundCost {
  int64_t task, block;
};

struct TunedKernel {
  attn::StrategyAttr strategy;
  /// Where kernels have costs that one runs whose rounds cost the least.
  std::optional<RoundCost> cost;
  /// It is for lengths below this; none: for all.
  std::optional<int64_t> lengthBelow;
  /// It is for problems whose tasks are no more than multiprocessors, or than the blocks that these hold at a time.
  bool fewTasks = false;
};

/// Kernels that an entry may have, each of which costs every artifact its compilation.
constexpr size_t kMaxTunedKernels = 6;

/// The depth class of a head: entries are for one. The last one is the largest depth with kernels.
int64_t getDepthClass(int64_t depth);

/// The kernels that the table for `chip` has for `op`, in the order in which they are tried, the last one without a
/// limit; empty where it has no entry. `file` replaces the table that the compiler comes with; `none`: no table. A file
/// for another chip is passed over, one that is no table is an error.
mlir::FailureOr<llvm::SmallVector<TunedKernel>> lookupTunedKernels(attn::AttentionOp op, llvm::StringRef chip,
                                                                   llvm::StringRef file);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_TUNING_H
