//===- SliceBuilder.h - Slices of the operands of a tile -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_SLICEBUILDER_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_SLICEBUILDER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::attn {

/// Sizes of a tensor or memref; an attribute where a size is static.
llvm::SmallVector<mlir::OpFoldResult> getSizes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value shaped);

/// Whether `size` is the size of dimension `index` of `shaped`, at offset 0.
bool isWholeDim(mlir::Value shaped, unsigned index, mlir::OpFoldResult offset, mlir::OpFoldResult size);

/// Offsets and sizes in the leading dimensions of an operand; the others are whole.
struct Slice {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;

  void append(mlir::OpFoldResult offset, mlir::OpFoldResult size) {
    offsets.push_back(offset);
    sizes.push_back(size);
  }
};

/// Builds the operands of a tile and keeps the slices it makes.
class SliceBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  /// The slice of dimensions [firstDim, firstDim + rank of the tile); the operand itself where that is all of it.
  mlir::Value slice(mlir::Value shaped, const Slice &tile, unsigned firstDim = 0);
  /// Part `index` of a tensor of parts along its first dimension, without that dimension.
  mlir::Value slicePart(mlir::Value parts, mlir::OpFoldResult index, const Slice &tile);
  mlir::OpFoldResult add(mlir::Value lhs, mlir::OpFoldResult rhs);
  mlir::Value toValue(mlir::OpFoldResult value);
  mlir::Value index(int64_t value);
  mlir::Value dim(mlir::Value shaped, unsigned dim) { return toValue(getSizes(*this, getLoc(), shaped)[dim]); }

  llvm::SmallVector<mlir::Operation *> slices;
};

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_SLICEBUILDER_H
