//===- Expression.h - Formulas for inputs and expected values -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_EXPRESSION_H
#define FOVEA_RUN_EXPRESSION_H

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::run {

/// A formula in f64 over the indices of an element: `i0` ... `i7`; numbers, `inf`, `nan`; `+ - * / %` (% is never
/// negative), comparisons, `! && ||`, `c ? a : b`, and floor, frac, exp, log, sqrt, abs, min, max, pow.
class Expression {
public:
  /// Throws a failure that says where the text is wrong.
  explicit Expression(const std::string &text);
  double evaluate(const int64_t *indices) const;

private:
  friend class ExpressionParser;
  enum class Op : uint8_t {
    Number,
    Index,
    Negate,
    Not,
    Floor,
    Frac,
    Exp,
    Log,
    Sqrt,
    Abs,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Min,
    Max,
    Pow,
    Select
  };
  struct Node {
    Op op;
    double number;
  };
  static constexpr int kMaxDepth = 64;
  /// A function of one number (up to `Abs`) or of two (up to `Pow`).
  static double apply(Op op, double a);
  static double apply(Op op, double a, double b);

  std::vector<Node> nodes;
};

} // namespace fovea::run

#endif // FOVEA_RUN_EXPRESSION_H
