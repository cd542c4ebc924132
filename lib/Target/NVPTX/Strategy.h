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

/// The variants by which `chip` runs `op`, the last one unconditional; emits one error for what has no kernel.
mlir::FailureOr<llvm::SmallVector<PlannedVariant>> planAttention(attn::AttentionOp op, const Chip &chip);

/// Emits one error at `op`, in a kernel, if `chip` has no kernel of its strategy.
mlir::LogicalResult verifyStrategy(attn::AttentionOp op, const Chip &chip);

/// What a strategy whose products are those of warpgroups has to be.
mlir::LogicalResult verifyWarpgroups(attn::StrategyAttr strategy, llvm::StringRef chipName,
                                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_STRATEGY_H
