//===- Softmax.cpp - The online softmax on tiles -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Softmax.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cmath>

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

float ScoreUnits::getExponentFactor() const { return scale.value_or(1.0f) * kLog2E; }

/// The factor of each row. `m * c` is rounded, so `fma(m, c, -m * c)` is not 0 but up to half an ulp of `m * c`: at
/// |m * c| >= 2^30 its exp2 can be an infinity. From 2^24 on a row takes the power of two below `c`, whose product is
/// exact. The weights of neighbouring scores are then as good as the rounding of such scores allows.
static Value buildRowFactor(TileBuilder &b, Value max, float factor) {
  ArrayRef<int64_t> shape = getTileShape(max);
  float exact = std::ldexp(1.0f, std::ilogb(factor));
  if (exact == factor)
    return b.floatTile(shape, factor);
  Value limit = b.floatTile(shape, std::ldexp(1.0f, 24) / factor);
  Value isSmall = b.compare(arith::CmpFPredicate::OLT, math::AbsFOp::create(b, max), limit);
  return b.select(isSmall, b.floatTile(shape, factor), b.floatTile(shape, exact));
}

Value ScoreUnits::buildWeights(TileBuilder &b, Value scores, Value max) const {
  int64_t numColumns = getTileShape(scores)[1];
  if (!isRaw()) {
    Value difference = b.subF(scores, b.broadcast(max, numColumns));
    return b.exp2(b.mulF(difference, b.floatTile(getTileShape(scores), kLog2E)));
  }
  Value factor = buildRowFactor(b, max, getExponentFactor());
  Value shift = arith::NegFOp::create(b, b.mulF(max, factor));
  Value factors = b.broadcast(factor, numColumns), shifts = b.broadcast(shift, numColumns);
  return b.exp2(math::FmaOp::create(b, scores, factors, shifts));
}

Value ScoreUnits::buildRescale(TileBuilder &b, Value lhs, Value rhs) const {
  if (isRaw()) {
    // The weights are relative to the rounded product `m * c`, so the rescale is as well: then no error of |m * c|
    // separates blocks of keys that had different maxima.
    Value factor = buildRowFactor(b, rhs, getExponentFactor());
    return b.exp2(b.subF(b.mulF(lhs, factor), b.mulF(rhs, factor)));
  }
  Value difference = b.subF(lhs, rhs);
  return b.exp2(b.mulF(difference, b.floatTile(getTileShape(lhs), getExponentFactor())));
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

/// Keeps `max` in rows where `top` is at most the threshold above it. A maximum of -inf gives way to any score.
static Value keepMax(TileBuilder &b, const ScoreUnits &units, Value max, Value top, Value &grows) {
  Value limit = b.addF(max, b.floatTile(getTileShape(max), kLazyExponent / units.getExponentFactor()));
  grows = b.compare(arith::CmpFPredicate::OGT, top, limit);
  return b.select(grows, top, max);
}

SoftmaxStep fovea::conversion::beginStep(TileBuilder &b, const ScoreUnits &units, Value scores, Value max, bool lazy) {
  SoftmaxStep step;
  step.max = reduce(b, tile::ReduceKind::Max, scores, max);
  Value grows;
  if (lazy)
    step.max = keepMax(b, units, max, step.max, grows);
  Value finite = replaceNegInf(b, step.max);
  step.weights = units.buildWeights(b, scores, finite);
  step.rescale = units.buildRescale(b, max, finite);
  if (lazy)
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
