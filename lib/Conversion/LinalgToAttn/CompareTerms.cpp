//===- CompareTerms.cpp - Questions about scalar expressions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expressions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static Position rename(Position position, const Expressions::Renaming &renamed) {
  for (LoopId &loop : position)
    if (auto it = renamed.find(loop); it != renamed.end())
      loop = it->second;
  return position;
}

bool Expressions::arePositionsEqual(ArrayRef<Position> a, ArrayRef<Position> b, const Renaming &renamed) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [&](auto pair) {
           return loops.flatten(std::get<0>(pair)) == rename(loops.flatten(std::get<1>(pair)), renamed);
         });
}

bool Expressions::areOperandsEqual(Expr a, Expr b, const Renaming &renamed) {
  return a->name == b->name && a->attributes == b->attributes && a->operands.size() == b->operands.size() &&
         llvm::all_of(llvm::zip(a->operands, b->operands), [&](auto pair) {
           auto [x, y] = pair;
           return x && y ? areEqual(x, y, renamed) : x == y;
         });
}

bool Expressions::areEqual(Expr a, Expr b, const Renaming &renamed) {
  if (a == b && renamed.empty())
    return true;
  if (isExhausted())
    return false;
  if (a->isA(Kind::Element) && b->isA(Kind::Element) && a->value == b->value &&
      arePositionsEqual(a->at, b->at, renamed))
    return true;
  a = resolveCasts(a);
  b = resolveCasts(b);
  if (a->kind != b->kind)
    return false;
  switch (a->kind) {
  case Kind::Element:
    return a->value == b->value && arePositionsEqual(a->at, b->at, renamed);
  case Kind::Index:
    return arePositionsEqual({a->index}, {b->index}, renamed);
  case Kind::Scalar:
    return a->constant || b->constant ? a->constant == b->constant : a->value == b->value;
  case Kind::Apply:
    return areOperandsEqual(a, b, renamed);
  case Kind::Reduce: {
    Position loopsA = loops.flatten(a->reduced), loopsB = loops.flatten(b->reduced);
    if (loopsA.size() != loopsB.size())
      return false;
    Renaming inner = renamed;
    for (auto [x, y] : llvm::zip(loopsA, loopsB))
      inner[y] = x;
    return areOperandsEqual(a, b, inner);
  }
  }
  llvm_unreachable("unknown kind of term");
}

bool Expressions::isBodyAt(Expr reduction, Expr term, ArrayRef<LoopId> at) {
  // Comparing may split loops that both sides share.
  for (int attempt = 0; attempt < 2; ++attempt) {
    Position reduced = loops.flatten(reduction->reduced), flat = loops.flatten(at);
    if (reduced.size() != flat.size())
      return false;
    Renaming renamed;
    for (auto [from, to] : llvm::zip(reduced, flat))
      renamed[from] = to;
    if (areEqual(term, reduction->rhs(), renamed))
      return true;
  }
  return false;
}

bool Expressions::dependsOn(Expr term, ArrayRef<LoopId> on) {
  llvm::SmallPtrSet<Expr, 16> seen;
  return dependsOn(term, on, seen);
}

bool Expressions::dependsOn(Expr term, ArrayRef<LoopId> on, llvm::SmallPtrSetImpl<Expr> &seen) {
  if (!seen.insert(term).second)
    return false;
  Position sought = loops.flatten(on);
  auto isSought = [&](LoopId loop) { return llvm::is_contained(sought, loop); };
  if (term->isA(Kind::Index))
    return llvm::any_of(loops.flatten(term->index), isSought);
  if (term->isA(Kind::Element)) {
    if (llvm::none_of(loops.flattenAll(term->at), [&](const Position &at) { return llvm::any_of(at, isSought); }))
      return false;
    Expr next = expand(term);
    return !next || dependsOn(next, on, seen);
  }
  return llvm::any_of(term->operands, [&](Expr operand) { return operand && dependsOn(operand, on, seen); });
}

bool Expressions::coversTensor(Expr element) const {
  ArrayRef<int64_t> shape = cast<ShapedType>(element->value.getType()).getShape();
  return llvm::all_of(llvm::zip(shape, element->at), [&](auto pair) {
    int64_t size = std::get<0>(pair), loopSize = loops.getStaticSize(std::get<1>(pair));
    return size == loopSize || ShapedType::isDynamic(size) || ShapedType::isDynamic(loopSize);
  });
}

bool Expressions::reaches(Expr term, Expr other) {
  llvm::SmallPtrSet<Expr, 16> seen;
  return reaches(term, other, seen);
}

bool Expressions::reaches(Expr term, Expr other, llvm::SmallPtrSetImpl<Expr> &seen) {
  term = resolve(term);
  if (term == other || !seen.insert(term).second)
    return term == other;
  return term->isA(Kind::Apply) &&
         llvm::any_of(term->operands, [&](Expr operand) { return reaches(operand, other, seen); });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

bool Expressions::isUniform(Expr term) {
  if (isExhausted())
    return false;
  if (term->isA(Kind::Element)) {
    Expr resolved = resolve(term);
    if (!resolved->isA(Kind::Element))
      return isUniform(resolved);
    return llvm::all_of(loops.flattenAll(resolved->at), [](const Position &position) { return position.empty(); });
  }
  if (term->isA(Kind::Apply))
    return llvm::all_of(term->operands, [&](Expr operand) { return isUniform(operand); });
  return term->isA(Kind::Scalar);
}

static std::optional<double> toNumber(Attribute constant) {
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(constant); dense && dense.isSplat())
    constant = dense.getSplatValue<Attribute>();
  if (auto number = dyn_cast_or_null<FloatAttr>(constant))
    return number.getValueAsDouble();
  if (auto number = dyn_cast_or_null<IntegerAttr>(constant))
    return number.getValue().isSingleWord() ? std::optional<double>(number.getValue().getSExtValue()) : std::nullopt;
  return std::nullopt;
}

std::optional<double> Expressions::getNumber(Expr term) {
  if (isExhausted())
    return std::nullopt;
  term = resolveCasts(term);
  if (term->isA(Kind::Scalar))
    return toNumber(term->constant);
  if (!term->isA(Kind::Apply) || term->operands.empty() || term->operands.size() > 2 || !isUniform(term))
    return std::nullopt;
  std::optional<double> a = getNumber(term->lhs());
  std::optional<double> b = term->operands.size() == 2 ? getNumber(term->rhs()) : a;
  if (!a || !b)
    return std::nullopt;
  if (term->isApply<arith::MulFOp>())
    return *a * *b;
  if (term->isApply<arith::DivFOp>())
    return *a / *b;
  if (term->isApply<math::SqrtOp>())
    return std::sqrt(*a);
  if (term->isApply<math::RsqrtOp>())
    return 1 / std::sqrt(*a);
  if (term->isApply<arith::NegFOp>())
    return -*a;
  if (term->isApply<arith::SIToFPOp, arith::IndexCastOp>())
    return *a;
  return std::nullopt;
}
