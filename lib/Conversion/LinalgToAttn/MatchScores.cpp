//===- MatchScores.cpp - Masks, scale and what else makes a score -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMatcher.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cfloat>

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

/// Whether what is subtracted is computed at all, as a maximum of scores is.
bool AttentionMatcher::isShiftedByScores() {
  if (!found.shift)
    return false;
  Expr shift = expressions.resolveCasts(found.shift);
  return shift->isA(Kind::Apply) || shift->isA(Kind::Reduce);
}

/// A number that removes a key. A finite one does where the row keeps another key: exp of the difference is 0. So it is
/// where a number far above it is subtracted at least.
bool AttentionMatcher::isFill(Expr term, const FillRule &rule) {
  std::optional<double> number = expressions.getNumber(term);
  if (!number)
    return false;
  constexpr double kFar = 1e3;
  double fill = *number * rule.factor, floor = getShiftFloor().value_or(NAN);
  bool isRemoved = fill < -double(FLT_MAX) || (fill <= kLowestScore && (fill < floor - kFar || !isShiftedByScores()));
  if (!isRemoved && !(rule.finiteAsMask && fill <= kLowestScore))
    return false;
  found.hasFiniteFill |= !isRemoved;
  return true;
}

/// s + select(c, 0, -inf) keeps what c keeps; another sum is masked where its score is.
Expr AttentionMatcher::stripAddedMask(Expr sum, const FillRule &rule) {
  for (auto [score, added] : {std::pair(sum->lhs(), sum->rhs()), std::pair(sum->rhs(), sum->lhs())}) {
    Expr select = expressions.resolveCasts(added);
    if (!select->isApply<arith::SelectOp>())
      continue;
    for (bool isNegated : {false, true}) {
      if (!expressions.isNumber(select->operands[isNegated ? 2 : 1], 0) ||
          !isFill(select->operands[isNegated ? 1 : 2], rule))
        continue;
      found.conditions.push_back({select->operands[0], isNegated});
      return stripMasks(score, rule);
    }
  }
  Expr lhs = stripMasks(sum->lhs(), rule), rhs = stripMasks(sum->rhs(), rule);
  return lhs == sum->lhs() && rhs == sum->rhs() ? sum : expressions.withOperands(sum, {lhs, rhs});
}

/// The score without the selects that remove keys; their conditions are collected.
Expr AttentionMatcher::stripMasks(Expr term, const FillRule &rule) {
  std::pair key(term, llvm::bit_cast<uint64_t>(rule.factor));
  if (Expr known = stripped.lookup(key))
    return known;
  Expr rest = stripMasksOnce(term, rule);
  return stripped[key] = rest;
}

Expr AttentionMatcher::stripMasksOnce(Expr term, const FillRule &rule) {
  Expr resolved = expressions.resolveCasts(term);
  if (resolved->isApply<arith::AddFOp>()) {
    Expr rest = stripAddedMask(resolved, rule);
    return rest == resolved ? term : rest;
  }
  if (resolved->isApply<arith::MulFOp, arith::DivFOp>()) {
    std::optional<double> factor = expressions.getNumber(resolved->rhs());
    if (!factor || !(*factor > 0) || !std::isfinite(*factor))
      return term;
    double inScore = resolved->isApply<arith::MulFOp>() ? rule.factor * *factor : rule.factor / *factor;
    Expr rest = stripMasks(resolved->lhs(), {rule.finiteAsMask, inScore});
    return rest == resolved->lhs() ? term : expressions.withOperands(resolved, {rest, resolved->rhs()});
  }
  if (!resolved->isApply<arith::SelectOp>())
    return term;
  for (bool isNegated : {false, true}) {
    if (!isFill(resolved->operands[isNegated ? 1 : 2], rule))
      continue;
    found.conditions.push_back({resolved->operands[0], isNegated});
    return stripMasks(resolved->operands[isNegated ? 2 : 1], rule);
  }
  return term;
}

/// The largest part of a score that is the product times uniform factors, which are collected.
Expr AttentionMatcher::findScaledDot(Expr term, llvm::SmallPtrSetImpl<Expr> &seen) {
  if (!seen.insert(term).second)
    return nullptr;
  SmallVector<Factor, 2> factors;
  Expr rest = expressions.resolveCasts(term);
  while (rest != found.dot) {
    Expr inner;
    if (!readFactor(rest, inner, factors))
      break;
    rest = expressions.resolveCasts(inner);
  }
  term = expressions.resolveCasts(term);
  if (rest == found.dot) {
    found.factors = factors;
    return term;
  }
  if (term->isA(Kind::Apply))
    for (Expr operand : term->operands)
      if (Expr scaled = findScaledDot(operand, seen))
        return scaled;
  return nullptr;
}

/// Whether a term reaches the product in another way than through `scaled`, at other positions for one.
static bool escapes(Expressions &expressions, Expr term, Expr dot, Expr scaled, llvm::SmallPtrSetImpl<Expr> &seen) {
  term = expressions.resolveCasts(term);
  if (term == scaled || !seen.insert(term).second)
    return false;
  if (term->isA(Kind::Reduce) && term->origin == dot->origin)
    return true;
  return llvm::any_of(term->operands,
                      [&](Expr operand) { return operand && escapes(expressions, operand, dot, scaled, seen); });
}

/// Whether such a term is in `term`, not looking below `scaled`.
static bool hasTerm(Expressions &expressions, Expr term, Expr scaled, function_ref<bool(Expr)> isSought,
                    llvm::SmallPtrSetImpl<Expr> &seen) {
  term = expressions.resolveCasts(term);
  if (term == scaled || !seen.insert(term).second || term->isA(Kind::Reduce))
    return false;
  return isSought(term) || llvm::any_of(term->operands, [&](Expr operand) {
           return operand && hasTerm(expressions, operand, scaled, isSought, seen);
         });
}

LogicalResult AttentionMatcher::matchScores(Expr scores, bool finiteAsMask) {
  stripped.clear();
  found.score = stripMasks(scores, {finiteAsMask});
  llvm::SmallPtrSet<Expr, 16> seen;
  found.dot = findDot(found.score, seen);
  if (!found.dot)
    return fail(scores, "the scores are not made of a product of queries and keys");
  seen.clear();
  found.scaledDot = findScaledDot(found.score, seen);
  seen.clear();
  // A mask that depends on the score is part of the score.
  if (llvm::any_of(found.conditions, [&](const Condition &condition) {
        return escapes(expressions, condition.value, found.dot, nullptr, seen);
      })) {
    found.conditions.clear();
    found.hasFiniteFill = false;
    found.score = scores;
  }
  seen.clear();
  auto isInfinity = [&](Expr term) { return expressions.isNumber(term, -INFINITY); };
  found.hasMaskedScore = hasTerm(expressions, found.score, found.scaledDot, isInfinity, seen);
  seen.clear();
  auto isFloatOfTensor = [](Expr term) { return term->isA(Kind::Element) && isa<FloatType>(term->type); };
  found.hasTensorInScore = hasTerm(expressions, found.score, found.scaledDot, isFloatOfTensor, seen);
  seen.clear();
  if (!found.scaledDot || escapes(expressions, found.score, found.dot, found.scaledDot, seen))
    return fail(scores, "the scores are made of the first product in more than one way");
  return success();
}
