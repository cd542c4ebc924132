//===- MaskEstimate.h - How much a mask is likely to keep -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_MASKESTIMATE_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_MASKESTIMATE_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// Queries and keys of the blocks that are counted, and the length at which they are.
constexpr int64_t kEstimateBlock = 128, kEstimateLength = 8192;
/// What integers that the region captures are taken to be: sizes are often a power of two.
constexpr int64_t kEstimateCapture = 128;

/// What a mask is likely to keep, by causal, window and mask region evaluated on intervals. It is a guess for the
/// choice between right kernels. What a region loads may be anything.
struct MaskEstimate {
  /// The mean number of blocks of keys in which a block of queries may have a pair, for `kEstimateLength` queries and
  /// keys, and of those all of whose pairs are kept in any case.
  double keptBlocks, fullBlocks;
  /// Pairs of the blocks of 64 queries and 32 keys that have one, over those of blocks of 64 queries and keys: 1 where
  /// the smaller blocks leave nothing out, half where one of two is empty.
  double thinPart;
};

/// None without a mask region, and with an operand `mask` or a map of blocks.
std::optional<MaskEstimate> estimateMask(AttentionOp op);

/// Whether memory decides on what a region yields, so that it is known when the kernel runs.
bool readsMemory(mlir::Region &region);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_MASKESTIMATE_H
