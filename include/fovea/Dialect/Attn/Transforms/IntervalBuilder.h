//===- IntervalBuilder.h - What a mask keeps of a block of pairs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_INTERVALBUILDER_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_INTERVALBUILDER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::attn {

/// What is known of a value for all pairs of a block: `lo <= value <= hi`. The bounds of an integer are of type `index`
/// and signed. Those of an i1 are of type i1: `lo` says that it holds for all pairs, `hi` that it may hold for one.
/// Those of an f32 are f32; where one of them is not a number nothing is known.
struct Interval {
  mlir::Value lo, hi;
  /// The value itself, in its own type, where it is the same for all pairs.
  mlir::Value exact;
  /// An integer is at least -2^bits and at most 2^bits.
  unsigned bits = 63;
  bool nonNegative = false;

  bool isKnown() const { return lo && hi; }
  bool isPoint() const { return lo && lo == hi; }
};

/// The lanes that run the code of an interval together and share out its scans of memory.
struct ScanLanes {
  enum class Kind { Min, Max, And, Or };
  int64_t count = 1;
  /// Number of the lane, an index.
  mlir::Value lane;
  /// The combined value of all lanes.
  std::function<mlir::Value(mlir::ImplicitLocOpBuilder &b, Kind kind, mlir::Value value)> reduce;
};

/// Evaluates a region on intervals: builds scalar code that bounds what the region yields for the pairs of a block. The
/// code folds on the way, so that constant positions give constants where the region reads no memory. It is right for
/// every region: what an op does not say is not known. Where an index of a load varies the code looks at all elements
/// that it may mean, at most `maxLoads` of them.
class IntervalBuilder {
public:
  /// Positions are assumed to be below 2^40, so that their sums and products with small factors don't overflow.
  static constexpr unsigned kPositionBits = 40;

  IntervalBuilder(mlir::ImplicitLocOpBuilder &b, int64_t maxLoads, ScanLanes lanes = {})
      : b(b), maxLoads(maxLoads), lanes(std::move(lanes)) {}

  /// The position `value`, of type `index`.
  Interval getPosition(mlir::Value value);
  /// Positions from `first` to `last`, both included.
  Interval getPositions(mlir::Value first, mlir::Value last);
  /// What the region of one block, whose arguments are indices, yields at `positions`; an i1 is never unknown. Captured
  /// values must be visible where the builder stands.
  Interval evaluate(mlir::Region &region, llvm::ArrayRef<Interval> positions);

  /// What `wanted`, values of the region, are for `arguments`, of which a float may be unknown. No code is built for
  /// what they don't depend on.
  llvm::SmallVector<Interval> evaluate(mlir::Region &region, llvm::ArrayRef<Interval> arguments,
                                       llvm::ArrayRef<mlir::Value> wanted);

  /// The first op of the evaluated region whose value is not known although its operands are; null where there is none.
  mlir::Operation *getUnknownOp() const { return unknownOp; }

  /// The elements of `source`, a tensor or memref, at `indices`.
  Interval load(mlir::Value source, llvm::ArrayRef<Interval> indices);

  /// The elements that a load may read: from `begin` to below `end` in each dimension, or the one at `begin` where
  /// `end` is null.
  struct Box {
    llvm::SmallVector<mlir::Value> begin, end;
  };

private:
  // Dispatch.
  void visitBlock(mlir::Block &block);
  void visitOp(mlir::Operation &op);
  Interval visit(mlir::Operation &op);
  Interval lookup(mlir::Value value);
  /// Remembers `op` if it is the first that is not known.
  void noteUnknown(mlir::Operation &op);
  Interval visitBranch(mlir::scf::IfOp branch, unsigned result);
  Interval visitLoad(mlir::Operation &op, mlir::Value source, mlir::ValueRange indices);
  /// Adds the indices of dimension `dim`; returns `count` times their number.
  mlir::Value addDimension(Box &box, mlir::Value source, int64_t dim, const Interval &index, mlir::Value count);
  Interval cloneExact(mlir::Operation &op, Interval bounds);
  bool hasExactOperands(mlir::Operation &op);

  // Arithmetic.
  Interval visitInteger(mlir::Operation &op);
  Interval visitBoolean(mlir::Operation &op);
  Interval visitCast(mlir::Operation &op);
  Interval add(const Interval &lhs, const Interval &rhs);
  Interval subtract(const Interval &lhs, const Interval &rhs);
  Interval multiply(const Interval &lhs, const Interval &rhs);
  Interval divide(mlir::Operation &op, const Interval &lhs, const Interval &rhs);
  Interval remainder(const Interval &lhs, const Interval &rhs, bool isSigned);
  Interval magnitude(const Interval &value);
  Interval combineBits(mlir::Operation &op, const Interval &lhs, const Interval &rhs);
  Interval minMax(const Interval &lhs, const Interval &rhs, bool isMin);
  Interval compare(mlir::Operation &op);
  Interval select(const Interval &condition, const Interval &lhs, const Interval &rhs, mlir::Type type);
  /// `value` as what an integer of type `type` holds: all that the type has where the value may not fit.
  Interval fit(Interval value, mlir::Type type);
  /// Whether the magnitude of an integer stays below 2^bits.
  mlir::Value staysBelow(const Interval &value, unsigned bits);
  /// The sum or difference of `lhs` and `rhs` with these bounds: all that 64 bits hold where it may overflow.
  Interval getSum(const Interval &lhs, const Interval &rhs, mlir::Value lo, mlir::Value hi, bool nonNegative);
  /// The bounds `lo` and `hi` where `holds`, else all that 64 bits hold.
  Interval getBoundsIf(mlir::Value holds, mlir::Value lo, mlir::Value hi);

  // Floats.
  Interval visitFloat(mlir::Operation &op);
  /// From float to integer.
  Interval visitConversion(mlir::Operation &op);
  Interval addFloat(const Interval &lhs, const Interval &rhs, mlir::Value magnitude = {});
  Interval negateFloat(const Interval &value);
  Interval multiplyFloat(const Interval &lhs, const Interval &rhs);
  Interval divideFloat(const Interval &lhs, const Interval &rhs);
  Interval minMaxFloat(const Interval &lhs, const Interval &rhs, bool isMin);
  Interval roundFloat(mlir::Operation &op, const Interval &value);
  /// The logarithm to base 2 times `factor`.
  Interval logarithm(const Interval &value, float factor);
  Interval toFloat(const Interval &value);
  Interval toInteger(const Interval &value, mlir::Type type, bool isSigned);
  Interval compareFloat(mlir::Operation &op);
  Interval selectFloat(const Interval &condition, const Interval &lhs, const Interval &rhs);
  /// `value` with room for the errors of an operation on numbers of at most `magnitude`.
  Interval widen(const Interval &value, mlir::Value magnitude);
  /// From the least to the greatest of `values`.
  Interval spanAll(llvm::ArrayRef<mlir::Value> values);
  /// The span of `OpTy` of each bound of `lhs` and each of `rhs`.
  template <typename OpTy> Interval spanBounds(const Interval &lhs, const Interval &rhs);
  Interval getRange(mlir::Value lo, mlir::Value hi);
  mlir::Value getMagnitude(const Interval &value);
  mlir::Value number(float value);

  Interval getUnknown(mlir::Type type);
  Interval getExact(mlir::Value value);
  Interval getBounds(mlir::Value lo, mlir::Value hi, unsigned bits, bool nonNegative);
  mlir::Value constant(int64_t value);
  mlir::Value boolean(bool value);
  mlir::Value negate(mlir::Value condition);
  mlir::Value less(mlir::Value lhs, mlir::Value rhs, bool orEqual);
  template <typename OpTy> mlir::Value fold(mlir::Value lhs, mlir::Value rhs) { return b.createOrFold<OpTy>(lhs, rhs); }

  mlir::ImplicitLocOpBuilder &b;
  int64_t maxLoads;
  ScanLanes lanes;
  /// How many branches are around the op: those of loads need not be taken.
  unsigned depth = 0;
  llvm::DenseMap<mlir::Value, Interval> known;
  mlir::Operation *unknownOp = nullptr;
};

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_INTERVALBUILDER_H
