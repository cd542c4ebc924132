//===- AttentionTiling.h - Tiles of attn.attention -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_ATTENTIONTILING_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_ATTENTIONTILING_H

#include "SliceBuilder.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace fovea::attn {

constexpr unsigned kNumParallelLoops = 3; // batch, query head, query
constexpr unsigned kKeyLoop = 3;

/// A part of the iteration space of attn.attention.
struct AttentionTile {
  /// The part that a tiling interface names: offsets and sizes of the parallel loops, then of the keys.
  AttentionTile(llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes)
      : rows{llvm::to_vector(offsets.take_front(kNumParallelLoops)),
             llvm::to_vector(sizes.take_front(kNumParallelLoops))},
        keyOffset(offsets[kKeyLoop]), keySize(sizes[kKeyLoop]) {}

  /// Batches, query heads and queries.
  Slice rows;
  mlir::OpFoldResult keyOffset, keySize;
  /// Destinations of a part of the keys, which leaves the sink to the merge; null: slices of the op's own.
  mlir::Value output, lse;
};

/// Whether a tile reads all keys.
bool hasAllKeys(mlir::OpBuilder &b, AttentionOp op, mlir::OpFoldResult offset, mlir::OpFoldResult size);

/// The tile as an attn.attention. Fails with a remark where the tile has none.
mlir::FailureOr<AttentionOp> tileAttention(SliceBuilder &b, AttentionOp op, const AttentionTile &tile);

/// Appends an optional operand or a group of operands and their number.
void addGroup(mlir::OperationState &state, llvm::SmallVectorImpl<int32_t> &segments, mlir::ValueRange values);
void addGroup(mlir::OperationState &state, llvm::SmallVectorImpl<int32_t> &segments, mlir::Value value);
/// Appends the types of tensor destinations.
void addResultTypes(mlir::OperationState &state, mlir::Value output, mlir::Value lse);

/// The ops, values and slices of a tile.
mlir::TilingResult finishTile(SliceBuilder &b, mlir::Operation *tiled);

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_ATTENTIONTILING_H
