//===- MatchProducts.cpp - The two products -*- C++ -*-===//
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

LogicalResult AttentionMatcher::fail(Operation *op, const Twine &rule) {
  if (miss.rule.empty())
    miss = {op ? op : found.root.getDefiningOp(), rule.str()};
  return failure();
}

LogicalResult AttentionMatcher::match(linalg::LinalgOp contraction, bool finiteAsMask) {
  found = {};
  miss = {};
  found.root = contraction->getResult(0);
  if (!isa<FloatType>(getElementTypeOrSelf(found.root.getType())))
    return fail(contraction, "the second product is not one of floats");
  for (int64_t dim = 0, rank = cast<ShapedType>(found.root.getType()).getRank(); dim < rank; ++dim)
    found.rootAt.push_back({expressions.loops.add(found.root, dim)});
  Expr product = expressions.resolve(expressions.element(found.root, found.rootAt));
  if (failed(matchSecondProduct(product)) || failed(matchScores(found.scores, finiteAsMask)) ||
      failed(matchFirstProduct()) || failed(checkLoops()))
    return failure();
  matchLse();
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The factors of a sum of products, or none.
static std::optional<std::pair<Expr, Expr>> getFactors(Expressions &expressions, Expr sum) {
  if (!sum->isReduce<arith::AddFOp>())
    return std::nullopt;
  Expr body = sum->rhs();
  while (body->isApply<arith::ExtFOp, arith::TruncFOp>())
    body = body->lhs();
  if (!body->isApply<arith::MulFOp>())
    return std::nullopt;
  return std::pair(body->lhs(), body->rhs());
}

/// Whether an exponential is above a term, below the next product.
static bool isAfterExponential(Expressions &expressions, Expr term, llvm::SmallPtrSetImpl<Expr> &seen) {
  term = expressions.resolveCasts(term);
  if (!term->isA(Kind::Apply) || !seen.insert(term).second)
    return false;
  return term->isApply<math::ExpOp, math::Exp2Op>() ||
         llvm::any_of(term->operands, [&](Expr operand) { return isAfterExponential(expressions, operand, seen); });
}

LogicalResult AttentionMatcher::matchSecondProduct(Expr product) {
  if (product->isApply<arith::AddFOp>() && product->lhs()->isA(Kind::Reduce))
    return fail(product, "the second product is added to a value that is not zero");
  auto factors = getFactors(expressions, product);
  if (!factors)
    return fail(product, "the second product is not a sum of products of floats");
  auto [weights, values] = *factors;
  auto isWeights = [&](Expr factor) {
    llvm::SmallPtrSet<Expr, 16> seen;
    return isAfterExponential(expressions, factor, seen);
  };
  // Where the way to the exponential is not seen, weights are what is computed here.
  if (!isWeights(weights) && (isWeights(values) || !expressions.resolveCasts(weights)->origin))
    std::swap(weights, values);
  found.keyLoops = product->reduced;
  if (failed(matchWeights(weights)))
    return failure();
  std::optional<OperandMatch> value = peelOperand(values, /*throughCasts=*/true, nullptr);
  if (!value)
    return fail(product, "the values are not a tensor");
  found.value = *value;
  this->values = values;
  secondProduct = product;
  return success();
}

/// A sum of products of which one factor depends on the keys and the other does not.
bool AttentionMatcher::isDot(Expr term) {
  auto factors = getFactors(expressions, term);
  return factors && expressions.dependsOn(factors->first, found.keyLoops) !=
                        expressions.dependsOn(factors->second, found.keyLoops);
}

Expr AttentionMatcher::findDot(Expr term, llvm::SmallPtrSetImpl<Expr> &seen) {
  term = expressions.resolve(term);
  if (!seen.insert(term).second || isDot(term))
    return isDot(term) ? term : nullptr;
  if (term->isReduce<arith::AddIOp>() && expressions.dependsOn(term, found.keyLoops))
    (void)fail(term, "the first product is one of integers");
  if (!term->isA(Kind::Apply))
    return nullptr;
  for (Expr operand : term->operands)
    if (Expr dot = findDot(operand, seen))
      return dot;
  return nullptr;
}

/// A power of two where `scale` is one but for the roundings of its parts, such as sqrt(scale) on both sides.
static double snapScale(double scale) {
  if (scale == 0)
    return scale;
  double rounded = std::exp2(std::round(std::log2(std::abs(scale))));
  return std::abs(std::abs(scale) / rounded - 1) < 0x1p-22 ? std::copysign(rounded, scale) : scale;
}

LogicalResult AttentionMatcher::matchFirstProduct() {
  SmallVector<Factor, 2> outer = found.factors;
  if (!matchOperands(/*throughCasts=*/true)) {
    found.factors = outer;
    if (!matchOperands(/*throughCasts=*/false))
      return fail(found.dot, "queries, keys and values are not tensors of one float type");
  }
  found.depthLoops = found.dot->reduced;
  for (const Factor &factor : found.factors) {
    std::optional<double> number = expressions.getNumber(factor.value);
    if (number)
      found.constantFactor = factor.divides ? found.constantFactor / *number : found.constantFactor * *number;
  }
  found.constantFactor = snapScale(found.constantFactor);
  if (!std::isfinite(static_cast<float>(found.constantFactor)))
    return fail(found.dot, "the scale is not finite");
  llvm::erase_if(found.factors, [&](const Factor &factor) { return expressions.getNumber(factor.value).has_value(); });
  return success();
}

/// Queries, keys and values, of one element type.
bool AttentionMatcher::matchOperands(bool throughCasts) {
  auto [query, key] = *getFactors(expressions, found.dot);
  if (expressions.dependsOn(query, found.keyLoops))
    std::swap(query, key);
  std::optional<OperandMatch> q = peelOperand(query, throughCasts, &found.factors);
  std::optional<OperandMatch> k = peelOperand(key, throughCasts, &found.factors);
  std::optional<OperandMatch> v = peelOperand(this->values, throughCasts, nullptr);
  if (!q || !k || !v)
    return false;
  found.query = *q;
  found.key = *k;
  found.value = *v;
  Type type = getElementTypeOrSelf(q->tensor.getType());
  return type == getElementTypeOrSelf(k->tensor.getType()) && type == getElementTypeOrSelf(v->tensor.getType());
}
