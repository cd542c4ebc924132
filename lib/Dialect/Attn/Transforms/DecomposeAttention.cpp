//===- DecomposeAttention.cpp - attn.attention as plain linalg -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgBuilder.h"
#include "fovea/Dialect/Attn/Transforms/Decompose.h"
#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fovea::attn;

namespace {
/// The loops of every nest here: batch, query head, query, then key and depth (depth is 3 where there is no key).
enum Loop : unsigned { B, H, I, J, D };

/// Decomposes one op.
class AttentionDecomposer {
public:
  AttentionDecomposer(OpBuilder &builder, AttentionOp op, FloatType type)
      : op(op), type(type), linalg(builder, op.getLoc(), !op.hasPureBufferSemantics()), elements(op, identity, type) {}

  /// The results on tensors, nothing on memrefs.
  SmallVector<Value> run();

private:
  using Body = LinalgBuilder::BodyFn;
  void prepare();
  Value fill(ArrayRef<OpFoldResult> sizes, ArrayRef<unsigned> loops, Body body);
  Value buildDots();
  Value buildMaskedScores(Value dots);
  Value buildMax(Value scores);
  Value buildWeights(Value scores, Value max);
  Value buildSum(Value weights, Value max);
  Value buildProduct(Value weights, Value scores);
  Value buildOutput(Value product, Value max, Value sum);
  Value buildLse(Value max, Value sum);
  Value repeatHeads(Value shared);

  AttentionOp op;
  FloatType type;
  IRMapping identity;
  LinalgBuilder linalg;
  ElementBuilder elements;
  OpFoldResult batch, heads, queries, keys;
  Value key, value;
};
} // namespace

static Value loopIndex(ImplicitLocOpBuilder &b, Loop loop) { return linalg::IndexOp::create(b, loop); }

SmallVector<Value> AttentionDecomposer::run() {
  prepare();
  Value scores = buildMaskedScores(buildDots());
  Value max = buildMax(scores);
  Value weights = buildWeights(scores, max);
  Value sum = buildSum(weights, max);
  Value output = buildOutput(buildProduct(weights, scores), max, sum);
  Value lse = op.getLse() ? buildLse(max, sum) : Value();
  linalg.freeAll();
  if (op.hasPureBufferSemantics())
    return {};
  return lse ? SmallVector<Value>{output, lse} : SmallVector<Value>{output};
}

void AttentionDecomposer::prepare() {
  SmallVector<OpFoldResult> sizes = linalg.getSizes(op.getQuery());
  batch = sizes[0];
  heads = sizes[1];
  queries = sizes[2];
  keys = linalg.getSizes(op.getKey())[2];
  key = repeatHeads(op.getKey());
  value = repeatHeads(op.getValue());
}

/// Keys or values `[B, Hkv, Skv, D]` with one copy for each query head, unless there is one for each already.
Value AttentionDecomposer::repeatHeads(Value shared) {
  int64_t queryHeads = op.getNumQueryHeads(), kvHeads = cast<ShapedType>(shared.getType()).getDimSize(1);
  if (!ShapedType::isDynamic(queryHeads) && queryHeads == kvHeads)
    return shared;
  ImplicitLocOpBuilder &b = linalg.b;
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value divisor = arith::MaxUIOp::create(b, SoftmaxBuilder::dim(b, shared, 1), one); // Both are 0 where one is.
  Value groupSize = arith::DivUIOp::create(b, SoftmaxBuilder::dim(b, op.getQuery(), 1), divisor);
  SmallVector<OpFoldResult> sizes = linalg.getSizes(shared);
  sizes[1] = heads;
  Value repeated = linalg.allocate(sizes, getElementTypeOrSelf(shared.getType()));
  return linalg.generic({}, {repeated, {0, 1, 2, 3}}, 4, [&](ImplicitLocOpBuilder &nested, ValueRange) {
    SmallVector<Value> at;
    for (unsigned loop = 0; loop < 4; ++loop)
      at.push_back(linalg::IndexOp::create(nested, loop));
    at[1] = arith::DivUIOp::create(nested, at[1], groupSize);
    return SoftmaxBuilder::load(nested, shared, at);
  });
}

/// A new temporary of the computation's type, filled by `body`.
Value AttentionDecomposer::fill(ArrayRef<OpFoldResult> sizes, ArrayRef<unsigned> loops, Body body) {
  Value temporary = linalg.allocate(sizes, type);
  return linalg.generic({}, {temporary, SmallVector<unsigned>(loops)}, sizes.size(), body);
}

/// Q K^T.
Value AttentionDecomposer::buildDots() {
  Value zero = fill({batch, heads, queries, keys}, {B, H, I, J},
                    [&](ImplicitLocOpBuilder &b, ValueRange) { return elements.constant(b, 0); });
  return linalg.generic({{op.getQuery(), {B, H, I, D}}, {key, {B, H, J, D}}}, {zero, {B, H, I, J}}, 5,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
                          Value product =
                              arith::MulFOp::create(b, elements.toCompute(b, in[0]), elements.toCompute(b, in[1]));
                          return arith::AddFOp::create(b, in[2], product);
                        });
}

/// u, in place of the dot products.
Value AttentionDecomposer::buildMaskedScores(Value dots) {
  return linalg.generic({}, {dots, {B, H, I, J}}, 4, [&](ImplicitLocOpBuilder &b, ValueRange in) {
    ScorePosition position = {loopIndex(b, B), loopIndex(b, H), loopIndex(b, I), loopIndex(b, J)};
    return elements.buildMaskedScore(b, in[0], position, elements.buildKeyBounds(b, position.batch));
  });
}

/// m.
Value AttentionDecomposer::buildMax(Value scores) {
  Value init = fill({batch, heads, queries}, {B, H, I},
                    [&](ImplicitLocOpBuilder &b, ValueRange) { return elements.buildSink(b, loopIndex(b, H)); });
  return linalg.generic(
      {{scores, {B, H, I, J}}}, {init, {B, H, I}}, 4,
      [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value { return arith::MaximumFOp::create(b, in[1], in[0]); });
}

/// exp(u - m).
Value AttentionDecomposer::buildWeights(Value scores, Value max) {
  Value weights = linalg.allocate({batch, heads, queries, keys}, type);
  return linalg.generic({{scores, {B, H, I, J}}, {max, {B, H, I}}}, {weights, {B, H, I, J}}, 4,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) { return elements.buildWeight(b, in[0], in[1]); });
}

/// l.
Value AttentionDecomposer::buildSum(Value weights, Value max) {
  Value init = linalg.allocate({batch, heads, queries}, type);
  init = linalg.generic({{max, {B, H, I}}}, {init, {B, H, I}}, 3, [&](ImplicitLocOpBuilder &b, ValueRange in) {
    return elements.buildWeight(b, elements.buildSink(b, loopIndex(b, H)), in[0]);
  });
  return linalg.generic(
      {{weights, {B, H, I, J}}}, {init, {B, H, I}}, 4,
      [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value { return arith::AddFOp::create(b, in[1], in[0]); });
}

/// sum_j exp(u - m) V over the kept keys: what V holds elsewhere, padding above all, has no effect.
Value AttentionDecomposer::buildProduct(Value weights, Value scores) {
  Value zero = fill({batch, heads, queries, linalg.b.getIndexAttr(op.getVDepth())}, {B, H, I, 3},
                    [&](ImplicitLocOpBuilder &b, ValueRange) { return elements.constant(b, 0); });
  return linalg.generic({{weights, {B, H, I, J}}, {scores, {B, H, I, J}}, {value, {B, H, J, D}}}, {zero, {B, H, I, D}},
                        5, [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
                          Value product = arith::MulFOp::create(b, in[0], elements.toCompute(b, in[2]));
                          Value isMasked = elements.isMinusInfinity(b, in[1]);
                          Value sum = arith::AddFOp::create(b, in[3], product);
                          return arith::SelectOp::create(b, isMasked, in[3], sum);
                        });
}

Value AttentionDecomposer::buildOutput(Value product, Value max, Value sum) {
  return linalg.generic({{product, {B, H, I, 3}}, {max, {B, H, I}}, {sum, {B, H, I}}}, {op.getOutput(), {B, H, I, 3}},
                        4, [&](ImplicitLocOpBuilder &b, ValueRange in) {
                          Value result = elements.buildQuotient(b, in[0], in[1], in[2]);
                          return SoftmaxBuilder::convert(b, result, in[3].getType());
                        });
}

Value AttentionDecomposer::buildLse(Value max, Value sum) {
  return linalg.generic({{max, {B, H, I}}, {sum, {B, H, I}}}, {op.getLse(), {B, H, I}}, 3,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) {
                          return SoftmaxBuilder::convert(b, elements.buildLogSum(b, in[0], in[1]), in[2].getType());
                        });
}

void fovea::attn::decompose(RewriterBase &rewriter, AttentionOp op, FloatType type) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, AttentionDecomposer(rewriter, op, type).run());
}
