//===- MatchLse.cpp - The logarithm of the sum -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMatcher.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fovea::conversion;

/// Further users are not looked at.
static constexpr unsigned kMaxVisits = 64;

/// Looks for log(sum) + shift among what the sum's users compute.
bool AttentionMatcher::findLse(const RowSum &row) {
  SmallVector<std::pair<Value, Positions>> worklist = {{row.value, row.at}};
  for (unsigned visits = 0; !worklist.empty() && visits < kMaxVisits; ++visits) {
    auto [value, at] = worklist.pop_back_val();
    Expr element = expressions.element(value, at);
    Expr term = expressions.resolveCasts(element);
    // The sum is not negative, so that its absolute value is itself.
    auto isLogSum = [&](Expr log) {
      log = expressions.resolveCasts(log);
      if (!log->isApply<math::LogOp>())
        return false;
      Expr sum = expressions.resolveCasts(log->lhs());
      return expressions.areEqual(sum->isApply<math::AbsFOp>() ? sum->lhs() : sum, row.sum);
    };
    auto isShift = [&](Expr other) { return row.shift && expressions.areEqual(other, row.shift); };
    if (!element->type.isF32())
      continue;
    if (row.shift ? term->isApply<arith::AddFOp>() && ((isLogSum(term->lhs()) && isShift(term->rhs())) ||
                                                       (isLogSum(term->rhs()) && isShift(term->lhs())))
                  : isLogSum(term)) {
      found.lse = value;
      found.lseAt = at;
      return true;
    }
    for (OpOperand &use : value.getUses())
      if (use.getOwner()->getNumResults() == 1)
        if (auto next = mapToResult(expressions.loops, use, at, use.getOwner()->getResult(0)))
          worklist.emplace_back(use.getOwner()->getResult(0), *next);
  }
  return false;
}

/// The sum over the keys of exp(score - shift) that `result` is at `at`, with a shift of its own.
std::optional<AttentionMatcher::RowSum> AttentionMatcher::matchRowSum(OpResult result, Positions at) {
  Expr sum = expressions.resolveCasts(expressions.element(result, at));
  if (!sum->isReduce<arith::AddFOp>() || !expressions.isNumber(sum->lhs(), 0) || !hasAllKeys(sum))
    return std::nullopt;
  Expr weight = expressions.resolveCasts(sum->rhs());
  Expr difference = weight->isApply<math::ExpOp>() ? expressions.resolveCasts(weight->lhs()) : nullptr;
  if (!difference || !difference->isApply<arith::SubFOp>() || expressions.dependsOn(difference->rhs(), sum->reduced))
    return std::nullopt;
  Expr shifted = expressions.withOperands(difference, {found.scores, difference->rhs()});
  if (!expressions.isBodyAt(sum, expressions.withOperands(weight, {shifted}), found.keyLoops))
    return std::nullopt;
  return RowSum{result, at, sum, difference->rhs()};
}

/// Sums that other operations make of the scores' tensor.
SmallVector<AttentionMatcher::RowSum> AttentionMatcher::findOtherSums() {
  SmallVector<RowSum> sums;
  Expr scores = found.scores;
  if (!scores->isA(Term::Kind::Element) || found.sink)
    return sums;
  SmallVector<std::pair<Value, Positions>> worklist = {{scores->value, scores->at}};
  for (unsigned visits = 0; !worklist.empty() && visits < kMaxVisits; ++visits) {
    auto [value, at] = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner()->getNumResults() != 1)
        continue;
      OpResult result = use.getOwner()->getResult(0);
      if (auto next = mapToResult(expressions.loops, use, at, result))
        worklist.emplace_back(result, *next);
      else if (auto rows = mapToReduction(expressions.loops, use, at, result))
        if (std::optional<RowSum> sum = matchRowSum(result, *rows))
          sums.push_back(*sum);
    }
  }
  return sums;
}

/// The logarithm of the softmax's own sum, or of one that is computed beside it (logsumexp).
void AttentionMatcher::matchLse() {
  if (!found.weight->isApply<math::ExpOp>())
    return;
  Operation *sum = found.sum->origin;
  if (isa<linalg::LinalgOp>(sum) && sum->getNumResults() == 1 &&
      findLse({sum->getResult(0), found.sum->at, found.sum, found.shift}))
    return;
  for (const RowSum &other : findOtherSums())
    if (findLse(other))
      return;
}
