//===- Position.h - Integers of a tile in 32 bits -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_POSITION_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_POSITION_H

#include "LinearForm.h"
#include <optional>

namespace fovea::conversion {

/// An index for each pair of a tile, as the sum `base + rows + columns * (column number) + rest`. Positions need 64
/// bits, but within a tile they differ by little: all but `base` is computed in 32 bits, and what depends on the column
/// number alone needs no register for each column.
struct Position {
  /// An index for the whole tile; null: 0.
  mlir::Value base;
  /// An i32 for each row; null: 0.
  mlir::Value rows;
  /// `rows` is this times the row number; nothing: it is not known to be a multiple of it.
  std::optional<int64_t> step = 0;
  /// Factor of the column number.
  int64_t columns = 0;
  /// An i32 for each pair; null: 0.
  mlir::Value rest;
  /// Bounds of everything but `base`.
  int64_t low = 0, high = 0;
  /// Whether `base` is known to be at least 0.
  bool hasPositiveBase = false;

  bool isNonNegative() const { return hasPositiveBase && low >= 0; }
  bool isPerRow() const { return !rest && columns == 0; }
};

/// Exact arithmetic on positions; a null result says that it takes 64 bits.
class PositionMath {
public:
  /// Beyond all numbers that `compare` has on its left side, and negated below.
  static constexpr int64_t kBeyond = int64_t(1) << 30;

  PositionMath(TileBuilder &b, llvm::ArrayRef<int64_t> shape) : b(b), shape(shape) {}

  /// An index that is the same for all pairs.
  Position uniform(mlir::Value index) const;
  std::optional<Position> add(const Position &lhs, const Position &rhs, int64_t sign = 1) const;
  std::optional<Position> multiply(const Position &lhs, int64_t factor) const;
  /// `lhs` divided by a positive constant, or the remainder; `lhs` is not negative.
  std::optional<Position> divide(const Position &lhs, int64_t divisor, bool remainder) const;
  /// The same for a positive index that is the same for all pairs, read as unsigned. A remainder of 2^26 or more is cut
  /// in a block of pairs that holds a multiple of the divisor.
  std::optional<Position> divideBy(const Position &lhs, mlir::Value divisor, bool remainder) const;
  /// The larger or smaller of `lhs` and an index that is the same for all pairs.
  std::optional<Position> clamp(const Position &lhs, const Position &limit, bool isMax) const;
  std::optional<Position> select(mlir::Value condition, const Position &lhs, const Position &rhs) const;

  /// Compares two positions: an i1 for each pair or row, or null.
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, const Position &lhs, const Position &rhs) const;
  /// As f32; nothing where pairs differ by more than the column. Beyond 2^24 the value may be off by two units in
  /// the last place.
  std::optional<LinearForm> toFloat(const Position &position) const;
  /// All but the base: an i32 for each row or pair.
  mlir::Value buildOffset(const Position &position) const;
  /// The sum of all parts as a tile of `type`: index, or an integer to which it is truncated.
  mlir::Value materialize(const Position &position, mlir::Type type) const;

private:
  mlir::ArrayRef<int64_t> getShape(const Position &position) const;
  mlir::Value constantTile(int64_t value, llvm::ArrayRef<int64_t> tile) const;
  mlir::Value toI32(mlir::Value index) const;
  mlir::Value promote(mlir::Value offset) const;
  /// A position with `offset`, an i32 for each row or pair, that lies within the bounds.
  Position make(mlir::Value base, mlir::Value offset, int64_t low, int64_t high) const;
  mlir::Value multiplyHigh(mlir::Value number, mlir::Value factor) const;
  mlir::Value foldBase(const Position &position) const;
  mlir::Value buildDistance(const Position &lhs, const Position &rhs) const;

  TileBuilder &b;
  llvm::ArrayRef<int64_t> shape;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_POSITION_H
