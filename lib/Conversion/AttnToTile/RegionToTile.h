//===- RegionToTile.h - Score and mask regions on tiles -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_REGIONTOTILE_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_REGIONTOTILE_H

#include "KeyRange.h"
#include "Position.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fovea::conversion {

/// Rewrites the regions of `op` into the form that `RegionToTile` takes: affine ops, tests of a float's class and
/// `math.clampf` as plain arithmetic.
mlir::LogicalResult prepareRegions(mlir::Operation *op);

/// What regions compute without a key or a score: the same for all blocks of a task. Keys are values of the regions.
struct RegionInvariants {
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, Position> positions;
  /// Whether values that vary in other blocks are among them: what these alone depend on is not computed.
  bool hasChoices = false;
};

/// Evaluates a region for one block of (row, key) pairs. A value is kept as small as what it depends on: a scalar, one
/// value per row (a tile of rank 1), or one per pair. Loads of captured memrefs become scalar loads or gathers, which
/// read nothing for rows and keys that don't exist. Index arithmetic is done on `Position`s as long as these are exact,
/// sums of f32 and products with what keys don't change on `LinearForm`s.
class RegionToTile {
public:
  /// The block of `numKeys` keys from `key`. `checkKeys`: whether the block can cross the end of the keys.
  RegionToTile(TileBuilder &b, attn::AttentionOp op, const Task &task, const KeyRange &range, mlir::Value key,
               int64_t numKeys, bool checkKeys, const RegionInvariants &invariants)
      : b(b), op(op), task(task), range(range), key(key), shape{task.numRows, numKeys}, checkKeys(checkKeys),
        hasChoices(invariants.hasChoices), mapping(invariants.values), math(b, shape), positions(invariants.positions),
        linearMath(b, shape) {}

  /// Evaluates what no key changes. Some pair of the task must exist.
  static mlir::FailureOr<RegionInvariants> evaluateInvariants(TileBuilder &b, attn::AttentionOp op, const Task &task,
                                                              const KeyRange &range, int64_t numKeys);

  /// Evaluates what the region `score_mod` computes without a score. Not needed, but a place for its loads.
  mlir::LogicalResult evaluateWithoutScore();
  /// What the region `score_mod` makes of the scores `score`.
  mlir::FailureOr<LinearForm> evaluateScore(const LinearForm &score);
  /// What the region `mask_mod` keeps, as a tile of rank 2.
  mlir::FailureOr<mlir::Value> evaluateMask();

private:
  /// What a value varies over.
  enum class Extent { Uniform, Rows, Full };
  static Extent getExtent(mlir::Value value);
  Extent getOriginalExtent(mlir::Value original);
  Extent getExtent(mlir::ValueRange originals);
  /// `value` repeated to `extent`.
  mlir::Value promote(mlir::Value value, Extent extent);
  mlir::ArrayRef<int64_t> getShape(Extent extent) const;

  mlir::LogicalResult convertRegion(mlir::Region &region, unsigned firstIndex);
  void mapIndices(mlir::Block &block, unsigned firstIndex);
  mlir::LogicalResult convertInvariants(mlir::Region &region, unsigned firstIndex);
  bool isKnown(mlir::Value original) const;
  llvm::DenseSet<mlir::Operation *> findNeeded(mlir::Block &block) const;
  Position buildPosition(unsigned dim);
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult convertOp(mlir::Operation &original);
  void convertElementwise(mlir::Operation &original, Extent extent);
  bool convertToFma(mlir::Operation &original, Extent extent);
  /// Joins a condition of rows with one of pairs in the bounds of the latter's comparisons; false for others.
  bool convertRowCondition(mlir::Operation &original);
  mlir::Value foldIntoBounds(mlir::Value mask, mlir::Value rows, bool isOr);
  void convertLoad(mlir::memref::LoadOp load);
  /// The indices of a load, if each is a base plus constant multiples of row and column.
  std::optional<llvm::SmallVector<Position>> getLinearIndices(mlir::memref::LoadOp load);
  mlir::Value loadLinear(mlir::memref::LoadOp load, llvm::ArrayRef<Position> indices);
  mlir::LogicalResult convertIf(mlir::scf::IfOp branch);
  /// Whether each row, or each pair, exists and the branches around it are taken.
  mlir::Value buildActive(Extent extent);
  mlir::Value lookup(mlir::Value original);

  /// Converts an op on indices whose operands and results are positions; false where it needs 64 bits.
  bool convertPosition(mlir::Operation &original);
  bool convertToFloat(mlir::Operation &original, const Position &position);
  std::optional<Position> getPosition(mlir::Value original);
  std::optional<Position> computePosition(mlir::Operation &original, llvm::ArrayRef<Position> operands);
  mlir::Value usePosition(mlir::Operation &original, llvm::ArrayRef<Position> operands);

  /// Converts an op on f32 whose result is linear; false where it is not.
  bool convertLinear(mlir::Operation &original);
  std::optional<LinearForm> computeLinear(mlir::Operation &original);
  std::optional<LinearForm> computeSum(mlir::Value lhs, mlir::Value rhs, bool negate);
  LinearForm computeProduct(mlir::Value lhs, mlir::Value rhs);
  LinearForm getLinear(mlir::Value original);
  bool variesInRow(mlir::Value original);

  mlir::InFlightDiagnostic emitUnsupported(mlir::Operation &original, llvm::StringRef remedy);

  TileBuilder &b;
  attn::AttentionOp op;
  const Task &task;
  const KeyRange &range;
  mlir::Value key;
  llvm::SmallVector<int64_t, 2> shape;
  bool checkKeys, hasChoices;
  llvm::StringRef regionName;
  /// Condition of the branches around the op in conversion; null outside of branches.
  mlir::Value condition;
  llvm::DenseMap<mlir::Value, mlir::Value> mapping;
  PositionMath math;
  /// Values that are positions; they are in `mapping` too once they were needed as tiles.
  llvm::DenseMap<mlir::Value, Position> positions;
  /// Comparisons of positions.
  llvm::DenseSet<mlir::Value> tests;
  LinearMath linearMath;
  /// Floats that are linear, as `positions`.
  llvm::DenseMap<mlir::Value, LinearForm> linear;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_REGIONTOTILE_H
