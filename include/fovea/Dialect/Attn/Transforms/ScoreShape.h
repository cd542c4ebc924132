//===- ScoreShape.h - What a score function makes of a pair -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_SCORESHAPE_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_SCORESHAPE_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// Whether `op`, some operand of which `varies` from pair to pair of a row, gives an f32 that is linear in score and
/// key where its operands are: sums, and products and quotients by what pairs of a row share.
bool isLinearFloat(mlir::Operation &op, llvm::function_ref<bool(mlir::Value)> varies);

/// What a score region asks of each pair.
struct ScoreShape {
  enum class Kind {
    /// The score is linear in the product and the key, but for what pairs of a row share.
    Linear,
    /// It is so but for addends from memory at indices that are linear in query and key, so that rows read the same.
    Tables,
    /// It is so in the blocks of pairs that agree on each of `choices`.
    Choices,
    General,
  };
  Kind kind = Kind::Linear;
  /// The values of the region, indices and conditions, that decide what it does: none depends on the score or on memory
  /// that varies from pair to pair.
  llvm::SmallVector<mlir::Value> choices;
  /// Whether they depend on memory, the same for all pairs of a row.
  bool choicesRead = false;

  /// The shape of a score region on tensors or memrefs; an empty region is linear.
  static ScoreShape of(mlir::Region &region);
};

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_SCORESHAPE_H
