//===- BlockOperand.h - Blocks of bias and mask operands -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_BLOCKOPERAND_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_BLOCKOPERAND_H

#include "Task.h"

namespace fovea::conversion {

/// Position of this problem in the whole along dimension `dim` of [B, H, Sq, Skv]; 0 without a base.
mlir::Value getBase(TileBuilder &b, attn::MaskOpInterface op, unsigned dim);

/// The memory of `memref` from `offset` on as `shape` elements with `strides`. The type of the view has no dimension to
/// check against: the limits of a transfer alone say what exists.
mlir::Value buildView(TileBuilder &b, mlir::Value memref, mlir::Value offset, mlir::ArrayRef<int64_t> shape,
                      mlir::ArrayRef<mlir::Value> strides);

/// The block of `operand`, [B or 1, Hq or 1, Sq or 1, Skv or 1] in positions of the whole, for the keys that begin at
/// `key`. Nothing is read at rows that don't exist, nor at columns at or past `keyLimit` (null: all columns exist).
mlir::Value loadBlockOperand(TileBuilder &b, attn::MaskOpInterface op, const Task &task, mlir::Value operand,
                             mlir::Value key, int64_t numKeys, mlir::Value keyLimit);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_BLOCKOPERAND_H
