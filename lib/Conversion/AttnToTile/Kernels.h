//===- Kernels.h - Conversion of the ops of kernel functions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_KERNELS_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_KERNELS_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::conversion {

/// Replaces the attention op of a kernel by tile loops; emits one error where that is not possible.
mlir::LogicalResult convertAttention(attn::AttentionOp op);

/// Replaces the combine op of a kernel by a tile loop over the parts; emits one error where that is not possible.
mlir::LogicalResult convertCombine(attn::CombineOp op);

/// Replaces the block map op of a kernel by scalar code that classifies one block.
mlir::LogicalResult convertBlockMap(attn::BlockMapOp op);

/// Replaces the block list op of a kernel by scalar code that lists the blocks of one block of queries.
mlir::LogicalResult convertBlockList(attn::BlockListOp op);

/// Replaces the block order op of a kernel by scalar code that finds the place of one block of queries.
mlir::LogicalResult convertBlockOrder(attn::BlockOrderOp op);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_KERNELS_H
