//===- DecomposeCombine.cpp - attn.combine as plain linalg -*- C++ -*-===//
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
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace fovea::attn;

namespace {
/// The loops of every nest here: batch, head, query, then part where there is no depth, or depth and part.
enum Loop : unsigned { B, H, I, D, C };

/// Decomposes one op; its formula is a softmax over parts.
class CombineDecomposer {
public:
  CombineDecomposer(OpBuilder &builder, CombineOp op, FloatType type)
      : op(op), softmax(type), linalg(builder, op.getLoc(), isa<RankedTensorType>(op.getOutput().getType())) {
    sizes = linalg.getSizes(op.getOutput());
  }

  /// The results on tensors, nothing on memrefs.
  SmallVector<Value> run();

private:
  Value buildMax();
  Value buildSum(Value max);
  Value buildProduct(Value max);
  Value buildOutput(Value product, Value max, Value sum);
  Value buildLse(Value max, Value sum);
  Value buildSink(ImplicitLocOpBuilder &b);

  CombineOp op;
  SoftmaxBuilder softmax;
  LinalgBuilder linalg;
  SmallVector<OpFoldResult> sizes;
};
} // namespace

SmallVector<Value> CombineDecomposer::run() {
  Value max = buildMax(), sum = buildSum(max);
  SmallVector<Value> results = {buildOutput(buildProduct(max), max, sum)};
  if (op.getLse())
    results.push_back(buildLse(max, sum));
  linalg.freeAll();
  if (op->getNumResults() == 0)
    results.clear();
  return results;
}

/// The sink of this row, or minus infinity.
Value CombineDecomposer::buildSink(ImplicitLocOpBuilder &b) {
  if (!op.getSink())
    return softmax.minusInfinity(b);
  Value head = linalg::IndexOp::create(b, H);
  return softmax.toCompute(b, SoftmaxBuilder::load(b, op.getSink(), head));
}

Value CombineDecomposer::buildMax() {
  Value init = linalg.allocate(ArrayRef(sizes).take_front(3), softmax.getType());
  init = linalg.generic({}, {init, {B, H, I}}, 3, [&](ImplicitLocOpBuilder &b, ValueRange) { return buildSink(b); });
  return linalg.generic({{op.getPartialLses(), {3, B, H, I}}}, {init, {B, H, I}}, 4,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
                          return arith::MaximumFOp::create(b, in[1], softmax.toCompute(b, in[0]));
                        });
}

Value CombineDecomposer::buildSum(Value max) {
  Value init = linalg.allocate(ArrayRef(sizes).take_front(3), softmax.getType());
  init = linalg.generic({{max, {B, H, I}}}, {init, {B, H, I}}, 3, [&](ImplicitLocOpBuilder &b, ValueRange in) {
    return softmax.buildWeight(b, buildSink(b), in[0]);
  });
  return linalg.generic({{op.getPartialLses(), {3, B, H, I}}, {max, {B, H, I}}}, {init, {B, H, I}}, 4,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
                          Value weight = softmax.buildWeight(b, softmax.toCompute(b, in[0]), in[1]);
                          return arith::AddFOp::create(b, in[2], weight);
                        });
}

/// The weighted outputs of the parts that are not empty.
Value CombineDecomposer::buildProduct(Value max) {
  Value zero = linalg.allocate(sizes, softmax.getType());
  zero = linalg.generic({}, {zero, {B, H, I, D}}, 4,
                        [&](ImplicitLocOpBuilder &b, ValueRange) { return softmax.constant(b, 0); });
  return linalg.generic(
      {{op.getPartialOutputs(), {C, B, H, I, D}}, {op.getPartialLses(), {C, B, H, I}}, {max, {B, H, I}}},
      {zero, {B, H, I, D}}, 5, [&](ImplicitLocOpBuilder &b, ValueRange in) -> Value {
        Value lse = softmax.toCompute(b, in[1]);
        Value weight = softmax.buildWeight(b, lse, in[2]);
        Value product = arith::MulFOp::create(b, weight, softmax.toCompute(b, in[0]));
        Value sum = arith::AddFOp::create(b, in[3], product);
        return arith::SelectOp::create(b, softmax.isMinusInfinity(b, lse), in[3], sum);
      });
}

Value CombineDecomposer::buildOutput(Value product, Value max, Value sum) {
  return linalg.generic({{product, {B, H, I, D}}, {max, {B, H, I}}, {sum, {B, H, I}}}, {op.getOutput(), {B, H, I, D}},
                        4, [&](ImplicitLocOpBuilder &b, ValueRange in) {
                          return SoftmaxBuilder::convert(b, softmax.buildQuotient(b, in[0], in[1], in[2]),
                                                         in[3].getType());
                        });
}

Value CombineDecomposer::buildLse(Value max, Value sum) {
  return linalg.generic({{max, {B, H, I}}, {sum, {B, H, I}}}, {op.getLse(), {B, H, I}}, 3,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) {
                          return SoftmaxBuilder::convert(b, softmax.buildLogSum(b, in[0], in[1]), in[2].getType());
                        });
}

void fovea::attn::decompose(RewriterBase &rewriter, CombineOp op, FloatType type) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, CombineDecomposer(rewriter, op, type).run());
}
