//===- Flops.cpp - Floating-point operations of an op -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunction.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fovea;
using attn::AttentionOp;

static Expr add(const Expr &lhs, const Expr &rhs) { return getBinaryExpr(abi::ExprOp::Add, lhs, rhs); }
static Expr sub(const Expr &lhs, const Expr &rhs) { return getBinaryExpr(abi::ExprOp::Sub, lhs, rhs); }
static Expr mul(const Expr &lhs, const Expr &rhs) { return getBinaryExpr(abi::ExprOp::Mul, lhs, rhs); }

/// Far beyond every position: what windows and offsets are cut to, whose sums then fit in 64 bits.
static constexpr int64_t kFar = int64_t(1) << 61;

static Expr clamp(const Expr &x, const Expr &low, const Expr &high) {
  return getBinaryExpr(abi::ExprOp::Min, getBinaryExpr(abi::ExprOp::Max, x, low), high);
}

/// x (x + 1) / 2 for positive x, otherwise 0.
static Expr getTriangle(const Expr &x) {
  Expr positive = getBinaryExpr(abi::ExprOp::Max, x, getConstantExpr(0));
  return getBinaryExpr(abi::ExprOp::FloorDiv, mul(positive, add(positive, getConstantExpr(1))), getConstantExpr(2));
}

/// The sum over i in [0, queries) of clamp(i + shift, 0, keys), which is the same for all shifts further out than
/// -queries and keys.
static Expr sumOfClamped(const Expr &anyShift, const Expr &queries, const Expr &keys) {
  Expr shift = clamp(anyShift, sub(getConstantExpr(0), queries), keys);
  auto sumOfPositive = [&](const Expr &s) {
    Expr last = add(s, sub(queries, getConstantExpr(1))), beforeFirst = sub(s, getConstantExpr(1));
    return sub(getTriangle(last), getTriangle(beforeFirst));
  };
  return sub(sumOfPositive(shift), sumOfPositive(sub(shift, keys)));
}

/// The diagonal as an expression; nothing where it differs between batches.
static std::optional<Expr> getDiagonal(AttentionOp op, const Expr &queries, const Expr &keys) {
  switch (op.getDiagonal().value_or(attn::Diagonal::TopLeft)) {
  case attn::Diagonal::TopLeft:
    return getConstantExpr(0);
  case attn::Diagonal::BottomRight:
    return sub(keys, queries);
  case attn::Diagonal::Offset:
    break;
  }
  auto argument = dyn_cast<BlockArgument>(op.getOffset());
  if (isa<ShapedType>(op.getOffset().getType()) || !argument)
    return std::nullopt;
  Expr offset{abi::ExprNode(abi::ExprOp::ArgScalar, 0, argument.getArgNumber())};
  return clamp(offset, getConstantExpr(-kFar), getConstantExpr(kFar));
}

Expr fovea::getFlops(AttentionOp op, const ProblemExprs &problem) {
  auto get = [&](attn::ProblemSymbol symbol) { return problem[static_cast<unsigned>(symbol)]; };
  Expr queries = get(attn::ProblemSymbol::QueryLength), keys = get(attn::ProblemSymbol::KVLength);
  Expr heads = mul(get(attn::ProblemSymbol::Batch), get(attn::ProblemSymbol::QueryHeads));
  Expr perPair = mul(heads, getConstantExpr(2 * (op.getQKDepth() + op.getVDepth())));
  Expr pairs = mul(queries, keys);
  std::optional<int64_t> left = op.getWindowLeft(), right = op.getRightBound();
  std::optional<Expr> diagonal = getDiagonal(op, queries, keys);
  if (diagonal && right)
    pairs = sumOfClamped(add(*diagonal, getConstantExpr(std::min(*right, kFar) + 1)), queries, keys);
  if (diagonal && left)
    pairs = sub(pairs, sumOfClamped(sub(*diagonal, getConstantExpr(std::min(*left, kFar))), queries, keys));
  return mul(perPair, pairs);
}
