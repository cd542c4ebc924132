//===- Expr.cpp - Evaluates the artifact's expressions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checked.h"
#include "Error.h"
#include "Problem.h"

#include <algorithm>

namespace fovea::runtime {
namespace {

fovea_status apply(ExprOp op, int64_t a, int64_t b, int64_t *result) {
  bool fits = true;
  switch (op) {
  case ExprOp::Add:
    fits = add(a, b, result);
    break;
  case ExprOp::Sub:
    fits = subtract(a, b, result);
    break;
  case ExprOp::Mul:
    fits = multiply(a, b, result);
    break;
  case ExprOp::FloorDiv:
  case ExprOp::CeilDiv:
  case ExprOp::Mod:
    if (b <= 0)
      return fail(FOVEA_OVERFLOW, "an expression of the artifact divides by %lld", static_cast<long long>(b));
    *result = op == ExprOp::FloorDiv ? floorDiv(a, b) : op == ExprOp::CeilDiv ? ceilDiv(a, b) : floorMod(a, b);
    break;
  case ExprOp::Min:
    *result = std::min(a, b);
    break;
  case ExprOp::Max:
    *result = std::max(a, b);
    break;
  case ExprOp::Ge:
    *result = a >= b;
    break;
  default:
    *result = a == b;
    break;
  }
  if (!fits)
    return fail(FOVEA_OVERFLOW, "a size of this problem, or a number made of its arguments, does not fit in 64 bits");
  return FOVEA_OK;
}

int64_t getLeaf(const ExprNode &node, const Problem &problem) {
  switch (node.op) {
  case ExprOp::ArgDim:
    return problem.arguments[node.a].sizes[node.b];
  case ExprOp::ResultDim:
    return problem.resultSizes[node.a][node.b];
  case ExprOp::ArgScalar:
    return getInteger(problem.arguments[node.a]);
  case ExprOp::Threads:
    return problem.threads;
  case ExprOp::Alignment:
    return problem.alignment;
  default:
    return node.a;
  }
}

} // namespace

int64_t getInteger(const fovea_value &scalar) {
  switch (scalar.type) {
  case FOVEA_I1:
    return scalar.scalar & 1;
  case FOVEA_I8:
    return static_cast<int8_t>(scalar.scalar);
  case FOVEA_I16:
    return static_cast<int16_t>(scalar.scalar);
  case FOVEA_I32:
    return static_cast<int32_t>(scalar.scalar);
  default:
    return static_cast<int64_t>(scalar.scalar);
  }
}

fovea_status evaluate(const Expr &expr, const Problem &problem, int64_t *value) {
  int64_t stack[kMaxExprDepth];
  int depth = 0;
  for (const ExprNode &node : expr) {
    if (node.op < ExprOp::Add) {
      stack[depth++] = getLeaf(node, problem);
      continue;
    }
    FOVEA_TRY(apply(node.op, stack[depth - 2], stack[depth - 1], &stack[depth - 2]));
    --depth;
  }
  *value = stack[0];
  return FOVEA_OK;
}

} // namespace fovea::runtime
