//===- LinearForm.h - Floats that are linear in score and column -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_LINEARFORM_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_LINEARFORM_H

#include "TileBuilder.h"

namespace fovea::conversion {

/// An f32 for each pair of a tile as the sum `factor * tile + slope * (anchor + column number) + rows`. Everything but
/// `tile`, which has one value per pair, is a scalar or has one value per row, so that a chain of sums and products
/// with what keys don't change costs one operation a pair, and a term of the column another one.
struct LinearForm {
  /// Null: 0.
  mlir::Value tile;
  /// Null: 1.
  mlir::Value factor;
  /// Null: 0, as are `anchor` and `rows`.
  mlir::Value slope;
  mlir::Value anchor;
  mlir::Value rows;

  static LinearForm ofTile(mlir::Value tile, mlir::Value factor = {}) { return {tile, factor, {}, {}, {}}; }
  static LinearForm ofRows(mlir::Value rows) { return {{}, {}, {}, {}, rows}; }
};

/// Arithmetic on linear forms. Products with a sum are distributed, and a sum with a product is rounded once: results
/// are those of real arithmetic but for a few roundings of the terms. A slope is cut to magnitudes up to 2^80, so that
/// no term of a finite value overflows.
class LinearMath {
public:
  LinearMath(TileBuilder &b, llvm::ArrayRef<int64_t> shape) : b(b), shape(shape) {}

  LinearForm add(LinearForm lhs, LinearForm rhs) const;
  /// `factor` is a scalar or has one value per row.
  LinearForm multiply(LinearForm form, mlir::Value factor) const;
  /// Each term is divided; what is finite stays finite unless the divisor is 0.
  LinearForm divide(LinearForm form, mlir::Value divisor) const;
  LinearForm negate(const LinearForm &form) const;
  /// The value for each pair.
  mlir::Value materialize(const LinearForm &form) const;

private:
  template <typename OpTy> mlir::Value combine(mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value constantLike(mlir::Value like, double value) const;
  mlir::Value one() const;
  mlir::Value quotient(mlir::Value dividend, mlir::Value divisor) const;
  mlir::Value cut(mlir::Value slope) const;
  mlir::Value promote(mlir::Value value) const;
  /// The sum of what pairs of a row share; null: 0.
  mlir::Value buildRows(const LinearForm &form) const;
  mlir::Value addTiles(const LinearForm &lhs, const LinearForm &rhs) const;

  TileBuilder &b;
  llvm::ArrayRef<int64_t> shape;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_LINEARFORM_H
