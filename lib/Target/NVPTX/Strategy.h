//===- Strategy.h - How attention runs on a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_STRATEGY_H
#define FOVEA_LIB_TARGET_NVPTX_STRATEGY_H

#include "Chips.h"
#include "fovea/Target/Target.h"

namespace fovea::nvptx {

/// Depths of heads up to this have kernels.
constexpr int64_t kMaxDepth = 256;

/// Keys from which on it pays to cut them into parts: where a cluster merges them, and where a second kernel does, with
/// heads as rows of a tile and with queries; of f32, whose products take longer, from fewer on.
constexpr int64_t kLeastKeysOfClusters = 1024, kLeastKeysOfGroups = 1024, kLeastKeysOfBlocks = 2048,
                  kLeastKeysOfSingleBlocks = 1024;

/// What decides on tile sizes.
struct Problem {
  mlir::Type elementType;
  int64_t qkDepth, vDepth;

  int64_t getElementBytes() const { return elementType.getIntOrFloatBitWidth() / 8; }
  int64_t getMaxDepth() const { return std::max(qkDepth, vDepth); }
};

/// Tile sizes of one kernel.
struct Tiles {
  int64_t blockM, blockN, warps, stages;
};

/// How the map of the blocks of `strategy` is made: each thread takes a block, or where the operand `mask` is to be
/// read each warp does, which loads tiles of it (`vector_bytes` is not 1).
attn::StrategyAttr getMapStrategy(attn::AttentionOp op, attn::StrategyAttr strategy);

/// The variants by which `chip` runs `op`, the last one unconditional; emits one error for what has no kernel.
/// `tuning`: a file of tuned strategies in place of the compiler's own, `none`, or empty.
mlir::FailureOr<llvm::SmallVector<PlannedVariant>> planAttention(attn::AttentionOp op, const Chip &chip,
                                                                 llvm::StringRef tuning);

/// How an `attn.combine` of the user's merges parts, wherever they lie; emits one error for what has no kernel.
mlir::FailureOr<attn::StrategyAttr> planCombine(attn::CombineOp op, const Chip &chip);

/// Appends the variants whose products are those of warpgroups: by the chip's table of tuned strategies, or by rule
/// where it has no entry.
mlir::LogicalResult planWarpgroups(attn::AttentionOp op, const Problem &problem, const Chip &chip,
                                   llvm::StringRef tuning, llvm::SmallVectorImpl<PlannedVariant> &variants);

/// Appends the variants for few queries whose parts of the keys are the thread blocks of a cluster: one launch.
void planClusters(attn::AttentionOp op, const Problem &problem, const Chip &chip,
                  llvm::SmallVectorImpl<PlannedVariant> &variants);

/// Emits one error at `op`, in a kernel, if `chip` has no kernel of its strategy.
mlir::LogicalResult verifyStrategy(attn::AttentionOp op, const Chip &chip);

/// What a strategy whose products are those of warpgroups has to be.
mlir::LogicalResult verifyWarpgroups(attn::StrategyAttr strategy, llvm::StringRef chipName,
                                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_STRATEGY_H
