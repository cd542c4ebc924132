//===- TileBuilder.h - Folding builder of scalar and tile arithmetic -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_TILEBUILDER_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_TILEBUILDER_H

#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace fovea::conversion {

/// Builds scalar and tile arithmetic at one location and folds constants on the way, so that an edge or a limit that
/// statically cannot matter leaves no code.
class TileBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  // Index arithmetic, signed.
  mlir::Value i32(int64_t value) { return createOrFold<mlir::arith::ConstantIntOp>(value, 32); }
  mlir::Value index(int64_t value) { return createOrFold<mlir::arith::ConstantIndexOp>(value); }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::AddIOp>(lhs, rhs); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::SubIOp>(lhs, rhs); }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::MulIOp>(lhs, rhs); }
  mlir::Value min(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::MinSIOp>(lhs, rhs); }
  mlir::Value max(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::MaxSIOp>(lhs, rhs); }
  /// Quotients and remainder of a non-negative dividend by a positive divisor.
  mlir::Value floorDiv(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::DivUIOp>(lhs, rhs); }
  mlir::Value rem(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::RemUIOp>(lhs, rhs); }
  mlir::Value ceilDiv(mlir::Value lhs, mlir::Value rhs) { return floorDiv(add(lhs, sub(rhs, index(1))), rhs); }
  /// Size of dimension `dim` of a memref, a constant where it is static.
  mlir::Value dim(mlir::Value memref, int64_t dim);
  /// `value` (index or integer of any width) as index.
  mlir::Value toIndex(mlir::Value value);

  // Tiles.
  mlir::Value floatTile(mlir::ArrayRef<int64_t> shape, double value);
  mlir::Value splat(mlir::Value scalar, mlir::ArrayRef<int64_t> shape);
  mlir::Value splat(float scalar, mlir::ArrayRef<int64_t> shape) { return floatTile(shape, scalar); }
  /// Repeats a tile of one value per row over `columns` columns.
  mlir::Value broadcast(mlir::Value rows, int64_t columns);
  /// Row or column numbers of a tile.
  mlir::Value iota(mlir::ArrayRef<int64_t> shape, mlir::Type elementType, int64_t dim);
  /// `value` with elements of float type `type`.
  mlir::Value convertFloat(mlir::Value value, mlir::Type type);
  mlir::Value addF(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::AddFOp>(lhs, rhs); }
  mlir::Value subF(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::SubFOp>(lhs, rhs); }
  mlir::Value mulF(mlir::Value lhs, mlir::Value rhs) { return createOrFold<mlir::arith::MulFOp>(lhs, rhs); }
  mlir::Value select(mlir::Value condition, mlir::Value lhs, mlir::Value rhs) {
    return createOrFold<mlir::arith::SelectOp>(condition, lhs, rhs);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value lhs, mlir::Value rhs) {
    return createOrFold<mlir::arith::CmpFOp>(predicate, lhs, rhs);
  }
  /// `2^x` of each element.
  mlir::Value exp2(mlir::Value value);
};

/// The shape of a tile.
inline mlir::ArrayRef<int64_t> getTileShape(mlir::Value tile) {
  return mlir::cast<mlir::RankedTensorType>(tile.getType()).getShape();
}

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_TILEBUILDER_H
