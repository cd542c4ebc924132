//===- ExprTests.cpp - Expressions are exact or refused -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "Test.h"

using namespace fovea::runtime;

namespace {

ExprNode constant(int64_t value) { return {value, 0, ExprOp::Const}; }
ExprNode op(ExprOp op) { return {0, 0, op}; }

fovea_status apply(ExprOp operation, int64_t a, int64_t b, int64_t *value) {
  Problem problem = {};
  return evaluate({constant(a), constant(b), op(operation)}, problem, value);
}

int64_t get(ExprOp operation, int64_t a, int64_t b) {
  int64_t value = -1;
  CHECK_OK(apply(operation, a, b, &value));
  return value;
}

} // namespace

TEST(exprOperators) {
  CHECK(get(ExprOp::Add, 2, 3) == 5);
  CHECK(get(ExprOp::Sub, 2, 3) == -1);
  CHECK(get(ExprOp::Mul, -2, 3) == -6);
  CHECK(get(ExprOp::FloorDiv, 7, 2) == 3 && get(ExprOp::FloorDiv, -7, 2) == -4 && get(ExprOp::FloorDiv, -8, 2) == -4);
  CHECK(get(ExprOp::CeilDiv, 7, 2) == 4 && get(ExprOp::CeilDiv, -7, 2) == -3 && get(ExprOp::CeilDiv, 8, 2) == 4);
  CHECK(get(ExprOp::Mod, 7, 3) == 1 && get(ExprOp::Mod, -7, 3) == 2);
  CHECK(get(ExprOp::Min, 7, 3) == 3 && get(ExprOp::Max, 7, 3) == 7);
  CHECK(get(ExprOp::Ge, 7, 7) == 1 && get(ExprOp::Ge, 6, 7) == 0 && get(ExprOp::Eq, 7, 7) == 1);
  CHECK(get(ExprOp::FloorDiv, INT64_MIN, 1) == INT64_MIN && get(ExprOp::CeilDiv, INT64_MAX, 1) == INT64_MAX);
}

TEST(exprOverflowIsAnError) {
  int64_t value;
  CHECK_FAILS(apply(ExprOp::Add, INT64_MAX, 1, &value), FOVEA_OVERFLOW, "64 bits");
  CHECK_FAILS(apply(ExprOp::Sub, INT64_MIN, 1, &value), FOVEA_OVERFLOW, "64 bits");
  CHECK_FAILS(apply(ExprOp::Mul, INT64_MAX / 2 + 1, 2, &value), FOVEA_OVERFLOW, "64 bits");
  CHECK_FAILS(apply(ExprOp::FloorDiv, 1, 0, &value), FOVEA_OVERFLOW, "divides by 0");
  CHECK_FAILS(apply(ExprOp::Mod, 1, -2, &value), FOVEA_OVERFLOW, "divides by -2");
}

TEST(exprLeaves) {
  int64_t sizes[] = {5, 7};
  fovea_value arguments[] = {fovea_tensor(FOVEA_F32, nullptr, 2, sizes, nullptr), fovea_integer(FOVEA_I32, -3)};
  Problem problem = {};
  problem.arguments = arguments;
  problem.threads = 4;
  problem.alignment = 16;
  problem.resultSizes[2][1] = 11;
  auto leaf = [&](ExprOp op, int64_t a, int b) {
    int64_t value = 0;
    CHECK_OK(evaluate({{a, b, op}}, problem, &value));
    return value;
  };
  CHECK(leaf(ExprOp::ArgDim, 0, 1) == 7);
  CHECK(leaf(ExprOp::ArgScalar, 1, 0) == -3);
  CHECK(leaf(ExprOp::ResultDim, 2, 1) == 11);
  CHECK(leaf(ExprOp::Threads, 0, 0) == 4);
  CHECK(leaf(ExprOp::Alignment, 0, 0) == 16);
}
