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

/// Looks for log(sum) + max among what the sum's users compute.
void AttentionMatcher::matchLse() {
  if (!found.weight->isApply<math::ExpOp>() || !isa<linalg::LinalgOp>(found.sum->origin) ||
      found.sum->origin->getNumResults() != 1)
    return;
  SmallVector<std::pair<Value, Positions>> worklist = {{found.sum->origin->getResult(0), found.sum->at}};
  constexpr unsigned kMaxVisits = 64;
  for (unsigned visits = 0; !worklist.empty() && visits < kMaxVisits; ++visits) {
    auto [value, at] = worklist.pop_back_val();
    Expr element = expressions.element(value, at);
    Expr term = expressions.resolveCasts(element);
    auto isLogSum = [&](Expr log) {
      log = expressions.resolveCasts(log);
      return log->isApply<math::LogOp>() && expressions.areEqual(log->lhs(), found.sum);
    };
    auto isShift = [&](Expr other) { return found.shift && expressions.areEqual(other, found.shift); };
    if (!element->type.isF32())
      continue;
    if (found.shift ? term->isApply<arith::AddFOp>() && ((isLogSum(term->lhs()) && isShift(term->rhs())) ||
                                                         (isLogSum(term->rhs()) && isShift(term->lhs())))
                    : isLogSum(term)) {
      found.lse = value;
      found.lseAt = at;
      return;
    }
    for (OpOperand &use : value.getUses())
      if (use.getOwner()->getNumResults() == 1)
        if (auto next = mapToResult(expressions.loops, use, at, use.getOwner()->getResult(0)))
          worklist.emplace_back(use.getOwner()->getResult(0), *next);
  }
}
