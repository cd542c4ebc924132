//===- MatchScores.cpp - Masks, scale and what else makes a score -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMatcher.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

/// A number that removes a key. A finite one does where the row keeps another key: exp of the difference is 0.
bool AttentionMatcher::isFill(Expr term, bool finiteAsMask) {
  constexpr double kLowest = -1e30;
  std::optional<double> number = expressions.getNumber(term);
  if (!number || !(*number == -INFINITY || (finiteAsMask && *number <= kLowest)))
    return false;
  found.hasFiniteFill |= *number != -INFINITY;
  return true;
}

/// s + select(c, 0, -inf) keeps what c keeps; another sum is masked where its score is.
Expr AttentionMatcher::stripAddedMask(Expr sum, bool finiteAsMask) {
  for (auto [score, added] : {std::pair(sum->lhs(), sum->rhs()), std::pair(sum->rhs(), sum->lhs())}) {
    Expr select = expressions.resolveCasts(added);
    if (!select->isApply<arith::SelectOp>())
      continue;
    for (bool isNegated : {false, true}) {
      if (!expressions.isNumber(select->operands[isNegated ? 2 : 1], 0) ||
          !isFill(select->operands[isNegated ? 1 : 2], finiteAsMask))
        continue;
      found.conditions.push_back({select->operands[0], isNegated});
      return stripMasks(score, finiteAsMask);
    }
  }
  Expr lhs = stripMasks(sum->lhs(), finiteAsMask), rhs = stripMasks(sum->rhs(), finiteAsMask);
  return lhs == sum->lhs() && rhs == sum->rhs() ? sum : expressions.withOperands(sum, {lhs, rhs});
}

/// The score without the selects that remove keys; their conditions are collected.
Expr AttentionMatcher::stripMasks(Expr term, bool finiteAsMask) {
  if (Expr known = stripped.lookup(term))
    return known;
  Expr rest = stripMasksOnce(term, finiteAsMask);
  return stripped[term] = rest;
}

Expr AttentionMatcher::stripMasksOnce(Expr term, bool finiteAsMask) {
  Expr resolved = expressions.resolveCasts(term);
  if (resolved->isApply<arith::AddFOp>()) {
    Expr rest = stripAddedMask(resolved, finiteAsMask);
    return rest == resolved ? term : rest;
  }
  if (resolved->isApply<arith::MulFOp, arith::DivFOp>()) {
    std::optional<double> factor = expressions.getNumber(resolved->rhs());
    if (!factor || *factor <= 0)
      return term;
    Expr rest = stripMasks(resolved->lhs(), finiteAsMask);
    return rest == resolved->lhs() ? term : expressions.withOperands(resolved, {rest, resolved->rhs()});
  }
  if (!resolved->isApply<arith::SelectOp>())
    return term;
  for (bool isNegated : {false, true}) {
    if (!isFill(resolved->operands[isNegated ? 1 : 2], finiteAsMask))
      continue;
    found.conditions.push_back({resolved->operands[0], isNegated});
    return stripMasks(resolved->operands[isNegated ? 2 : 1], finiteAsMask);
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

LogicalResult AttentionMatcher::matchScores(Expr scores, bool finiteAsMask) {
  stripped.clear();
  found.score = stripMasks(scores, finiteAsMask);
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
    found.hasMaskedScore = true;
    found.score = scores;
  }
  seen.clear();
  if (!found.scaledDot || escapes(expressions, found.score, found.dot, found.scaledDot, seen))
    return fail(scores, "the scores are made of the first product in more than one way");
  return success();
}
