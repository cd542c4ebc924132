//===- Constraints.cpp - What of an op's shapes is checked at launch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunction.h"
#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using attn::AttentionOp;

namespace {

/// Adds a constraint unless both sides are the same expression or it is known to hold.
class ConstraintList {
public:
  explicit ConstraintList(std::vector<std::unique_ptr<abi::ConstraintT>> &constraints) : constraints(constraints) {}

  void requireEqual(const Expr &lhs, const Expr &rhs, const Twine &what) {
    if (!isSame(lhs, rhs))
      add(getBinaryExpr(abi::ExprOp::Eq, lhs, rhs), what + ": {0} and {1} differ", {lhs, rhs});
  }

  /// `size` is 1 or `full`.
  void requireBroadcast(const Expr &size, const Expr &full, const Twine &what) {
    if (isSame(size, full) || isSame(size, getConstantExpr(1)))
      return;
    Expr isOne = getBinaryExpr(abi::ExprOp::Eq, size, getConstantExpr(1));
    Expr isFull = getBinaryExpr(abi::ExprOp::Eq, size, full);
    add(getBinaryExpr(abi::ExprOp::Max, isOne, isFull), what + " is {0}, must be 1 or {1}", {size, full});
  }

  /// `lhs` is a multiple of `rhs`; both may be 0.
  void requireMultiple(const Expr &lhs, const Expr &rhs, const Twine &what) {
    Expr divisor = getBinaryExpr(abi::ExprOp::Max, rhs, getConstantExpr(1));
    Expr divides = getBinaryExpr(abi::ExprOp::Eq, getBinaryExpr(abi::ExprOp::Mod, lhs, divisor), getConstantExpr(0));
    // rhs = 0 needs lhs = 0: rhs * lhs >= lhs holds then and always where rhs >= 1.
    Expr notEmpty = getBinaryExpr(abi::ExprOp::Ge, getBinaryExpr(abi::ExprOp::Mul, rhs, lhs), lhs);
    add(getBinaryExpr(abi::ExprOp::Min, divides, notEmpty), what, {lhs, rhs});
  }

  /// A place in the whole from which `count` positions fit below `kPositionLimit`.
  void requirePlace(const Expr &place, const Expr &count, const Twine &what) {
    Expr last = getBinaryExpr(abi::ExprOp::Sub, getConstantExpr(kPositionLimit), count);
    Expr isBefore = getBinaryExpr(abi::ExprOp::Ge, last, place);
    Expr isPositive = getBinaryExpr(abi::ExprOp::Ge, place, getConstantExpr(0));
    add(getBinaryExpr(abi::ExprOp::Min, isPositive, isBefore),
        what + " is {0}, but positions go from 0 to below 2^40; 0 to {1} works", {place, last});
  }

  /// What positions in the whole stay below, so that regions compute with them in 64 bits.
  static constexpr int64_t kPositionLimit = int64_t(1) << attn::IntervalBuilder::kPositionBits;

private:
  static bool isSame(const Expr &lhs, const Expr &rhs) {
    return lhs.size() == rhs.size() &&
           std::equal(lhs.begin(), lhs.end(), rhs.begin(), [](const auto &a, const auto &b) {
             return a.op() == b.op() && a.a() == b.a() && a.b() == b.b();
           });
  }

  void add(Expr expr, const Twine &message, ArrayRef<Expr> values) {
    auto constraint = std::make_unique<abi::ConstraintT>();
    constraint->expr = toTable(std::move(expr));
    constraint->message = message.str();
    for (const Expr &value : values)
      constraint->values.push_back(toTable(value));
    constraints.push_back(std::move(constraint));
  }

  std::vector<std::unique_ptr<abi::ConstraintT>> &constraints;
};

/// A dimension that must equal one of the problem's sizes.
struct DimRule {
  Value value;
  int64_t dim;
  attn::ProblemSymbol symbol;
  StringRef what;
};

} // namespace

static SmallVector<DimRule> getDimRules(AttentionOp op) {
  using attn::ProblemSymbol;
  SmallVector<DimRule> rules = {
      {op.getKey(), 0, ProblemSymbol::Batch, "batch of key (dimension 0) and query"},
      {op.getValue(), 0, ProblemSymbol::Batch, "batch of value (dimension 0) and query"},
      {op.getValue(), 1, ProblemSymbol::KVHeads, "heads of value (dimension 1) and key"},
      {op.getValue(), 2, ProblemSymbol::KVLength, "length of value (dimension 2) and key"},
      {op.getOutput(), 0, ProblemSymbol::Batch, "batch of output (dimension 0) and query"},
      {op.getOutput(), 1, ProblemSymbol::QueryHeads, "heads of output (dimension 1) and query"},
      {op.getOutput(), 2, ProblemSymbol::QueryLength, "length of output (dimension 2) and query"}};
  if (Value lse = op.getLse()) {
    rules.push_back({lse, 0, ProblemSymbol::Batch, "batch of lse (dimension 0) and query"});
    rules.push_back({lse, 1, ProblemSymbol::QueryHeads, "heads of lse (dimension 1) and query"});
    rules.push_back({lse, 2, ProblemSymbol::QueryLength, "length of lse (dimension 2) and query"});
  }
  if (Value sink = op.getSink())
    rules.push_back({sink, 0, ProblemSymbol::QueryHeads, "sink (dimension 0) and heads of query"});
  if (Value lengths = op.getKvLengths())
    rules.push_back({lengths, 0, ProblemSymbol::Batch, "kv_lengths (dimension 0) and batch of query"});
  if (Value offset = op.getOffset(); offset && isa<ShapedType>(offset.getType()))
    rules.push_back({offset, 0, ProblemSymbol::Batch, "offset (dimension 0) and batch of query"});
  return rules;
}

/// A map has a state for each block.
static LogicalResult addBlockMapConstraints(AttentionOp op, const ProblemExprs &problem, ConstraintList &list) {
  using attn::ProblemSymbol;
  Value map = op.getBlockMap();
  const ProblemSymbol symbols[] = {ProblemSymbol::Batch, ProblemSymbol::QueryHeads, ProblemSymbol::QueryLength,
                                   ProblemSymbol::KVLength};
  for (int64_t dim = 0; map && dim < 4; ++dim) {
    FailureOr<Expr> size = convertDim(map, dim);
    if (failed(size))
      return failure();
    const Expr &full = problem[static_cast<unsigned>(symbols[dim])];
    std::string what = ("block_map dimension " + Twine(dim)).str();
    if (dim < 2) {
      list.requireBroadcast(*size, full, what);
      continue;
    }
    int64_t block = (*op.getBlockMapSizes())[dim - 2];
    Expr blocks = getBinaryExpr(abi::ExprOp::CeilDiv, full, getConstantExpr(block));
    list.requireEqual(*size, blocks, what + " and the blocks of " + Twine(block) + (dim == 2 ? " queries" : " keys"));
  }
  return success();
}

/// A base lies in a whole whose positions regions can compute with.
static LogicalResult addBaseConstraints(AttentionOp op, const ProblemExprs &problem, ConstraintList &list) {
  using attn::ProblemSymbol;
  const std::pair<ProblemSymbol, StringRef> sizes[] = {{ProblemSymbol::Batch, "base of the batch entries"},
                                                       {ProblemSymbol::QueryHeads, "base of the heads"},
                                                       {ProblemSymbol::QueryLength, "base of the queries"},
                                                       {ProblemSymbol::KVLength, "base of the keys"}};
  for (auto [base, size] : llvm::zip(op.getBase(), sizes)) {
    APInt constant;
    if (matchPattern(base, m_ConstantInt(&constant)) && constant.ugt(ConstraintList::kPositionLimit))
      return op.emitOpError() << size.second << " is " << constant.getSExtValue()
                              << ", but positions go from 0 to below 2^40";
    FailureOr<Expr> place = convertIndexValue(base);
    if (failed(place))
      return failure();
    list.requirePlace(*place, problem[static_cast<unsigned>(size.first)], size.second);
  }
  return success();
}

LogicalResult fovea::addConstraints(AttentionOp op, std::vector<std::unique_ptr<abi::ConstraintT>> &constraints) {
  FailureOr<ProblemExprs> problem = getProblemExprs(op);
  if (failed(problem))
    return failure();
  auto get = [&](attn::ProblemSymbol symbol) -> const Expr & { return (*problem)[static_cast<unsigned>(symbol)]; };
  ConstraintList list(constraints);
  for (const DimRule &rule : getDimRules(op)) {
    FailureOr<Expr> size = convertDim(rule.value, rule.dim);
    if (failed(size))
      return failure();
    list.requireEqual(*size, get(rule.symbol), rule.what);
  }
  using attn::ProblemSymbol;
  list.requireMultiple(get(ProblemSymbol::QueryHeads), get(ProblemSymbol::KVHeads),
                       "query has {0} heads, which is no multiple of the {1} heads of key");
  // With a base, bias and mask have the sizes of a larger problem.
  if (!op.getBase().empty())
    return addBaseConstraints(op, *problem, list);
  const ProblemSymbol broadcast[] = {ProblemSymbol::Batch, ProblemSymbol::QueryHeads, ProblemSymbol::QueryLength,
                                     ProblemSymbol::KVLength};
  for (auto [value, name] : {std::pair<Value, StringRef>(op.getBias(), "bias"), {op.getMask(), "mask"}}) {
    for (int64_t dim = 0; value && dim < 4; ++dim) {
      FailureOr<Expr> size = convertDim(value, dim);
      if (failed(size))
        return failure();
      list.requireBroadcast(*size, get(broadcast[dim]), name + Twine(" dimension ") + Twine(dim));
    }
  }
  return addBlockMapConstraints(op, *problem, list);
}
