//===- KnownDims.cpp - What is known of dimensions before a launch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownDims.h"

#include <algorithm>

using namespace fovea::runtime;

void fovea::runtime::findEqualDims(fovea_function &function) {
  std::vector<Value> &arguments = function.arguments;
  for (Value &value : arguments)
    std::fill_n(value.same, FOVEA_MAX_RANK, std::make_pair(-1, -1));
  auto getRoot = [&](std::pair<int, int> dim) {
    while (arguments[dim.first].same[dim.second].first >= 0)
      dim = arguments[dim.first].same[dim.second];
    return dim;
  };
  auto join = [&](const ExprNode &a, std::pair<int, int> b) {
    std::pair<int, int> rootA = getRoot({static_cast<int>(a.a), a.b}), rootB = getRoot(b);
    if (rootA != rootB) {
      std::pair<int, int> later = std::max(rootA, rootB);
      arguments[later.first].same[later.second] = std::min(rootA, rootB);
    }
  };
  for (size_t i = 0; i < arguments.size(); ++i)
    for (int d = 0; d < arguments[i].rank; ++d)
      if (const Expr &dim = arguments[i].dims[d]; dim.size() == 1 && dim[0].op == ExprOp::ArgDim)
        join(dim[0], {static_cast<int>(i), d});
  for (const Constraint &constraint : function.constraints)
    if (const Expr &e = constraint.expr;
        e.size() == 3 && e[0].op == ExprOp::ArgDim && e[1].op == ExprOp::ArgDim && e[2].op == ExprOp::Eq)
      join(e[0], {static_cast<int>(e[1].a), e[1].b});
  for (size_t i = 0; i < arguments.size(); ++i)
    for (int d = 0; d < arguments[i].rank; ++d)
      if (std::pair<int, int> self{static_cast<int>(i), d}; getRoot(self) != self)
        arguments[i].same[d] = getRoot(self);
}

void fovea::runtime::findKnownDims(fovea_function &function) {
  auto isConstant = [](const Expr &e) { return e.size() == 1 && e[0].op == ExprOp::Const; };
  for (std::vector<Value> *values : {&function.arguments, &function.results})
    for (Value &value : *values)
      for (int d = 0; d < FOVEA_MAX_RANK; ++d)
        value.known[d] = d < value.rank && isConstant(value.dims[d]) ? value.dims[d][0].a : -1;
  auto getRoot = [&](size_t i, int d) -> int64_t & {
    auto [argument, dim] = function.arguments[i].same[d];
    return argument < 0 ? function.arguments[i].known[d] : function.arguments[argument].known[dim];
  };
  for (const Constraint &constraint : function.constraints) {
    const Expr &e = constraint.expr;
    if (e.size() != 3 || e[2].op != ExprOp::Eq)
      continue;
    const ExprNode &dim = e[0].op == ExprOp::ArgDim ? e[0] : e[1], &size = e[0].op == ExprOp::ArgDim ? e[1] : e[0];
    if (dim.op == ExprOp::ArgDim && size.op == ExprOp::Const)
      getRoot(dim.a, dim.b) = size.a;
  }
  for (size_t i = 0; i < function.arguments.size(); ++i)
    for (int d = 0; d < function.arguments[i].rank; ++d)
      if (int64_t &known = function.arguments[i].known[d]; known >= 0 && getRoot(i, d) < 0)
        getRoot(i, d) = known;
  for (size_t i = 0; i < function.arguments.size(); ++i)
    for (int d = 0; d < function.arguments[i].rank; ++d)
      if (int64_t &known = function.arguments[i].known[d]; known < 0)
        known = getRoot(i, d);
}
