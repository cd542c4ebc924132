//===- MatchOperands.cpp - Queries, keys and values -*- C++ -*-===//
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
      if ((bestType && !throughCasts && term->type != bestType) || !expressions.coversTensor(term))
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
  auto isEmpty = [&](LoopId loop) { return loops.getStaticSize(loop) == 0; };
  if (llvm::any_of(found.depthLoops, isEmpty) || llvm::any_of(found.valueLoops, isEmpty))
    return fail(found.dot, "the size of a head is 0");
  for (Value tensor : {found.query.tensor, found.key.tensor, found.value.tensor, found.root})
    if (cast<RankedTensorType>(tensor.getType()).getEncoding())
      return fail(found.dot, "a tensor has an encoding");
  Type type = getElementTypeOrSelf(found.query.tensor.getType());
  if (!type.isF32() && !type.isF16() && !type.isBF16())
    return fail(found.dot, "attention has no element type such as that of the queries");
  for (auto [term, what] : {std::pair(found.dot, "first product"), std::pair(found.weight, "softmax"),
                            std::pair(secondProduct, "second product")})
    if (term->type.getIntOrFloatBitWidth() > 32)
      return fail(term, "the " + Twine(what) + " is computed in a type wider than f32");
  Type rootType = getElementTypeOrSelf(found.root.getType());
  if (!rootType.isF32() && !rootType.isF16() && !rootType.isBF16())
    return fail(found.root.getDefiningOp(), "attention has no element type such as that of the output");
  return success();
}
