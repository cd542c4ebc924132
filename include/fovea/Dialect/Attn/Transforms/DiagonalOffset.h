//===- DiagonalOffset.h - Diagonals that an operand names -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_DIAGONALOFFSET_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_DIAGONALOFFSET_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::attn {

/// `offset + distance`, an `index`, kept within [-limit, limit] and without an overflow on the way: an offset operand,
/// and a window bound, may be any number of 64 bits. Positions are far below `limit`, at most 2^61.
mlir::Value buildShiftedOffset(mlir::ImplicitLocOpBuilder &b, mlir::Value offset, int64_t distance, int64_t limit);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_DIAGONALOFFSET_H
