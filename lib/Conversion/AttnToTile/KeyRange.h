//===- KeyRange.h - Which keys a block of rows needs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_KEYRANGE_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_KEYRANGE_H

#include "Task.h"

namespace fovea::conversion {

/// The keys that the rows of one task need, cut into blocks: [begin, fullBegin) and [fullEnd, end) need masks,
/// [fullBegin, fullEnd) does not. All values are `index` positions in this op's K and V; a range may be empty.
struct KeyRange {
  mlir::Value begin, fullBegin, fullEnd, end;
  /// Which of the three ranges can hold a block at all.
  bool hasLeftEdge = false, hasFull = true, hasRightEdge = false;
  /// Number of valid keys of this batch element.
  mlir::Value length;
  /// Whether a block can cross `length`.
  bool crossesLength = false;
  /// Row at query position q keeps keys j with q + low <= j < q + high; null: unbounded.
  mlir::Value low, high;
};

/// Computes the range of `task`. Blocks that no row needs are not in it. `maskAll`: every block needs a mask.
KeyRange computeKeyRange(TileBuilder &b, attn::MaskOpInterface op, const Task &task, bool maskAll);

/// The mask (true keeps) of the block of keys that begins at `key`: length, causal and window. Null: nothing to mask.
mlir::Value buildStructuralMask(TileBuilder &b, const Task &task, const KeyRange &range, mlir::Value key,
                                int64_t numKeys);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_KEYRANGE_H
