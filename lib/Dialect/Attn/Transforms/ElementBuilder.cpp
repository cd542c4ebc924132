//===- ElementBuilder.cpp - The formulas of attention, element by element -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "fovea/Dialect/Attn/Transforms/DiagonalOffset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea::attn;

/// Offsets and window sizes are clamped to this, so that no sum of a few of them overflows; positions are far smaller.
static constexpr int64_t kPositionLimit = int64_t(1) << 60;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Value index(ImplicitLocOpBuilder &b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }
static Value add(ImplicitLocOpBuilder &b, Value lhs, Value rhs) { return arith::AddIOp::create(b, lhs, rhs); }
static Value sub(ImplicitLocOpBuilder &b, Value lhs, Value rhs) { return arith::SubIOp::create(b, lhs, rhs); }
static Value andOf(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return !lhs ? rhs : !rhs ? lhs : arith::AndIOp::create(b, lhs, rhs).getResult();
}
static Value lessEqual(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, lhs, rhs);
}
static Value clamp(ImplicitLocOpBuilder &b, Value value, Value low, Value high) {
  return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, value, high), low);
}
static Value toIndex(ImplicitLocOpBuilder &b, Value value) {
  return value.getType().isIndex() ? value : arith::IndexCastOp::create(b, b.getIndexType(), value).getResult();
}

Value SoftmaxBuilder::constant(ImplicitLocOpBuilder &b, double value) const {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value SoftmaxBuilder::convert(ImplicitLocOpBuilder &b, Value value, Type target) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = target.getIntOrFloatBitWidth();
  if (value.getType() == target)
    return value;
  if (from < to)
    return arith::ExtFOp::create(b, target, value);
  return arith::TruncFOp::create(b, target, value);
}

Value SoftmaxBuilder::toCompute(ImplicitLocOpBuilder &b, Value value) const {
  // Wider inputs (an f64 bias) are f32 at use.
  if (value.getType().getIntOrFloatBitWidth() > 32)
    value = convert(b, value, b.getF32Type());
  return convert(b, value, type);
}

Value SoftmaxBuilder::load(ImplicitLocOpBuilder &b, Value shaped, ValueRange indices) {
  if (isa<MemRefType>(shaped.getType()))
    return memref::LoadOp::create(b, shaped, indices);
  return tensor::ExtractOp::create(b, shaped, indices);
}

Value SoftmaxBuilder::getBroadcastIndex(ImplicitLocOpBuilder &b, Value shaped, int64_t position, Value coordinate) {
  int64_t size = cast<ShapedType>(shaped.getType()).getDimSize(position);
  if (size == 1)
    return index(b, 0);
  if (!ShapedType::isDynamic(size))
    return coordinate;
  Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, dim(b, shaped, position), index(b, 1));
  return arith::SelectOp::create(b, isOne, index(b, 0), coordinate);
}

Value SoftmaxBuilder::loadBroadcast(ImplicitLocOpBuilder &b, Value shaped, ValueRange indices) {
  SmallVector<Value> inside;
  for (auto [position, coordinate] : llvm::enumerate(indices))
    inside.push_back(getBroadcastIndex(b, shaped, position, coordinate));
  return load(b, shaped, inside);
}

Value SoftmaxBuilder::dim(ImplicitLocOpBuilder &b, Value shaped, int64_t position) {
  int64_t size = cast<ShapedType>(shaped.getType()).getDimSize(position);
  if (!ShapedType::isDynamic(size))
    return index(b, size);
  if (isa<MemRefType>(shaped.getType()))
    return memref::DimOp::create(b, shaped, position);
  return tensor::DimOp::create(b, shaped, position);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

Value SoftmaxBuilder::minusInfinity(ImplicitLocOpBuilder &b) const {
  return constant(b, -std::numeric_limits<double>::infinity());
}

Value SoftmaxBuilder::isMinusInfinity(ImplicitLocOpBuilder &b, Value value) const {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, minusInfinity(b));
}

Value SoftmaxBuilder::buildWeight(ImplicitLocOpBuilder &b, Value value, Value max) const {
  Value weight = math::ExpOp::create(b, arith::SubFOp::create(b, value, max));
  return arith::SelectOp::create(b, isMinusInfinity(b, max), constant(b, 0), weight);
}

Value SoftmaxBuilder::buildQuotient(ImplicitLocOpBuilder &b, Value value, Value max, Value sum) const {
  Value quotient = arith::DivFOp::create(b, value, sum);
  return arith::SelectOp::create(b, isMinusInfinity(b, max), constant(b, 0), quotient);
}

Value SoftmaxBuilder::buildLogSum(ImplicitLocOpBuilder &b, Value max, Value sum) const {
  Value result = arith::AddFOp::create(b, max, math::LogOp::create(b, sum));
  return arith::SelectOp::create(b, isMinusInfinity(b, max), max, result);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

KeyBounds ElementBuilder::buildKeyBounds(ImplicitLocOpBuilder &b, Value batch) {
  KeyBounds bounds;
  bounds.length = dim(b, lookup(op.getKey()), 2);
  if (!op.getBase().empty())
    bounds.length = add(b, lookup(op.getBase()[3]), bounds.length);
  if (Value lengths = lookup(op.getKvLengths()))
    bounds.length = clamp(b, toIndex(b, load(b, lengths, batch)), index(b, 0), bounds.length);
  if (!op.getDiagonal())
    return bounds;
  Value offset = lookup(op.getOffset());
  if (*op.getDiagonal() == Diagonal::TopLeft)
    bounds.diagonal = index(b, 0);
  else if (*op.getDiagonal() == Diagonal::BottomRight)
    bounds.diagonal = sub(b, bounds.length, dim(b, lookup(op.getQuery()), 2));
  else
    bounds.diagonal = toIndex(b, isa<ShapedType>(offset.getType()) ? load(b, offset, batch) : offset);
  return bounds;
}

Value ElementBuilder::buildSink(ImplicitLocOpBuilder &b, Value head) {
  if (Value sink = lookup(op.getSink()))
    return toCompute(b, load(b, sink, head));
  return minusInfinity(b);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

SmallVector<Value, 4> ElementBuilder::toWhole(ImplicitLocOpBuilder &b, ScorePosition position) {
  SmallVector<Value, 4> whole = {position.batch, position.head, position.query, position.key};
  for (auto [coordinate, base] : llvm::zip(whole, op.getBase()))
    coordinate = add(b, lookup(base), coordinate);
  return whole;
}

Value ElementBuilder::buildScale(ImplicitLocOpBuilder &b) {
  if (Value scale = lookup(op.getScale()))
    return toCompute(b, scale);
  return constant(b, *op.getConstantScale());
}

/// `t[i,j]`.
Value ElementBuilder::buildScore(ImplicitLocOpBuilder &b, Value dot, ValueRange whole) {
  Value score = arith::MulFOp::create(b, buildScale(b), dot);
  if (op.hasScoreMod()) {
    SmallVector<Value> arguments = {score};
    llvm::append_range(arguments, whole);
    score = inlineRegion(b, op.getScoreMod(), arguments, mapping, type);
  }
  if (Value bias = lookup(op.getBias()))
    score = arith::AddFOp::create(b, score, toCompute(b, loadBroadcast(b, bias, whole)));
  return score;
}

/// Causal and window: bounds on `J - (I + off)`; null where there are none.
Value ElementBuilder::buildBand(ImplicitLocOpBuilder &b, ValueRange whole, Value diagonal) {
  if (!op.hasBand())
    return Value();
  // Other diagonals are differences of positions.
  bool isOffset = static_cast<bool>(op.getOffset());
  Value distance = sub(b, whole[3], isOffset ? whole[2] : add(b, whole[2], diagonal));
  auto shift = [&](int64_t by) {
    return isOffset ? buildShiftedOffset(b, diagonal, by, kPositionLimit)
                    : index(b, std::clamp(by, -kPositionLimit, kPositionLimit));
  };
  Value keep;
  if (op.getCausal())
    keep = lessEqual(b, distance, shift(0));
  if (std::optional<uint64_t> left = op.getWindowLeft())
    keep = andOf(b, keep, lessEqual(b, shift(-static_cast<int64_t>(*left)), distance));
  if (std::optional<uint64_t> right = op.getWindowRight())
    keep = andOf(b, keep, lessEqual(b, distance, shift(*right)));
  return keep;
}

/// `keep` but for the length; null where everything is kept.
Value ElementBuilder::buildKeep(ImplicitLocOpBuilder &b, ValueRange whole, KeyBounds bounds) {
  Value band = buildBand(b, whole, bounds.diagonal), pair;
  if (Value mask = lookup(op.getMask()))
    pair = loadBroadcast(b, mask, whole);
  if (op.hasMaskMod())
    pair = andOf(b, pair, inlineRegion(b, op.getMaskMod(), whole, mapping, type));
  if (Value map = lookup(op.getBlockMap()))
    pair = buildKeptByMap(b, map, *op.getBlockMapSizes(), whole, pair);
  return andOf(b, band, pair);
}

Value ElementBuilder::buildMaskedScore(ImplicitLocOpBuilder &b, Value dot, ScorePosition position, KeyBounds bounds) {
  SmallVector<Value, 4> whole = toWhole(b, position);
  Value isValid = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, whole[3], bounds.length);
  Value masked = minusInfinity(b);
  if (!op.hasScoreMod() && !op.getBias() && !op.hasPairMask()) {
    Value keep = andOf(b, isValid, buildKeep(b, whole, bounds));
    return arith::SelectOp::create(b, keep, buildScore(b, dot, whole), masked);
  }
  auto ifValid = scf::IfOp::create(
      b, b.getLoc(), isValid,
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder inner(loc, nested);
        Value score = buildScore(inner, dot, whole);
        if (Value keep = buildKeep(inner, whole, bounds))
          score = arith::SelectOp::create(inner, keep, score, masked);
        scf::YieldOp::create(inner, score);
      },
      [&](OpBuilder &nested, Location loc) { scf::YieldOp::create(nested, loc, masked); });
  return ifValid.getResult(0);
}
