//===- MatchSoftmax.cpp - Division, exponential and maximum -*- C++ -*-===//
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
using Kind = Term::Kind;

//===----------------------------------------------------------------------===//
// From the weights (or their product with V) down to the exponential (or to the product)
//===----------------------------------------------------------------------===//

/// Takes one division, multiplication by a reciprocal or select against 0 off the chain.
bool AttentionMatcher::peelOnce(Chain &chain) {
  Expr term = expressions.resolveCasts(chain.rest);
  auto divideBy = [&](Expr rest, Expr divisor) {
    if (chain.divisor)
      return false;
    chain.rest = rest;
    chain.divisor = divisor;
    return true;
  };
  if (term->isApply<arith::DivFOp>())
    return divideBy(term->lhs(), term->rhs());
  if (term->isApply<arith::MulFOp>()) {
    for (auto [rest, factor] : {std::pair(term->lhs(), term->rhs()), std::pair(term->rhs(), term->lhs())}) {
      Expr reciprocal = expressions.resolveCasts(factor);
      if (reciprocal->isApply<arith::DivFOp>() && expressions.isNumber(reciprocal->lhs(), 1))
        return divideBy(rest, reciprocal->rhs());
    }
    return false;
  }
  if (!term->isApply<arith::SelectOp>())
    return false;
  bool zeroIf = expressions.isNumber(term->operands[1], 0);
  if (!zeroIf && !expressions.isNumber(term->operands[2], 0))
    return false;
  chain.rest = term->operands[zeroIf ? 2 : 1];
  chain.guards.push_back({term, term->operands[0], chain.rest, zeroIf});
  return true;
}

AttentionMatcher::Chain AttentionMatcher::peelNormalization(Expr term) {
  Chain chain = {term};
  while (peelOnce(chain))
    ;
  chain.rest = expressions.resolveCasts(chain.rest);
  return chain;
}

/// The only operation that uses `value`.
static OpOperand *getOnlyUse(Value value) {
  OpOperand *only = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (isOpTriviallyDead(use.getOwner()))
      continue;
    if (only)
      return nullptr;
    only = &use;
  }
  return only;
}

/// Follows the product to a division, a guard or a rounding that comes after it.
void AttentionMatcher::extendRoot(Expr product, Chain &chain) {
  Value value = found.root;
  Positions at = found.rootAt;
  constexpr unsigned kMaxSteps = 8;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    OpOperand *use = getOnlyUse(value);
    if (!use || use->getOwner()->getNumResults() != 1)
      return;
    OpResult result = use->getOwner()->getResult(0);
    std::optional<Positions> next = mapToResult(expressions.loops, *use, at, result);
    if (!next)
      return;
    value = result;
    at = *next;
    Chain outer = peelNormalization(expressions.element(value, at));
    if (!outer.rest->isA(Kind::Reduce) || outer.rest->origin != product->origin || (outer.divisor && chain.divisor))
      return;
    bool isRounded = outer.guards.empty() && getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() <
                                                 getElementTypeOrSelf(found.root.getType()).getIntOrFloatBitWidth();
    if (outer.divisor ? failed(matchDivisor(outer)) : outer.guards.empty() && !isRounded)
      continue;
    if (!llvm::all_of(outer.guards, [&](const Guard &guard) { return isEmptyRowGuard(guard); }))
      return;
    found.root = value;
    found.rootAt = at;
    if (outer.divisor)
      chain.divisor = outer.divisor;
  }
}

LogicalResult AttentionMatcher::matchWeights(Expr weights) {
  Chain chain = peelNormalization(weights);
  if (!chain.rest->isApply<math::ExpOp, math::Exp2Op>())
    return fail(chain.rest, "the weights are changed between the softmax and the second product");
  found.weight = chain.rest;
  if (chain.divisor && expressions.dependsOn(chain.divisor, found.keyLoops))
    return fail(chain.divisor, "the softmax runs over another dimension than the second product sums over");
  if (failed(matchExponent(chain.rest)))
    return failure();
  if (chain.divisor && failed(matchDivisor(chain)))
    return failure();
  for (const Guard &guard : chain.guards)
    if (!isEmptyRowGuard(guard))
      return fail(guard.select, "a select sets weights to zero by another rule than that their row keeps no key");
  Expr product = expressions.resolve(expressions.element(found.root, found.rootAt));
  extendRoot(product, chain);
  return chain.divisor ? success() : fail(product, "the weights are not divided by their sum");
}

//===----------------------------------------------------------------------===//
// The exponential
//===----------------------------------------------------------------------===//

/// The exponent of a power of e that is 2^exponent: a factor log2(e) goes, another one changes.
Expr AttentionMatcher::toNaturalBase(Expr exponent) {
  Expr term = expressions.resolveCasts(exponent);
  Type f32 = Float32Type::get(exponent->type.getContext());
  auto times = [&](Expr rest, double number) {
    Expr factor = expressions.constant(FloatAttr::get(f32, number));
    return expressions.apply<arith::MulFOp>({rest, factor}, f32, exponent->origin);
  };
  if (term->isApply<arith::MulFOp>()) {
    for (auto [rest, factor] : {std::pair(term->lhs(), term->rhs()), std::pair(term->rhs(), term->lhs())}) {
      std::optional<double> number = expressions.getNumber(factor);
      if (!number)
        continue;
      double natural = *number * M_LN2;
      return std::abs(natural - 1) < 0x1p-20 ? rest : times(rest, natural);
    }
  }
  return times(term, M_LN2);
}

/// Reads exp(u - m), exp((u - m) * c) and what has no m. Any m that is the same for all keys of a row gives the same
/// weights once they are divided by their sum.
LogicalResult AttentionMatcher::matchExponent(Expr weight) {
  if (weight->type.getIntOrFloatBitWidth() < 32 && !options.allowNarrowSoftmax)
    return fail(weight, "the softmax is computed in " +
                            Twine(weight->type.isF16() ? "f16" : "a type narrower than f32") +
                            "; allow-narrow-softmax raises it to f32");
  Expr term = expressions.resolveCasts(weight->lhs());
  Expr factor = nullptr;
  if (term->isApply<arith::MulFOp>()) {
    for (auto [rest, other] : {std::pair(term->lhs(), term->rhs()), std::pair(term->rhs(), term->lhs())}) {
      Expr difference = expressions.resolveCasts(rest);
      if (difference->isApply<arith::SubFOp>() && expressions.isUniform(other)) {
        term = difference;
        factor = other;
        break;
      }
    }
  }
  exponent = term;
  if (term->isApply<arith::SubFOp>()) {
    if (!expressions.dependsOn(term->rhs(), found.keyLoops)) {
      exponent = term->lhs();
      found.shift = term->rhs();
    } else if (expressions.resolveCasts(term->rhs())->isReduce<arith::MaximumFOp, arith::MaxNumFOp>()) {
      return fail(term, "the maximum that is subtracted runs over another dimension than the keys");
    }
  }
  if (factor) {
    exponent = expressions.apply<arith::MulFOp>({exponent, factor}, term->type, term->origin);
    if (found.shift)
      found.shift = expressions.apply<arith::MulFOp>({found.shift, factor}, term->type, term->origin);
  }
  found.scores = weight->isApply<math::Exp2Op>() ? toNaturalBase(exponent) : exponent;
  return success();
}

/// Whether a reduction runs over no less than the keys.
bool AttentionMatcher::hasAllKeys(Expr reduction) {
  int64_t numTerms = expressions.loops.getStaticSize(reduction->reduced);
  int64_t numKeys = expressions.loops.getStaticSize(found.keyLoops);
  return ShapedType::isDynamic(numTerms) || ShapedType::isDynamic(numKeys) || numTerms >= numKeys;
}

/// Whether a select takes `max` where that is finite, -inf being tested for.
static bool selectsFinite(Expressions &expressions, Expr condition, Expr max, bool takesIfTrue) {
  using P = arith::CmpFPredicate;
  condition = expressions.resolve(condition);
  if (!condition->isApply<arith::CmpFOp>())
    return false;
  Expr tested = expressions.resolveCasts(condition->lhs());
  bool isAbsolute = tested->isApply<math::AbsFOp>();
  if (!expressions.areEqual(isAbsolute ? tested->lhs() : tested, max) ||
      !expressions.isNumber(condition->rhs(), isAbsolute ? INFINITY : -INFINITY))
    return false;
  P predicate = cast<arith::CmpFPredicateAttr>(condition->attributes.get("predicate")).getValue();
  bool isEqual = predicate == P::OEQ || predicate == P::UEQ;
  bool isDifferent = predicate == P::ONE || predicate == P::UNE;
  return takesIfTrue ? isDifferent : isEqual;
}

/// Reads the larger one of x and a number, and select(x is finite, x, number): x and the number.
std::optional<std::pair<Expr, Expr>> AttentionMatcher::peelRowMax(Expr term) {
  if (term->isApply<arith::MaximumFOp, arith::MaxNumFOp>()) {
    if (expressions.isUniform(term->lhs()))
      return std::pair(term->rhs(), term->lhs());
    if (expressions.isUniform(term->rhs()))
      return std::pair(term->lhs(), term->rhs());
  }
  if (term->isApply<arith::SelectOp>())
    for (unsigned taken : {1, 2})
      if (expressions.isUniform(term->operands[3 - taken]) &&
          selectsFinite(expressions, term->operands[0], term->operands[taken], taken == 1))
        return std::pair(term->operands[taken], term->operands[3 - taken]);
  return std::nullopt;
}

/// Whether a term is the maximum of a row's exponents, of which -inf or the like may have been made the least, or been
/// replaced by another number.
bool AttentionMatcher::isRowMax(Expr term) {
  term = expressions.resolveCasts(term);
  if (auto peeled = peelRowMax(term))
    return isRowMax(peeled->first);
  return term->isReduce<arith::MaximumFOp, arith::MaxNumFOp>() && hasAllKeys(term) &&
         expressions.isBodyAt(term, exponent, found.keyLoops);
}
