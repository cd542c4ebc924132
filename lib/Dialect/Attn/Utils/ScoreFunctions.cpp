//===- ScoreFunctions.cpp - Score functions by their usual names -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionArith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace fovea::attn;

static Value mul(RegionBuilder &b, Value lhs, Value rhs) { return arith::MulFOp::create(b, lhs, rhs); }

ScoreFunction fovea::attn::softcap(double cap) {
  return [=](RegionBuilder &b, Value score, const PairIndices &) {
    Value limit = real(b, cap);
    Value inside = math::TanhOp::create(b, arith::DivFOp::create(b, score, limit));
    return mul(b, inside, limit);
  };
}

ScoreFunction fovea::attn::alibi(Value slopes, Value offset) {
  return [=](RegionBuilder &b, Value score, const PairIndices &pair) -> Value {
    Value from = offset ? add(b, pair.query, offset) : pair.query;
    Value distance = toFloat(b, sub(b, from, pair.key));
    return arith::SubFOp::create(b, score, mul(b, read(b, slopes, pair.head), distance));
  };
}

ScoreFunction fovea::attn::t5Bias(Value table, Value last) {
  return [=](RegionBuilder &b, Value score, const PairIndices &pair) -> Value {
    Value column = add(b, sub(b, pair.key, pair.query), last);
    return arith::AddFOp::create(b, score, read(b, table, {pair.head, column}));
  };
}

/// The bucket of a distance (f32), as an index: computed in f32, where a bucket is the whole part of a number.
static Value buildBucket(RegionBuilder &b, Value distance, int64_t buckets, int64_t maxDistance) {
  double exact = buckets / 2;
  Value first = real(b, exact);
  Value near = arith::MaximumFOp::create(b, distance, real(b, 0.0));
  Value far = arith::MaximumFOp::create(b, distance, first);
  Value octaves = math::Log2Op::create(b, mul(b, far, real(b, 1.0 / exact)));
  Value steps = mul(b, octaves, real(b, (buckets - exact) / std::log2(maxDistance / exact)));
  Value shared = arith::MinimumFOp::create(b, arith::AddFOp::create(b, steps, first), real(b, buckets - 1));
  Value isNear = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, distance, first);
  Value place = arith::SelectOp::create(b, isNear, near, shared);
  return toIndex(b, arith::FPToSIOp::create(b, b.getI32Type(), place));
}

ScoreFunction fovea::attn::t5BucketBias(Value weights, int64_t buckets, int64_t maxDistance) {
  return [=](RegionBuilder &b, Value score, const PairIndices &pair) -> Value {
    Value distance = toFloat(b, sub(b, pair.query, pair.key));
    Value bucket = buildBucket(b, distance, buckets, maxDistance);
    return arith::AddFOp::create(b, score, read(b, weights, {bucket, pair.head}));
  };
}

ScoreFunction fovea::attn::headTemperature(Value temperatures) {
  return [=](RegionBuilder &b, Value score, const PairIndices &pair) -> Value {
    return arith::DivFOp::create(b, score, read(b, temperatures, pair.head));
  };
}
