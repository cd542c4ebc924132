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

using namespace mlir;
using namespace fovea::attn;

namespace {
/// The loops of every nest here: batch, KV head, query head of the group, query, then key, or depth of the result.
enum Loop : unsigned { B, H, G, I, J, D };

/// Decomposes one op. Query heads are split into (KV head, head of its group), so that every map is a projection.
class AttentionDecomposer {
public:
  AttentionDecomposer(OpBuilder &builder, AttentionOp op, FloatType type)
      : op(op), type(type), linalg(builder, op.getLoc(), !op.hasPureBufferSemantics()), elements(op, identity, type) {}

  /// The results on tensors, nothing on memrefs.
  SmallVector<Value> run();

private:
  using Body = LinalgBuilder::BodyFn;
  void computeSizes();
  Value fill(ArrayRef<OpFoldResult> sizes, ArrayRef<unsigned> loops, Body body);
  Value buildDots();
  Value buildMaskedScores(Value dots);
  Value buildMax(Value scores);
  Value buildWeights(Value scores, Value max);
  Value buildSum(Value weights, Value max);
  Value buildProduct(Value weights, Value scores);
  Value buildOutput(Value product, Value max, Value sum);
  Value buildLse(Value max, Value sum);
  Value getQueryHead(ImplicitLocOpBuilder &b);

  AttentionOp op;
  FloatType type;
  IRMapping identity;
  LinalgBuilder linalg;
  ElementBuilder elements;
  OpFoldResult batch, kvHeads, groupSize, queries, keys;
};
} // namespace

static Value loopIndex(ImplicitLocOpBuilder &b, Loop loop) { return linalg::IndexOp::create(b, loop); }

SmallVector<Value> AttentionDecomposer::run() {
  computeSizes();
  Value scores = buildMaskedScores(buildDots());
  Value max = buildMax(scores);
  Value weights = buildWeights(scores, max);
  Value sum = buildSum(weights, max);
  Value output = buildOutput(buildProduct(weights, scores), max, sum);
  Value lse = op.getLse() ? buildLse(max, sum) : Value();
  linalg.freeAll();
  if (op.hasPureBufferSemantics())
    return {};
  SmallVector<Value> results = {linalg.mergeHeads(output, op.getOutput().getType())};
  if (lse)
    results.push_back(linalg.mergeHeads(lse, op.getLse().getType()));
  return results;
}

/// The size of a group is Hq / Hkv; any size does where both are 0.
void AttentionDecomposer::computeSizes() {
  ImplicitLocOpBuilder &b = linalg.b;
  SmallVector<OpFoldResult> querySizes = linalg.getSizes(op.getQuery()), keySizes = linalg.getSizes(op.getKey());
  batch = querySizes[0];
  queries = querySizes[2];
  kvHeads = keySizes[1];
  keys = keySizes[2];
  int64_t numQueryHeads = op.getNumQueryHeads(), numKVHeads = op.getNumKVHeads();
  if (!ShapedType::isDynamic(numQueryHeads) && !ShapedType::isDynamic(numKVHeads)) {
    groupSize = b.getIndexAttr(numKVHeads == 0 ? 1 : numQueryHeads / numKVHeads);
    return;
  }
  Value divisor = arith::MaxUIOp::create(b, SoftmaxBuilder::dim(b, op.getKey(), 1),
                                         arith::ConstantIndexOp::create(b, 1));
  groupSize = arith::DivUIOp::create(b, SoftmaxBuilder::dim(b, op.getQuery(), 1), divisor).getResult();
}

/// A new temporary of the computation's type, filled by `body`.
Value AttentionDecomposer::fill(ArrayRef<OpFoldResult> sizes, ArrayRef<unsigned> loops, Body body) {
  Value temporary = linalg.allocate(sizes, type);
  return linalg.generic({}, {temporary, SmallVector<unsigned>(loops)}, sizes.size(), body);
}

/// Q K^T.
Value AttentionDecomposer::buildDots() {
  Value zero = fill({batch, kvHeads, groupSize, queries, keys}, {B, H, G, I, J},
                    [&](ImplicitLocOpBuilder &b, ValueRange) { return elements.constant(b, 0); });
  Value query = linalg.splitHeads(op.getQuery(), kvHeads, groupSize);
  return linalg.generic({{query, {B, H, G, I, D}}, {op.getKey(), {B, H, J, D}}}, {zero, {B, H, G, I, J}}, 6,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
                          Value product = arith::MulFOp::create(b, elements.toCompute(b, in[0]),
                                                                elements.toCompute(b, in[1]));
                          return arith::AddFOp::create(b, in[2], product);
                        });
}

/// Query head h = KV head * group size + head of the group.
Value AttentionDecomposer::getQueryHead(ImplicitLocOpBuilder &b) {
  Value size = getValueOrCreateConstantIndexOp(b, b.getLoc(), groupSize);
  return arith::AddIOp::create(b, arith::MulIOp::create(b, loopIndex(b, H), size), loopIndex(b, G));
}

/// u, in place of the dot products.
Value AttentionDecomposer::buildMaskedScores(Value dots) {
  return linalg.generic({}, {dots, {B, H, G, I, J}}, 5, [&](ImplicitLocOpBuilder &b, ValueRange in) {
    ScorePosition position = {loopIndex(b, B), getQueryHead(b), loopIndex(b, I), loopIndex(b, J)};
    return elements.buildMaskedScore(b, in[0], position, elements.buildKeyBounds(b, position.batch));
  });
}

/// m.
Value AttentionDecomposer::buildMax(Value scores) {
  Value init = fill({batch, kvHeads, groupSize, queries}, {B, H, G, I}, [&](ImplicitLocOpBuilder &b, ValueRange) {
    return elements.buildSink(b, getQueryHead(b));
  });
  return linalg.generic({{scores, {B, H, G, I, J}}}, {init, {B, H, G, I}}, 5,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
                          return arith::MaximumFOp::create(b, in[1], in[0]);
                        });
}

/// exp(u - m).
Value AttentionDecomposer::buildWeights(Value scores, Value max) {
  Value weights = linalg.allocate({batch, kvHeads, groupSize, queries, keys}, type);
  return linalg.generic({{scores, {B, H, G, I, J}}, {max, {B, H, G, I}}}, {weights, {B, H, G, I, J}}, 5,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) { return elements.buildWeight(b, in[0], in[1]); });
}

/// l.
Value AttentionDecomposer::buildSum(Value weights, Value max) {
  Value init = linalg.allocate({batch, kvHeads, groupSize, queries}, type);
  init = linalg.generic({{max, {B, H, G, I}}}, {init, {B, H, G, I}}, 4, [&](ImplicitLocOpBuilder &b, ValueRange in) {
    return elements.buildWeight(b, elements.buildSink(b, getQueryHead(b)), in[0]);
  });
  return linalg.generic({{weights, {B, H, G, I, J}}}, {init, {B, H, G, I}}, 5,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
                          return arith::AddFOp::create(b, in[1], in[0]);
                        });
}

/// sum_j exp(u - m) V over the kept keys: what V holds elsewhere, padding above all, has no effect.
Value AttentionDecomposer::buildProduct(Value weights, Value scores) {
  Value zero = fill({batch, kvHeads, groupSize, queries, linalg.b.getIndexAttr(op.getVDepth())}, {B, H, G, I, 4},
                    [&](ImplicitLocOpBuilder &b, ValueRange) { return elements.constant(b, 0); });
  return linalg.generic(
      {{weights, {B, H, G, I, J}}, {scores, {B, H, G, I, J}}, {op.getValue(), {B, H, J, D}}}, {zero, {B, H, G, I, D}},
      6, [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
        Value product = arith::MulFOp::create(b, in[0], elements.toCompute(b, in[2]));
        Value isMasked = elements.isMinusInfinity(b, in[1]);
        Value sum = arith::AddFOp::create(b, in[3], product);
        return arith::SelectOp::create(b, isMasked, in[3], sum);
      });
}

Value AttentionDecomposer::buildOutput(Value product, Value max, Value sum) {
  Value output = linalg.splitHeads(op.getOutput(), kvHeads, groupSize);
  return linalg.generic({{product, {B, H, G, I, 4}}, {max, {B, H, G, I}}, {sum, {B, H, G, I}}},
                        {output, {B, H, G, I, 4}}, 5, [&](ImplicitLocOpBuilder &b, ValueRange in) {
                          Value result = elements.buildQuotient(b, in[0], in[1], in[2]);
                          return SoftmaxBuilder::convert(b, result, in[3].getType());
                        });
}

Value AttentionDecomposer::buildLse(Value max, Value sum) {
  Value lse = linalg.splitHeads(op.getLse(), kvHeads, groupSize);
  return linalg.generic({{max, {B, H, G, I}}, {sum, {B, H, G, I}}}, {lse, {B, H, G, I}}, 4,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) {
                          return SoftmaxBuilder::convert(b, elements.buildLogSum(b, in[0], in[1]), in[2].getType());
                        });
}

void fovea::attn::decompose(RewriterBase &rewriter, AttentionOp op, FloatType type) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, AttentionDecomposer(rewriter, op, type).run());
}
