//===- KeptKeys.cpp - Whether each row keeps a key -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions are comparisons of sums of positions. A key that fulfils all of them in each row is a sum of positions
// itself: the first or last key, one at a bound of a comparison, or the one of the row's number. These are tried.
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"
#include "fovea/Dialect/Attn/Utils/Predicates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;
using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Sums of positions
//===----------------------------------------------------------------------===//

namespace {
/// A constant and a multiple of each loop's position.
struct Linear {
  int64_t constant = 0;
  llvm::SmallMapVector<LoopId, int64_t, 4> factors;

  void add(const Linear &other, int64_t factor) {
    constant += factor * other.constant;
    for (auto [loop, otherFactor] : other.factors)
      factors[loop] += factor * otherFactor;
  }
  Linear plus(const Linear &other, int64_t factor) const {
    Linear sum = *this;
    sum.add(other, factor);
    return sum;
  }
};
} // namespace

/// Larger numbers are no bounds of positions, and sums of a few of these do not overflow.
static constexpr double kLimit = 0x1p52;

static LogicalResult addTo(Linear &sum, Expressions &expressions, Expr term, int64_t factor) {
  if (expressions.isExhausted())
    return failure();
  term = expressions.resolve(term);
  if (std::optional<double> number = expressions.getNumber(term); number && std::abs(*number) < kLimit) {
    sum.constant += factor * int64_t(*number);
    return success();
  }
  if (term->isA(Kind::Index)) {
    Position flat = expressions.loops.flatten(term->index);
    for (LoopId loop : flat)
      sum.factors[loop] += factor;
    return success(flat.size() <= 1);
  }
  if (!holdsPositions(term->type))
    return failure();
  if (term->isApply<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>())
    return addTo(sum, expressions, term->lhs(), factor);
  if (!term->isApply<arith::AddIOp, arith::SubIOp>() || failed(addTo(sum, expressions, term->lhs(), factor)))
    return failure();
  return addTo(sum, expressions, term->rhs(), term->isApply<arith::SubIOp>() ? -factor : factor);
}

/// Whether `sum <= 0` at every position.
static bool isNeverPositive(const LoopSpace &loops, const Linear &sum) {
  int64_t largest = sum.constant;
  for (auto [loop, factor] : sum.factors) {
    int64_t size = loops.getStaticSize(loop);
    if (factor > 0 && ShapedType::isDynamic(size))
      return false;
    if (factor > 0)
      largest += factor * (size - 1);
  }
  return largest <= 0;
}

static bool isNeverNegative(const LoopSpace &loops, const Linear &sum) {
  return isNeverPositive(loops, Linear().plus(sum, -1));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {
/// A comparison of sums of positions; the predicate is a signed one.
struct Comparison {
  Predicate predicate;
  bool isUnsigned;
  Linear lhs, rhs;
};

/// Tries keys for the conditions of one computation.
class KeptKeys {
public:
  KeptKeys(const LoopSpace &loops, LoopId keyLoop) : loops(loops), keyLoop(keyLoop) {}

  LogicalResult add(Expressions &expressions, const Condition &condition);
  /// Whether the key at this position is one in every row, and kept.
  bool isKept(const Linear &key) const;
  /// The keys where the sides of a comparison are equal or differ by one.
  SmallVector<Linear> getBounds() const;

private:
  bool isKey(const Linear &key) const;
  Linear substitute(Linear sum, const Linear &key) const;

  const LoopSpace &loops;
  LoopId keyLoop;
  SmallVector<Comparison, 2> comparisons;
};
} // namespace

static FailureOr<Comparison> readComparison(Expressions &expressions, const Condition &condition) {
  Expr value = condition.value;
  if (condition.isNegated || !value->isApply<arith::CmpIOp>())
    return failure();
  Comparison comparison;
  Predicate predicate = cast<arith::CmpIPredicateAttr>(value->attributes.get("predicate")).getValue();
  comparison.predicate = fovea::attn::getSignedPredicate(predicate);
  comparison.isUnsigned = comparison.predicate != predicate;
  if (failed(addTo(comparison.lhs, expressions, value->lhs(), 1)) ||
      failed(addTo(comparison.rhs, expressions, value->rhs(), 1)))
    return failure();
  return comparison;
}

/// Whether `lhs` and `rhs` compare as the predicate says, everywhere.
static bool holds(const LoopSpace &loops, const Comparison &comparison, const Linear &lhs, const Linear &rhs) {
  // A negative number is a large one where signs are none.
  if (comparison.isUnsigned && !(isNeverNegative(loops, lhs) && isNeverNegative(loops, rhs)))
    return false;
  Linear difference = lhs.plus(rhs, -1), one = Linear{1, {}};
  switch (comparison.predicate) {
  case Predicate::sle:
    return isNeverPositive(loops, difference);
  case Predicate::slt:
    return isNeverPositive(loops, difference.plus(one, 1));
  case Predicate::sge:
    return isNeverNegative(loops, difference);
  case Predicate::sgt:
    return isNeverNegative(loops, difference.plus(one, -1));
  case Predicate::eq:
    return isNeverPositive(loops, difference) && isNeverNegative(loops, difference);
  case Predicate::ne:
    return isNeverPositive(loops, difference.plus(one, 1)) || isNeverNegative(loops, difference.plus(one, -1));
  default:
    llvm_unreachable("not a signed predicate");
  }
}

bool fovea::conversion::holdsEverywhere(Expressions &expressions, const Condition &condition) {
  FailureOr<Comparison> comparison = readComparison(expressions, condition);
  return succeeded(comparison) && holds(expressions.loops, *comparison, comparison->lhs, comparison->rhs);
}

LogicalResult KeptKeys::add(Expressions &expressions, const Condition &condition) {
  FailureOr<Comparison> comparison = readComparison(expressions, condition);
  if (failed(comparison))
    return failure();
  comparisons.push_back(std::move(*comparison));
  return success();
}

Linear KeptKeys::substitute(Linear sum, const Linear &key) const {
  int64_t factor = sum.factors.lookup(keyLoop);
  sum.factors.erase(keyLoop);
  return sum.plus(key, factor);
}

/// There is a first key: a row of a problem without keys has nothing to keep.
bool KeptKeys::isKey(const Linear &key) const {
  int64_t numKeys = loops.getStaticSize(keyLoop);
  if (key.constant == 0 && key.factors.empty())
    return true;
  return !ShapedType::isDynamic(numKeys) && isNeverNegative(loops, key) &&
         isNeverPositive(loops, key.plus(Linear{numKeys - 1, {}}, -1));
}

bool KeptKeys::isKept(const Linear &key) const {
  return isKey(key) && llvm::all_of(comparisons, [&](const Comparison &comparison) {
           return holds(loops, comparison, substitute(comparison.lhs, key), substitute(comparison.rhs, key));
         });
}

SmallVector<Linear> KeptKeys::getBounds() const {
  SmallVector<Linear> bounds;
  for (const Comparison &comparison : comparisons) {
    Linear rest = comparison.lhs.plus(comparison.rhs, -1);
    int64_t factor = rest.factors.lookup(keyLoop);
    rest.factors.erase(keyLoop);
    if (std::abs(factor) != 1)
      continue;
    for (int64_t distance : {0, 1, -1})
      bounds.push_back(Linear{distance, {}}.plus(rest, -factor));
  }
  return bounds;
}

bool fovea::conversion::everyRowKeepsKey(Expressions &expressions, ArrayRef<Condition> conditions,
                                         const AttentionMatch &match) {
  const LoopSpace &loops = expressions.loops;
  Position keyLoops = loops.flatten(match.keyLoops);
  if (keyLoops.size() != 1)
    return conditions.empty();
  LoopId keyLoop = keyLoops.front();
  KeptKeys kept(loops, keyLoop);
  for (const Condition &condition : conditions)
    if (failed(kept.add(expressions, condition)))
      return false;
  SmallVector<Linear> keys = kept.getBounds();
  keys.push_back(Linear());
  if (int64_t numKeys = loops.getStaticSize(keyLoop); !ShapedType::isDynamic(numKeys))
    keys.push_back(Linear{numKeys - 1, {}});
  for (const Position &position : loops.flattenAll(match.rootAt))
    for (LoopId loop : position) {
      keys.emplace_back();
      keys.back().factors[loop] = 1;
    }
  return llvm::any_of(keys, [&](const Linear &key) { return kept.isKept(key); });
}
