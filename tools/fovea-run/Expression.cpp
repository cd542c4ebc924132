//===- Expression.cpp - Formulas for inputs and expected values -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "Failure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace fovea::run {

/// Recursive descent into postfix code.
class ExpressionParser {
public:
  using Op = Expression::Op;
  ExpressionParser(const std::string &text, std::vector<Expression::Node> &nodes)
      : begin(text.c_str()), next(begin), nodes(nodes) {}

  void parse() {
    parseSelect();
    skip();
    if (*next)
      fail("unexpected text");
  }

private:
  [[noreturn]] void fail(const char *what) {
    failWith("expression '%.200s': %s at character %d", begin, what, static_cast<int>(next - begin) + 1);
  }
  void skip() { next += std::strspn(next, " "); }
  bool take(const char *token) {
    skip();
    if (std::strncmp(next, token, std::strlen(token)) != 0)
      return false;
    next += std::strlen(token);
    return true;
  }
  void expect(const char *token, const char *what) {
    if (!take(token))
      fail(what);
  }

  void emit(Op op, double number = 0) {
    depth += op <= Op::Index ? 1 : op <= Op::Abs ? 0 : op == Op::Select ? -2 : -1;
    if (depth > Expression::kMaxDepth)
      fail("it is nested too deeply");
    nodes.push_back({op, number});
  }

  void parseSelect() {
    if (++nesting > Expression::kMaxDepth)
      fail("it is nested too deeply");
    parseBinary(0);
    if (take("?")) {
      parseSelect();
      expect(":", "expected ':'");
      parseSelect();
      emit(Op::Select);
    }
    --nesting;
  }

  struct Binary {
    const char *token;
    int level;
    Op op;
  };
  const Binary *takeBinary(int level) {
    static constexpr Binary kOperators[] = {
        {"||", 0, Op::Or},    {"&&", 1, Op::And},      {"<=", 2, Op::LessEqual}, {">=", 2, Op::GreaterEqual},
        {"==", 2, Op::Equal}, {"!=", 2, Op::NotEqual}, {"<", 2, Op::Less},       {">", 2, Op::Greater},
        {"+", 3, Op::Add},    {"-", 3, Op::Subtract},  {"*", 4, Op::Multiply},   {"/", 4, Op::Divide},
        {"%", 4, Op::Modulo}};
    for (const Binary &binary : kOperators)
      if (binary.level == level && take(binary.token))
        return &binary;
    return nullptr;
  }

  void parseBinary(int level) {
    if (level == 5)
      return parseUnary();
    parseBinary(level + 1);
    while (const Binary *binary = takeBinary(level)) {
      parseBinary(level + 1);
      emit(binary->op);
    }
  }

  void parseUnary() {
    int negations = 0, nots = 0;
    while (true) {
      // Behind a `!` a sign changes nothing.
      if (take("-"))
        negations += !nots;
      else if (take("!"))
        ++nots;
      else
        break;
    }
    parsePrimary();
    if (nots) {
      emit(Op::Not);
      if (nots % 2 == 0)
        emit(Op::Not);
    }
    if (negations % 2)
      emit(Op::Negate);
  }

  void parseCall(Op op, int arity) {
    expect("(", "expected '('");
    parseSelect();
    for (int i = 1; i < arity; ++i) {
      expect(",", "expected ','");
      parseSelect();
    }
    expect(")", "expected ')'");
    emit(op);
  }

  void parsePrimary() {
    static constexpr struct {
      const char *name;
      Op op;
      int arity;
    } kFunctions[] = {{"floor", Op::Floor, 1}, {"frac", Op::Frac, 1}, {"exp", Op::Exp, 1},
                      {"log", Op::Log, 1},     {"sqrt", Op::Sqrt, 1}, {"abs", Op::Abs, 1},
                      {"min", Op::Min, 2},     {"max", Op::Max, 2},   {"pow", Op::Pow, 2}};
    if (take("(")) {
      parseSelect();
      return expect(")", "expected ')'");
    }
    for (const auto &function : kFunctions)
      if (take(function.name))
        return parseCall(function.op, function.arity);
    if (take("inf"))
      return emit(Op::Number, INFINITY);
    if (take("nan"))
      return emit(Op::Number, NAN);
    if (next[0] == 'i' && next[1] >= '0' && next[1] <= '7') {
      emit(Op::Index, next[1] - '0');
      next += 2;
      return;
    }
    char *end;
    double number = std::strtod(next, &end);
    if (end == next || !std::strchr("0123456789.", *next))
      fail("expected a number, an index i0 to i7, a function or '('");
    next = end;
    emit(Op::Number, number);
  }

  const char *begin, *next;
  std::vector<Expression::Node> &nodes;
  int depth = 0, nesting = 0;
};

Expression::Expression(const std::string &text) { ExpressionParser(text, nodes).parse(); }

double Expression::apply(Op op, double a) {
  switch (op) {
  case Op::Negate:
    return -a;
  case Op::Not:
    return a == 0;
  case Op::Floor:
    return std::floor(a);
  case Op::Frac:
    return a - std::floor(a);
  case Op::Exp:
    return std::exp(a);
  case Op::Log:
    return std::log(a);
  case Op::Sqrt:
    return std::sqrt(a);
  default:
    return std::fabs(a);
  }
}

double Expression::apply(Op op, double a, double b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Subtract:
    return a - b;
  case Op::Multiply:
    return a * b;
  case Op::Divide:
    return a / b;
  case Op::Modulo:
    return a - b * std::floor(a / b);
  case Op::Less:
    return a < b;
  case Op::LessEqual:
    return a <= b;
  case Op::Greater:
    return a > b;
  case Op::GreaterEqual:
    return a >= b;
  case Op::Equal:
    return a == b;
  case Op::NotEqual:
    return a != b;
  case Op::And:
    return a != 0 && b != 0;
  case Op::Or:
    return a != 0 || b != 0;
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  default:
    return std::pow(a, b);
  }
}

double Expression::evaluate(const int64_t *indices) const {
  double stack[kMaxDepth + 1];
  int top = -1;
  for (const Node &node : nodes) {
    if (node.op <= Op::Index) {
      stack[++top] = node.op == Op::Number ? node.number : static_cast<double>(indices[static_cast<int>(node.number)]);
    } else if (node.op <= Op::Abs) {
      stack[top] = apply(node.op, stack[top]);
    } else if (node.op < Op::Select) {
      --top;
      stack[top] = apply(node.op, stack[top], stack[top + 1]);
    } else {
      top -= 2;
      stack[top] = stack[top] != 0 ? stack[top + 1] : stack[top + 2];
    }
  }
  return stack[0];
}

} // namespace fovea::run
