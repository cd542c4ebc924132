//===- Softmax.cpp - The online softmax on tiles -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Softmax.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

static constexpr float kLog2E = 1.4426950408889634f;
static constexpr float kInf = std::numeric_limits<float>::infinity();

std::optional<ScoreUnits> ScoreUnits::raw(float scale) {
  float factor = scale * kLog2E;
  // A denormal factor has too few bits to stand for the scale.
  if (!(factor >= std::numeric_limits<float>::min() && factor <= 1.0f))
    return std::nullopt;
  ScoreUnits units;
  units.scale = scale;
  return units;
}

ScoreUnits ScoreUnits::fuse() const {
  ScoreUnits units = *this;
  units.fused = true;
  return units;
}

ScoreUnits ScoreUnits::lower(int exponent) const {
  ScoreUnits units = *this;
  units.lowered = exponent;
  return units;
}

float ScoreUnits::getExponentFactor() const { return scale.value_or(1.0f) * kLog2E; }

/// |m * c| from where on its rounding counts. Below, it is off by up to 2^-15, which changes a weight by 2e-5.
static constexpr float kLargeExponent = 0x1p10f;

static Value buildExpByFma(TileBuilder &b, Value scores, float factor, Value shift) {
  ArrayRef<int64_t> shape = getTileShape(scores);
  return b.exp2(math::FmaOp::create(b, scores, b.floatTile(shape, factor), b.broadcast(shift, shape[1])));
}

Value ScoreUnits::buildShift(TileBuilder &b, Value max) const {
  ArrayRef<int64_t> rows = getTileShape(max);
  Value shift = arith::NegFOp::create(b, b.mulF(max, b.floatTile(rows, getExponentFactor())));
  return lowered ? b.subF(shift, b.floatTile(rows, lowered)) : shift;
}

Value ScoreUnits::isLarge(TileBuilder &b, Value max) const {
  Value limit = b.floatTile(getTileShape(max), kLargeExponent / getExponentFactor());
  return b.compare(arith::CmpFPredicate::OGE, math::AbsFOp::create(b, max), limit);
}

Value ScoreUnits::buildFusedExp(TileBuilder &b, const LinearForm &scores, Value max, bool mark) const {
  Value shift = buildShift(b, max);
  if (mark)
    shift = b.select(isLarge(b, max), b.floatTile(getTileShape(max), kInf), shift);
  LinearMath math(b, getTileShape(scores.tile));
  Value factor = arith::ConstantOp::create(b, b.getF32FloatAttr(getExponentFactor()));
  LinearForm exponents = math.multiply(scores, factor);
  return b.exp2(math.materialize(math.add(exponents, LinearForm::ofRows(shift))));
}

Value ScoreUnits::buildMixedExp(TileBuilder &b, Value scores, Value max) const {
  Value large = isLarge(b, max), zero = b.floatTile(getTileShape(max), 0.0);
  Value reference = b.select(large, max, zero), none = b.floatTile(getTileShape(max), -lowered);
  Value shift = b.select(large, none, buildShift(b, max));
  Value difference = b.subF(scores, b.broadcast(reference, getTileShape(scores)[1]));
  return buildExpByFma(b, difference, getExponentFactor(), shift);
}

Value ScoreUnits::buildRescale(TileBuilder &b, Value lhs, Value rhs) const {
  Value exact = b.subF(lhs, rhs), factor = b.floatTile(getTileShape(lhs), getExponentFactor());
  exact = b.mulF(exact, factor);
  if (!fused)
    return b.exp2(exact);
  // Weights are relative to the rounded product, so the rescale is as well.
  Value rounded = b.subF(b.mulF(lhs, factor), b.mulF(rhs, factor));
  return b.exp2(b.select(isLarge(b, rhs), exact, rounded));
}

Value ScoreUnits::buildExp(TileBuilder &b, Value scores, Value max) const {
  if (!fused) {
    ArrayRef<int64_t> shape = getTileShape(scores);
    Value difference = b.subF(scores, b.broadcast(max, shape[1]));
    return b.exp2(b.mulF(difference, b.floatTile(shape, getExponentFactor())));
  }
  Value isMixed = tile::AnyOp::create(b, isLarge(b, max));
  auto branch = scf::IfOp::create(b, scores.getType(), isMixed, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, buildMixedExp(b, scores, max));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, buildFusedExp(b, LinearForm::ofTile(scores), max));
  return branch.getResult(0);
}

Value ScoreUnits::getReference(TileBuilder &b, Value max) const {
  return lowered ? b.addF(max, b.floatTile(getTileShape(max), lowered / getExponentFactor())) : max;
}

Value ScoreUnits::toNatural(TileBuilder &b, Value rows) const {
  return isRaw() ? b.mulF(rows, b.floatTile(getTileShape(rows), *scale)) : rows;
}

Value fovea::conversion::replaceNegInf(TileBuilder &b, Value rows) {
  ArrayRef<int64_t> shape = getTileShape(rows);
  Value isEmpty = b.compare(arith::CmpFPredicate::OEQ, rows, b.floatTile(shape, -kInf));
  return b.select(isEmpty, b.floatTile(shape, 0.0), rows);
}

static Value reduce(TileBuilder &b, tile::ReduceKind kind, Value tile, Value init) {
  return tile::RowReduceOp::create(b, init.getType(), kind, tile, init);
}

/// Keeps `max` in rows where `top` is at most `lag` above it. A maximum of -inf gives way to any score, a large one to
/// every larger one: where scores are large a row has one weight that counts, and it should be 1.
static Value keepMax(TileBuilder &b, const ScoreUnits &units, Value max, Value top, float lag, Value &grows) {
  ArrayRef<int64_t> rows = getTileShape(max);
  Value limit = max;
  if (lag > 0) {
    Value slack = b.floatTile(rows, lag / units.getExponentFactor());
    limit = b.addF(max, b.select(units.isLarge(b, max), b.floatTile(rows, 0.0), slack));
  }
  grows = b.compare(arith::CmpFPredicate::OGT, top, limit);
  return b.select(grows, top, max);
}

SoftmaxStep fovea::conversion::beginStep(TileBuilder &b, const ScoreUnits &units, Value scores, Value max,
                                         std::optional<float> lag) {
  SoftmaxStep step;
  step.max = reduce(b, tile::ReduceKind::Max, scores, max);
  Value grows;
  if (lag)
    step.max = keepMax(b, units, max, step.max, *lag, grows);
  Value finite = replaceNegInf(b, step.max);
  step.weights = units.buildExp(b, scores, finite);
  step.rescale = units.buildRescale(b, max, finite);
  if (lag)
    step.needed = tile::AnyOp::create(b, grows);
  return step;
}

Value fovea::conversion::addWeights(TileBuilder &b, const SoftmaxStep &step, Value sum) {
  return reduce(b, tile::ReduceKind::Sum, step.weights, b.mulF(sum, step.rescale));
}

Value fovea::conversion::rescaleRows(TileBuilder &b, Value acc, Value rescale, Value needed) {
  auto build = [&] { return b.mulF(acc, b.broadcast(rescale, getTileShape(acc)[1])); };
  if (!needed)
    return build();
  auto branch = scf::IfOp::create(b, acc.getType(), needed, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, build());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, acc);
  return branch.getResult(0);
}

SoftmaxState fovea::conversion::mergeStates(TileBuilder &b, const ScoreUnits &units, ArrayRef<SoftmaxState> parts) {
  SoftmaxState merged;
  for (const SoftmaxState &part : parts)
    merged.max = merged.max ? arith::MaxNumFOp::create(b, merged.max, part.max).getResult() : part.max;
  Value finite = replaceNegInf(b, merged.max);
  for (const SoftmaxState &part : parts) {
    ArrayRef<int64_t> shape = getTileShape(part.acc);
    Value weight = units.buildRescale(b, part.max, finite), sum = b.mulF(part.sum, weight);
    Value isEmpty = b.compare(arith::CmpFPredicate::OEQ, part.sum, b.floatTile(getTileShape(part.sum), 0.0));
    Value acc = b.mulF(part.acc, b.broadcast(weight, shape[1]));
    acc = b.select(b.broadcast(isEmpty, shape[1]), b.floatTile(shape, 0.0), acc);
    merged.sum = merged.sum ? b.addF(merged.sum, sum) : sum;
    merged.acc = merged.acc ? b.addF(merged.acc, acc) : acc;
  }
  return merged;
}

/// Moves `max` (natural) and `sum` to a maximum that includes the sink; returns the factor of the accumulator.
static Value joinSink(TileBuilder &b, Value &max, Value &sum, Value sink) {
  ScoreUnits units = ScoreUnits::natural();
  Value joined = arith::MaxNumFOp::create(b, max, sink);
  Value finite = replaceNegInf(b, joined);
  Value weight = units.buildRescale(b, max, finite);
  max = joined;
  sum = b.addF(b.mulF(sum, weight), units.buildRescale(b, sink, finite));
  return weight;
}

std::pair<Value, Value> fovea::conversion::finishSoftmax(TileBuilder &b, const ScoreUnits &units, SoftmaxState state,
                                                         Value sink, bool wantLse) {
  ArrayRef<int64_t> rows = getTileShape(state.sum), shape = getTileShape(state.acc);
  Value zero = b.floatTile(rows, 0.0);
  Value isEmpty = b.compare(arith::CmpFPredicate::OEQ, state.sum, zero);
  Value max = state.max, sum = state.sum, weight = b.floatTile(rows, 1.0);
  if (sink || wantLse)
    max = units.toNatural(b, max);
  if (sink)
    weight = joinSink(b, max, sum, sink);
  Value factor = arith::DivFOp::create(b, weight, sum);
  Value output = b.mulF(state.acc, b.broadcast(factor, shape[1]));
  output = b.select(b.broadcast(isEmpty, shape[1]), b.floatTile(shape, 0.0), output);
  if (!wantLse)
    return {output, Value()};
  Value lse = b.addF(max, math::LogOp::create(b, sum));
  Value hasNoLogit = sink ? b.compare(arith::CmpFPredicate::OEQ, sum, zero) : isEmpty;
  return {output, b.select(hasNoLogit, b.floatTile(rows, -kInf), lse)};
}
