//===- AttnBuilder.h - Attention ops from their clauses -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNBUILDER_H
#define FOVEA_DIALECT_ATTN_IR_ATTNBUILDER_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// The optional clauses of an attention op, each absent by default. Shapes are in the table of `attn.attention`.
struct AttentionClauses {
  /// At most one of the two, f32; neither: 1 / sqrt(Dqk).
  mlir::Value scale;
  std::optional<float> staticScale;
  bool causal = false;
  std::optional<int64_t> windowLeft, windowRight;
  /// Needed where there is causal or a window; `Offset` goes with the value `offset`, an index or [B] of i32 or i64.
  std::optional<Diagonal> diagonal;
  mlir::Value offset;
  mlir::Value bias, mask, sink, kvLengths;
  /// None or four indices.
  llvm::SmallVector<mlir::Value, 4> base;
  /// A map of blocks, and the queries and keys of one of its blocks.
  mlir::Value blockMap;
  int64_t mapQueries = 128, mapKeys = 128;
  /// The second destination, [B, Hq, Sq] of f32: the log-sum-exp.
  mlir::Value lse;
};

/// Builds an attention op that writes `output`, with a result for each destination where these are tensors. Regions are
/// empty: a caller fills `getScoreMod()` and `getMaskMod()`, or uses Regions.h.
AttentionOp buildAttention(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value query, mlir::Value key,
                           mlir::Value value, mlir::Value output, const AttentionClauses &clauses = {});

/// Builds a combine op; `sink` and `lse` may be null.
CombineOp buildCombine(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value partialOutputs,
                       mlir::Value partialLses, mlir::Value sink, mlir::Value output, mlir::Value lse);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_IR_ATTNBUILDER_H
