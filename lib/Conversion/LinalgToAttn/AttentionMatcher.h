//===- AttentionMatcher.h - Attention among structured operations -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_ATTENTIONMATCHER_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_ATTENTIONMATCHER_H

#include "Expressions.h"

namespace fovea::conversion {

/// A finite number below this is a fill that removes a key, and no score of a key that is kept.
inline constexpr double kLowestScore = -1e30;

/// A tensor read at positions of loops.
struct OperandMatch {
  mlir::Value tensor;
  Positions at;
};

/// A uniform factor of the scores, or divisor.
struct Factor {
  Expr value;
  bool divides;
};

/// Pairs are kept where `value` is true, or where it is false.
struct Condition {
  Expr value;
  bool isNegated;
};

/// What a nest of operations says that ends in `root`.
struct AttentionMatch {
  mlir::Value root;
  Positions rootAt;
  OperandMatch query, key, value;
  /// Loops over keys, over the depth of queries and keys, over that of values.
  Position keyLoops, depthLoops, valueLoops;
  /// The product of queries and keys, the score made of it (without masks), and what multiplies the product in it.
  Expr dot, scaledDot, score;
  llvm::SmallVector<Factor, 2> factors;
  double constantFactor = 1;
  llvm::SmallVector<Condition, 4> conditions;
  /// The softmax: exponentials, what is in them at the natural base, their sum, and what is subtracted before (null if
  /// nothing).
  Expr weight, scores, sum, shift;
  /// What the sum has besides the keys' weights: the exponential of this (null if nothing).
  Expr sink;
  /// Whether the source makes rows without keys zero.
  bool hasZeroRows = false;
  /// A finite fill is among the conditions: right only if each row keeps a key.
  bool hasFiniteFill = false;
  /// The score itself removes keys, by a mask that depends on it.
  bool hasMaskedScore = false;
  /// Floats of another tensor are part of the score, of which nothing is known.
  bool hasTensorInScore = false;
  /// The logarithm of the sum, where it is computed.
  mlir::Value lse;
  Positions lseAt;
};

/// The numeric liberties that a user gives.
struct RaiseOptions {
  bool allowNarrowSoftmax, moveScale;
};

/// Why attention was not found: the rule, and the operation that breaks it.
struct NearMiss {
  mlir::Operation *op;
  std::string rule;
};

/// Matches softmax(Q K^T) V backwards from the second product by what is computed: elements as expressions of loops.
class AttentionMatcher {
public:
  AttentionMatcher(Expressions &expressions, const RaiseOptions &options)
      : expressions(expressions), options(options) {}

  /// Matches the nest whose second product is `contraction`, weights in operand `weightsOperand`. With
  /// `finiteAsMask` a fill by a number below -1e30 is a mask.
  mlir::LogicalResult match(mlir::linalg::LinalgOp contraction, bool finiteAsMask);

  const AttentionMatch &getMatch() const { return found; }
  const NearMiss &getNearMiss() const { return miss; }

private:
  mlir::LogicalResult fail(Expr at, const llvm::Twine &rule) { return fail(at->origin, rule); }
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &rule);

  // MatchProducts.cpp
  mlir::LogicalResult matchSecondProduct(Expr product);
  mlir::LogicalResult matchFirstProduct();
  bool isDot(Expr term);
  Expr findDot(Expr term, llvm::SmallPtrSetImpl<Expr> &seen);
  bool readFactor(Expr term, Expr &rest, llvm::SmallVectorImpl<Factor> &factors);
  std::optional<OperandMatch> peelOperand(Expr term, bool throughCasts, llvm::SmallVectorImpl<Factor> *factors);
  bool matchOperands(bool throughCasts);
  bool isExactFactor(Expr product, const Factor &factor);
  mlir::LogicalResult checkLoops();

  // MatchSoftmax.cpp
  struct Guard {
    Expr select, condition, kept; // what the select takes where it is not zero
    bool zeroIf;                  // the row is zero where the condition has this value
  };
  struct Chain {
    Expr rest;
    Expr divisor = nullptr;
    llvm::SmallVector<Guard, 2> guards = {};
  };
  Chain peelNormalization(Expr term);
  bool peelOnce(Chain &chain);
  mlir::LogicalResult matchWeights(Expr weights);
  mlir::LogicalResult matchExponent(Expr weight);
  mlir::LogicalResult matchDivisor(const Chain &chain);
  void extendRoot(Expr product, Chain &chain);
  bool isEmptyRowGuard(const Guard &guard);
  bool isEmptyRowTest(Expr condition, bool zeroIf);
  bool isNoKeyTest(Expr reduction, bool zeroIf);
  bool hasAllKeys(Expr reduction);
  std::optional<std::pair<Expr, Expr>> peelRowMax(Expr term);
  bool isRowMax(Expr term);
  std::optional<double> getFloor(Expr max);
  std::optional<double> getShiftFloor();
  bool isShiftedByMax();
  bool isSumZeroWithoutKeys();
  bool isSum(Expr term);
  bool matchSink(Expr sum);
  Expr toNaturalBase(Expr exponent);

  // MatchScores.cpp
  struct FillRule {
    bool finiteAsMask;
    double factor = 1; // of the fill in the score
  };
  mlir::LogicalResult matchScores(Expr scores, bool finiteAsMask);
  Expr stripMasks(Expr term, const FillRule &rule);
  Expr stripAddedMask(Expr sum, const FillRule &rule);
  bool isShiftedByScores();
  bool isFill(Expr term, const FillRule &rule);
  Expr stripMasksOnce(Expr term, const FillRule &rule);
  Expr findScaledDot(Expr term, llvm::SmallPtrSetImpl<Expr> &seen);

  // MatchLse.cpp
  /// A sum of exponentials, and what is subtracted from the scores in it (null if nothing).
  struct RowSum {
    mlir::Value value;
    Positions at;
    Expr sum, shift;
  };
  void matchLse();
  bool findLse(const RowSum &row);
  std::optional<RowSum> matchRowSum(mlir::OpResult result, Positions at);
  llvm::SmallVector<RowSum> findOtherSums();

  Expressions &expressions;
  RaiseOptions options;
  AttentionMatch found;
  NearMiss miss = {};
  llvm::DenseMap<std::pair<Expr, uint64_t>, Expr> stripped; // by term and bits of the rule's factor
  Expr values = nullptr;                                    // the factor of the second product that is not the weights
  Expr secondProduct = nullptr;
  Expr exponent = nullptr; // what the exponential is taken of, without what is subtracted
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_ATTENTIONMATCHER_H
