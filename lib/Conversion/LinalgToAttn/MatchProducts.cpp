//===- MatchProducts.cpp - The two products and their operands -*- C++ -*-===//
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

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Reads x * c, x / c and -x for a uniform c.
bool AttentionMatcher::readFactor(Expr term, Expr &rest, SmallVectorImpl<Factor> &factors) {
  auto accept = [&](Expr inner, Expr value, bool divides) {
    rest = inner;
    factors.push_back({value, divides});
    return true;
  };
  if (term->isApply<arith::NegFOp>())
    return accept(term->lhs(), expressions.constant(FloatAttr::get(term->type, -1)), false);
  if (term->isApply<arith::MulFOp>() && expressions.isUniform(term->lhs()))
    return accept(term->rhs(), term->lhs(), false);
  if (term->isApply<arith::MulFOp, arith::DivFOp>() && expressions.isUniform(term->rhs()))
    return accept(term->lhs(), term->rhs(), term->isApply<arith::DivFOp>());
  return false;
}

/// Whether taking `factor` out of an operand keeps its meaning: in 16 bits a product by another number than a power of
/// two is rounded.
bool AttentionMatcher::isExactFactor(Expr product, const Factor &factor) {
  if (product->type.getIntOrFloatBitWidth() >= 32 || options.moveScale)
    return true;
  int exponent;
  std::optional<double> number = expressions.getNumber(factor.value);
  return number && std::abs(std::frexp(*number, &exponent)) == 0.5;
}

/// The tensor that an operand is read from: the one furthest back from which only reshapes, transpositions, broadcasts,
/// extensions and, where `factors` are taken, uniform factors lead here.
std::optional<OperandMatch> AttentionMatcher::peelOperand(Expr term, bool throughCasts,
                                                          SmallVectorImpl<Factor> *factors) {
  std::optional<OperandMatch> best;
  SmallVector<Factor> pending;
  Type bestType;
  while (true) {
    Expr rest;
    if (term->isA(Kind::Element)) {
      if (bestType && !throughCasts && term->type != bestType)
        break;
      bestType = term->type;
      best = {term->value, term->at};
      if (factors)
        factors->append(pending);
      pending.clear();
      Expr next = expressions.expand(term);
      if (!next)
        break;
      term = next;
    } else if (term->isApply<arith::ExtFOp>()) {
      term = term->lhs();
    } else if (factors && readFactor(term, rest, pending) && isExactFactor(term, pending.back())) {
      term = rest;
    } else {
      break;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The loops of an operand; none if a loop occurs twice.
static std::optional<llvm::SmallSetVector<LoopId, 8>> getLoops(const LoopSpace &loops, const OperandMatch &operand) {
  llvm::SmallSetVector<LoopId, 8> result;
  for (const Position &position : loops.flattenAll(operand.at))
    for (LoopId loop : position)
      if (!result.insert(loop))
        return std::nullopt;
  return result;
}

LogicalResult AttentionMatcher::checkLoops() {
  LoopSpace &loops = expressions.loops;
  for (const OperandMatch *operand : {&found.query, &found.key, &found.value})
    loops.readSizesFrom(operand->tensor, operand->at);
  auto q = getLoops(loops, found.query), k = getLoops(loops, found.key), v = getLoops(loops, found.value);
  if (!q || !k || !v)
    return fail(found.dot, "an operand is read along a diagonal");
  found.keyLoops = loops.flatten(found.keyLoops);
  found.depthLoops = loops.flatten(found.depthLoops);
  Position rootLoops;
  for (const Position &position : loops.flattenAll(found.rootAt))
    rootLoops.append(position);
  found.valueLoops.clear();
  for (LoopId loop : rootLoops)
    if (v->contains(loop) && !q->contains(loop) && !k->contains(loop))
      found.valueLoops.push_back(loop);
  for (LoopId loop : rootLoops)
    if (!llvm::is_contained(found.valueLoops, loop) && k->contains(loop) != v->contains(loop))
      return fail(found.dot, "keys and values do not have the same batch dimensions");
  auto isIn = [](ArrayRef<LoopId> some, auto &all) {
    return llvm::all_of(some, [&](LoopId loop) { return all->contains(loop); });
  };
  if (!isIn(found.keyLoops, k) || !isIn(found.keyLoops, v))
    return fail(found.dot, "keys and values do not have the same key dimension");
  if (!isIn(found.depthLoops, q) || !isIn(found.depthLoops, k))
    return fail(found.dot, "the first product does not sum over a dimension of both queries and keys");
  auto isKnown = [&](LoopId loop) {
    return llvm::is_contained(rootLoops, loop) || llvm::is_contained(found.keyLoops, loop) ||
           llvm::is_contained(found.depthLoops, loop);
  };
  if (!llvm::all_of(*q, isKnown) || !llvm::all_of(*k, isKnown) || !llvm::all_of(*v, isKnown))
    return fail(found.dot, "an operand has a dimension that the output has not");
  auto isDynamic = [&](LoopId loop) { return ShapedType::isDynamic(loops.getStaticSize(loop)); };
  if (llvm::any_of(found.depthLoops, isDynamic) || llvm::any_of(found.valueLoops, isDynamic))
    return fail(found.dot, "the size of a head is dynamic");
  Type type = getElementTypeOrSelf(found.query.tensor.getType());
  if (!type.isF32() && !type.isF16() && !type.isBF16())
    return fail(found.dot, "attention has no element type such as that of the queries");
  Type rootType = getElementTypeOrSelf(found.root.getType());
  if (!rootType.isF32() && !rootType.isF16() && !rootType.isBF16())
    return fail(found.root.getDefiningOp(), "attention has no element type such as that of the output");
  return success();
}
