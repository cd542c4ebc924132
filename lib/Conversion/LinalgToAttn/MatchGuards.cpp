//===- MatchGuards.cpp - The sum of the weights, and rows without keys -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMatcher.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cfloat>

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

bool AttentionMatcher::isSum(Expr term) {
  term = expressions.resolveCasts(term);
  if (!term->isReduce<arith::AddFOp>() || !expressions.isBodyAt(term, found.weight, found.keyLoops))
    return false;
  found.sum = term;
  int64_t numTerms = expressions.loops.getStaticSize(term->reduced);
  int64_t numKeys = expressions.loops.getStaticSize(found.keyLoops);
  bool isOverKeys = numTerms == numKeys || ShapedType::isDynamic(numTerms) || ShapedType::isDynamic(numKeys);
  return isOverKeys || (numTerms == numKeys + 1 && matchSink(term));
}

/// A column that is joined to the scores and whose weight is cut off again is a sink.
bool AttentionMatcher::matchSink(Expr sum) {
  Expr element = found.scores;
  while (element && element->isA(Kind::Element) && !isa_and_nonnull<tensor::ConcatOp>(element->origin))
    element = expressions.expand(element);
  if (!element || !element->isA(Kind::Element))
    return false;
  auto concat = cast<tensor::ConcatOp>(element->origin);
  uint64_t dim = concat.getDim();
  if (concat.getInputs().size() != 2 ||
      expressions.loops.flatten(element->at[dim]) != expressions.loops.flatten(found.keyLoops) ||
      cast<ShapedType>(concat.getInputs()[1].getType()).getDimSize(dim) != 1)
    return false;
  Positions at = element->at;
  at[dim].clear();
  found.sink = expressions.element(concat.getInputs()[1], at);
  found.hasZeroRows = true;
  return true;
}

/// A divisor is the sum of the weights; where that is 0 it may be another number.
LogicalResult AttentionMatcher::matchDivisor(const Chain &chain) {
  Expr term = expressions.resolveCasts(chain.divisor);
  if (term->isApply<arith::SelectOp>()) {
    bool replacesFirst = expressions.getNumber(term->operands[1]).has_value();
    Expr sum = term->operands[replacesFirst ? 2 : 1];
    if (!isSum(sum) || !isEmptyRowTest(term->operands[0], replacesFirst))
      return fail(term, "the divisor is not the sum of the weights");
    return success();
  }
  if (term->isApply<arith::MaximumFOp, arith::MaxNumFOp>()) {
    // The largest weight of a row with a key is exp(0).
    std::optional<double> least = expressions.getNumber(term->rhs());
    if (!least || *least <= 0 || *least > 1 || !isShiftedByMax() || !isSum(term->lhs()))
      return fail(term, "the divisor is not the sum of the weights");
    found.hasZeroRows |= isSumZeroWithoutKeys();
    return success();
  }
  return isSum(term) ? success() : fail(term, "the divisor is not the sum of the weights");
}

//===----------------------------------------------------------------------===//
// Guards for rows without keys
//===----------------------------------------------------------------------===//

bool AttentionMatcher::isEmptyRowGuard(const Guard &guard) {
  Expr condition = expressions.resolve(guard.condition);
  // isnan(p): only a row without keys divides 0 by 0. After the second product it would hide NaN among the values.
  if (condition->isApply<arith::CmpFOp>() && expressions.areEqual(condition->lhs(), condition->rhs())) {
    auto predicate = cast<arith::CmpFPredicateAttr>(condition->attributes.get("predicate")).getValue();
    bool isNan = predicate == arith::CmpFPredicate::UNO || predicate == arith::CmpFPredicate::UNE;
    bool isNumber = predicate == arith::CmpFPredicate::ORD || predicate == arith::CmpFPredicate::OEQ;
    bool isOfWeights =
        expressions.dependsOn(guard.kept, found.keyLoops) && expressions.areEqual(condition->lhs(), guard.kept);
    bool isOfSum = !isOfWeights && isSum(condition->lhs());
    bool isGuard = (isOfWeights || isOfSum) && (guard.zeroIf ? isNan : isNumber) && isShiftedByMax();
    bool isDivided = !expressions.resolveCasts(guard.kept)->isApply<math::ExpOp, math::Exp2Op>();
    found.hasZeroRows |= isGuard && isDivided && (isOfWeights || !isSumZeroWithoutKeys());
    return isGuard;
  }
  return isEmptyRowTest(guard.condition, guard.zeroIf);
}

/// cmpf of `term` with a constant: the constant and whether the comparison is for equality or for the contrary.
static std::optional<std::pair<double, bool>> readEquality(Expressions &expressions, Expr condition) {
  using P = arith::CmpFPredicate;
  if (!condition->isApply<arith::CmpFOp>())
    return std::nullopt;
  std::optional<double> number = expressions.getNumber(condition->rhs());
  P predicate = cast<arith::CmpFPredicateAttr>(condition->attributes.get("predicate")).getValue();
  bool isEqual = predicate == P::OEQ || predicate == P::UEQ;
  bool isDifferent = predicate == P::ONE || predicate == P::UNE;
  bool isAbove = (predicate == P::OGT || predicate == P::UGT) && number && *number <= 0;
  if (!number || (!isEqual && !isDifferent && !isAbove))
    return std::nullopt;
  return std::pair(*number, isEqual);
}

/// not x, however it is written: the operand, else null.
static Expr matchNot(Expressions &expressions, Expr term) {
  if (!term->type.isInteger(1) || term->operands.size() != 2 || !term->isApply<arith::XOrIOp, arith::CmpIOp>())
    return nullptr;
  std::optional<double> number = expressions.getNumber(term->rhs());
  if (!number || !term->rhs()->type.isInteger(1))
    return nullptr;
  bool comparesWithFalse = false;
  if (term->isApply<arith::CmpIOp>()) {
    auto predicate = cast<arith::CmpIPredicateAttr>(term->attributes.get("predicate")).getValue();
    comparesWithFalse = predicate == arith::CmpIPredicate::eq && *number == 0;
  }
  bool flips = term->isApply<arith::XOrIOp>() && *number != 0;
  return flips || comparesWithFalse ? term->lhs() : nullptr;
}

/// any(u != -inf) or all(u == -inf) over the keys of a row.
bool AttentionMatcher::isNoKeyTest(Expr reduction, bool zeroIf) {
  bool isAll = reduction->isReduce<arith::AndIOp>();
  if (isAll != zeroIf || !reduction->isReduce<arith::OrIOp, arith::AndIOp>() || !hasAllKeys(reduction))
    return false;
  bool isNegated = false;
  Expr test = expressions.resolve(reduction->rhs());
  while (Expr inner = matchNot(expressions, test)) {
    isNegated = !isNegated;
    test = expressions.resolve(inner);
  }
  auto equality = readEquality(expressions, test);
  if (!equality || equality->first != -INFINITY || (equality->second != isNegated) != isAll)
    return false;
  Expr sameTest = expressions.reduce(*reduction->name, reduction->reduced, reduction->lhs(), test->lhs(), {}, nullptr);
  return expressions.isBodyAt(sameTest, exponent, found.keyLoops) ||
         expressions.isBodyAt(sameTest, found.scores, found.keyLoops);
}

/// Whether `condition == zeroIf` says that a row keeps no key.
bool AttentionMatcher::isEmptyRowTest(Expr condition, bool zeroIf) {
  condition = expressions.resolve(condition);
  if (Expr inner = matchNot(expressions, condition))
    return isEmptyRowTest(inner, !zeroIf);
  auto equality = readEquality(expressions, condition);
  bool isTest = condition->isA(Kind::Reduce) && isNoKeyTest(condition, zeroIf);
  if (equality && equality->second == zeroIf && equality->first == -INFINITY && isRowMax(condition->lhs())) {
    // With a finite floor it never is -inf.
    std::optional<double> floor = getFloor(condition->lhs());
    found.hasZeroRows |= floor && !std::isfinite(*floor);
    return true;
  }
  if (equality && equality->second == zeroIf && equality->first == 0) {
    bool isTestOfSum = isSum(condition->lhs()) && isShiftedByMax();
    found.hasZeroRows |= isTestOfSum && isSumZeroWithoutKeys();
    return isTestOfSum;
  }
  found.hasZeroRows |= isTest;
  return isTest;
}

/// The number below which a maximum of the row's scores never is, NaN where there is none; nothing where it is not
/// known.
std::optional<double> AttentionMatcher::getFloor(Expr max) {
  double floor = NAN;
  max = expressions.resolveCasts(max);
  while (!max->isA(Kind::Reduce)) {
    auto [inner, number] = *peelRowMax(max);
    std::optional<double> least = expressions.getNumber(number);
    if (!least)
      return std::nullopt;
    // 0 for a row without keys is no floor of others.
    floor = std::fmax(floor, max->isApply<arith::SelectOp>() ? -double(FLT_MAX) : *least);
    max = expressions.resolveCasts(inner);
  }
  // The maximum of `linalg.softmax` has no start.
  std::optional<double> init = -INFINITY;
  if (max->lhs())
    init = expressions.getNumber(max->lhs());
  return init ? std::optional(std::fmax(floor, *init)) : std::nullopt;
}

/// The floor of what is subtracted; nothing where that is no maximum of the row's scores.
std::optional<double> AttentionMatcher::getShiftFloor() {
  return found.shift && isRowMax(found.shift) ? getFloor(found.shift) : std::nullopt;
}

/// Whether the largest weight of a row with a key is 1, so that only a row without one has weights that are all 0 or
/// NaN. A floor that scores can lie below makes it less, as does the maximum of other scores.
bool AttentionMatcher::isShiftedByMax() {
  std::optional<double> floor = getShiftFloor();
  return floor && !(*floor > kLowestScore);
}

/// Whether the sum of a row without keys is 0. It is NaN where the maximum that is subtracted is -inf there.
bool AttentionMatcher::isSumZeroWithoutKeys() {
  if (!found.shift || !isRowMax(found.shift))
    return true;
  std::optional<double> floor = getShiftFloor();
  return floor && std::isfinite(*floor);
}
