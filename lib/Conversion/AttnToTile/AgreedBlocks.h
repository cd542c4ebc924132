//===- AgreedBlocks.h - Blocks whose pairs agree on choices -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_AGREEDBLOCKS_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_AGREEDBLOCKS_H

#include "KeyRange.h"

namespace fovea::conversion {

/// Of the blocks of keys from `begin` to `end`, those up to `leftEnd` and those from `rightBegin` on: all pairs of a
/// side agree on the choices of the score region, so that the score is linear there. A side may be empty; its values
/// then mean nothing.
struct AgreedBlocks {
  mlir::Value leftEnd, rightBegin;
  /// Whether the right side can hold a block.
  bool hasRight = false;
  /// The choices, values of the region, and what they are on each side.
  llvm::SmallVector<mlir::Value> choices, left, right;
};

/// Builds the search for such blocks when the kernel runs, and says nothing where the score region of `op` has no
/// choices. `begin` and `end` lie a multiple of `numKeys` keys apart, all pairs between exist.
std::optional<AgreedBlocks> findAgreedBlocks(TileBuilder &b, attn::AttentionOp op, const Task &task,
                                             const KeyRange &range, mlir::Value begin, mlir::Value end);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_AGREEDBLOCKS_H
