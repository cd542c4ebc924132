//===- Softmax.h - The online softmax on tiles -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_SOFTMAX_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_SOFTMAX_H

#include "LinearForm.h"

namespace fovea::conversion {

/// What the loop over the keys carries: per row the largest score and the sum of `exp(score - max)`, and the product of
/// those weights with V. It begins at (-inf, 0, 0); a sink joins at the end.
struct SoftmaxState {
  mlir::Value max, sum, acc;

  llvm::SmallVector<mlir::Value> toValues() const { return {max, sum, acc}; }
  static SoftmaxState fromValues(mlir::ValueRange values) { return {values[0], values[1], values[2]}; }
};

/// The units of the scores: natural ones, or in raw units products of Q and K without the scale. In both `exp(s - m)`
/// is `exp2((s - m) * c)`, with `c = log2e` or `c = scale * log2e`. Where units are *fused* it is `exp2(fma(s, c, -m *
/// c))` in rows whose maximum is not large: one operation a score less, but `m * c` is rounded, so that the largest
/// weight is not quite 1.
class ScoreUnits {
public:
  static ScoreUnits natural() { return ScoreUnits(); }
  /// Raw units if `scale` allows them: one product a score less.
  static std::optional<ScoreUnits> raw(float scale);
  ScoreUnits fuse() const;
  /// Fused units whose weights are smaller by a power of two: `exp(s - m)` stands for `exp2((s - m) * c - exponent)`.
  ScoreUnits lower(int exponent) const;

  bool isRaw() const { return scale.has_value(); }
  /// The factor from a difference of scores to an exponent of two.
  float getExponentFactor() const;

  /// `exp(scores - max)` of each element; `max` is finite where its row has a score above -inf.
  mlir::Value buildExp(TileBuilder &b, mlir::Value scores, mlir::Value max) const;
  /// The same by fma, for rows whose maximum is not large. With `mark` large rows and those without a key so far get
  /// infinite or undefined weights.
  mlir::Value buildFusedExp(TileBuilder &b, const LinearForm &scores, mlir::Value max, bool mark = false) const;
  /// The same without a branch: rows have the bits of `buildFusedExp` unless their maximum is large.
  mlir::Value buildMixedExp(TileBuilder &b, mlir::Value scores, mlir::Value max) const;
  /// `exp(lhs - rhs)` of each row, where `rhs` is what weights are relative to. It is 1 where both are equal.
  mlir::Value buildRescale(TileBuilder &b, mlir::Value lhs, mlir::Value rhs) const;
  /// Whether each row's maximum is large, or infinite.
  mlir::Value isLarge(TileBuilder &b, mlir::Value max) const;
  /// The maximum that lowered weights are true ones of.
  mlir::Value getReference(TileBuilder &b, mlir::Value max) const;
  /// Per-row scores in natural units.
  mlir::Value toNatural(TileBuilder &b, mlir::Value rows) const;

private:
  /// What is added to a score times the factor.
  mlir::Value buildShift(TileBuilder &b, mlir::Value max) const;

  std::optional<float> scale;
  bool fused = false;
  int lowered = 0;
};

/// What a block of scores adds to the running softmax: the new maximum of each row, the block's weights relative to it,
/// and the factor of what was summed before. `needed`: whether any row's factor is not 1; null: not known.
struct SoftmaxStep {
  mlir::Value max, weights, rescale, needed;
};

/// The exponent of two up to which weights relative to an old maximum are good: larger ones are rounded for the product
/// alone, or for it and the sums as well, and should not get out of the range of their type.
constexpr int kWeightExponent = 8;

/// With `lag` a row keeps its maximum until a score outweighs it by more than so many powers of two.
SoftmaxStep beginStep(TileBuilder &b, const ScoreUnits &units, mlir::Value scores, mlir::Value max,
                      std::optional<float> lag);
constexpr float kLazyExponent = 8.0f;

/// The sum after the step.
mlir::Value addWeights(TileBuilder &b, const SoftmaxStep &step, mlir::Value sum);

/// `acc` times `rescale` in each row; where `needed` is not null, only if it holds.
mlir::Value rescaleRows(TileBuilder &b, mlir::Value acc, mlir::Value rescale, mlir::Value needed);

/// `rows` with 0 in place of -inf: what to subtract where no key has been kept yet.
mlir::Value replaceNegInf(TileBuilder &b, mlir::Value rows);

/// The state over all keys of parts that saw keys of their own. A part that kept none adds nothing, whatever its
/// product holds.
SoftmaxState mergeStates(TileBuilder &b, const ScoreUnits &units, mlir::ArrayRef<SoftmaxState> parts);

/// The normalised output and, if `wantLse`, the log-sum-exp (f32) of a finished state. An empty row gives (0, -inf)
/// whatever V holds. `sink`: per-row logits that join the denominator, or null.
std::pair<mlir::Value, mlir::Value> finishSoftmax(TileBuilder &b, const ScoreUnits &units, SoftmaxState state,
                                                  mlir::Value sink, bool wantLse);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_SOFTMAX_H
