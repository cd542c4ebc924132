//===- KeepRange.h - The diagonal band of keys that an op keeps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_IR_KEEPRANGE_H
#define FOVEA_LIB_DIALECT_ATTN_IR_KEEPRANGE_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace fovea::attn {

/// `constant + sum of factor * value` over values of type index or i64. Positions are assumed not to overflow.
struct Sum {
  int64_t constant = 0;
  llvm::SmallMapVector<mlir::Value, int64_t, 4> terms; // no factor is 0

  bool isConstant() const { return terms.empty(); }
  /// Adds `factor * other`; fails where a constant leaves +-2^62.
  mlir::LogicalResult add(const Sum &other, int64_t factor);
  mlir::LogicalResult add(int64_t value, int64_t factor);
  void add(mlir::Value value, int64_t factor);
  /// `this - other` if that is a constant.
  std::optional<int64_t> minus(const Sum &other) const;
  /// The value as an index; ops are created at the insertion point.
  mlir::Value materialize(mlir::OpBuilder &b, mlir::Location loc) const;
};

/// `i + lower <= j <= i + upper`; an absent side is unbounded.
struct Band {
  std::optional<Sum> lower, upper;
};

/// The band that a condition of a mask region stands for: a comparison of sums in which the query and the key position
/// have opposite factors of 1 and all else comes from outside of the region. An unsigned comparison of their difference
/// with a constant bounds both sides.
std::optional<Band> matchBand(mlir::Value condition, mlir::Region &maskMod);

/// What causal, window and the diagonal of an op say together: `i + off - left <= j <= i + off + right`.
class KeepRange {
public:
  static KeepRange read(AttentionOp op);

  /// Intersects with a band. Returns failure, and changes nothing, where the attributes cannot say the result exactly.
  mlir::LogicalResult intersect(const Band &band);
  /// Drops bounds that remove no key of `op` and names the diagonal in its simplest form.
  void simplify(AttentionOp op);
  /// Writes the range to `op`; returns failure if the op says it in these words already.
  mlir::LogicalResult write(AttentionOp op, mlir::RewriterBase &rewriter) const;

private:
  mlir::LogicalResult intersectUpper(const Sum &upper);
  mlir::LogicalResult intersectLower(const Sum &lower);
  void anchor(const Sum &newOff);
  void dropUnreachable(AttentionOp op);

  std::optional<Diagonal> diagonal; // none: every key is kept
  std::optional<Sum> off;           // none: not known as a sum (one offset per batch, lengths)
  std::optional<int64_t> left, right;
};

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_IR_KEEPRANGE_H
