//===- BlockMap.h - Which blocks of pairs a mask keeps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_FOVEA_MASK_BLOCKMAP_H
#define FOVEA_TOOLS_FOVEA_MASK_BLOCKMAP_H

#include "Captures.h"

namespace fovea {

/// What an op keeps of the pairs of one batch entry and head, by blocks.
struct BlockMap {
  enum class Kind : uint8_t { Skipped, Partial, Full };

  int64_t rows = 0, columns = 0;
  Sizes sizes;
  int64_t blockM = 0, blockN = 0;
  /// Row by row.
  std::vector<Kind> blocks;
  int64_t visible = 0;

  Kind at(int64_t row, int64_t column) const { return blocks[row * columns + column]; }
  int64_t count(Kind kind) const { return llvm::count(blocks, kind); }
};

/// The map of `op`: its mask and mask region, causal, window and kv_lengths, for batch entry and head `place`.
mlir::FailureOr<BlockMap> computeBlockMap(attn::AttentionOp op, const Environment &environment, const Sizes &sizes,
                                          std::pair<int64_t, int64_t> place, int64_t blockM, int64_t blockN);

/// One character a block, and a line of counts.
void printText(const BlockMap &map, llvm::raw_ostream &os);
/// A picture with axes and a legend.
void printSvg(const BlockMap &map, llvm::StringRef title, llvm::raw_ostream &os);

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_MASK_BLOCKMAP_H
