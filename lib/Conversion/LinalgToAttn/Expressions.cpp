//===- Expressions.cpp - Elements of tensors as scalar expressions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expressions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

//===----------------------------------------------------------------------===//
// Making terms
//===----------------------------------------------------------------------===//

Expr Expressions::add(Term term) {
  terms.push_back(std::move(term));
  return &terms.back();
}

Expr Expressions::element(Value tensor, Positions at) {
  for (Expr known : elements[tensor])
    if (known->at == at)
      return known;
  loops.learnSizes(tensor, at);
  Expr term = add({Kind::Element, getElementTypeOrSelf(tensor.getType()), tensor.getDefiningOp(), tensor, {}, at});
  elements[tensor].push_back(term);
  return term;
}

Expr Expressions::index(Position position, Type type) {
  Term term{Kind::Index, type};
  term.index = std::move(position);
  return add(std::move(term));
}

Expr Expressions::scalar(Value value) {
  Attribute constant;
  matchPattern(value, m_Constant(&constant));
  return add({Kind::Scalar, value.getType(), value.getDefiningOp(), value, constant});
}

Expr Expressions::constant(TypedAttr value) { return add({Kind::Scalar, value.getType(), nullptr, {}, value}); }

Expr Expressions::apply(OperationName name, DictionaryAttr attributes, ArrayRef<Expr> operands, Type type,
                        Operation *origin) {
  Term term{Kind::Apply, type, origin};
  term.name = name;
  term.attributes = attributes;
  term.operands.assign(operands.begin(), operands.end());
  return add(std::move(term));
}

Expr Expressions::reduce(OperationName name, Position reduced, Expr init, Expr body, Positions at, Operation *origin) {
  Term term{Kind::Reduce, body->type, origin};
  term.name = name;
  term.operands = {init, body};
  term.reduced = std::move(reduced);
  term.at = std::move(at);
  return add(std::move(term));
}

Expr Expressions::withOperands(Expr term, ArrayRef<Expr> operands) {
  Term copy = *term;
  copy.operands.assign(operands.begin(), operands.end());
  return add(std::move(copy));
}

//===----------------------------------------------------------------------===//
// Looking through
//===----------------------------------------------------------------------===//

Expr Expressions::expand(Expr element) {
  auto known = expansions.find(element);
  if (known != expansions.end())
    return known->second;
  Expr expansion = expandUncached(element);
  if (expansion && element->origin)
    visited.insert(element->origin);
  return expansions[element] = expansion;
}

Expr Expressions::resolve(Expr term) {
  while (term->isA(Kind::Element)) {
    Expr next = expand(term);
    if (!next)
      return term;
    term = next;
  }
  return term;
}

Expr Expressions::resolveCasts(Expr term) {
  term = resolve(term);
  while (term->isApply<arith::ExtFOp, arith::TruncFOp>())
    term = resolve(term->lhs());
  return term;
}
