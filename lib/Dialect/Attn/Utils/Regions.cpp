//===- Regions.cpp - Regions of an op from functions, and composition -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionArith.h"

using namespace mlir;
using namespace fovea::attn;

/// Fills `region` with a block of `types` that yields what `build` makes.
static void setRegion(OpBuilder &builder, AttentionOp op, Region &region, TypeRange types,
                      llvm::function_ref<Value(RegionBuilder &, ValueRange)> build) {
  OpBuilder::InsertionGuard guard(builder);
  region.getBlocks().clear();
  Block *block = builder.createBlock(&region, region.end(), types, SmallVector<Location>(types.size(), op.getLoc()));
  RegionBuilder b(op.getLoc(), builder);
  b.setInsertionPointToStart(block);
  Value value = build(b, block->getArguments());
  YieldOp::create(b, value);
}

static PairIndices getPair(ValueRange indices) { return {indices[0], indices[1], indices[2], indices[3]}; }

void fovea::attn::setMaskMod(OpBuilder &builder, AttentionOp op, const MaskFunction &mask) {
  SmallVector<Type> types(4, builder.getIndexType());
  setRegion(builder, op, op.getMaskMod(), types,
            [&](RegionBuilder &b, ValueRange arguments) { return mask(b, getPair(arguments)); });
}

void fovea::attn::setScoreMod(OpBuilder &builder, AttentionOp op, const ScoreFunction &score) {
  SmallVector<Type> types(5, builder.getIndexType());
  types.front() = builder.getF32Type();
  setRegion(builder, op, op.getScoreMod(), types, [&](RegionBuilder &b, ValueRange arguments) {
    return score(b, arguments.front(), getPair(arguments.drop_front()));
  });
}

MaskFunction fovea::attn::allOf(MaskFunction lhs, MaskFunction rhs) {
  return [=](RegionBuilder &b, const PairIndices &pair) -> Value {
    Value left = lhs(b, pair), right = rhs(b, pair);
    return arith::AndIOp::create(b, left, right);
  };
}

MaskFunction fovea::attn::anyOf(MaskFunction lhs, MaskFunction rhs) {
  return [=](RegionBuilder &b, const PairIndices &pair) -> Value {
    Value left = lhs(b, pair), right = rhs(b, pair);
    return arith::OrIOp::create(b, left, right);
  };
}

MaskFunction fovea::attn::notOf(MaskFunction mask) {
  return [=](RegionBuilder &b, const PairIndices &pair) -> Value {
    Value kept = mask(b, pair);
    return arith::XOrIOp::create(b, kept, arith::ConstantIntOp::create(b, 1, 1));
  };
}

ScoreFunction fovea::attn::chain(ScoreFunction first, ScoreFunction second) {
  return [=](RegionBuilder &b, Value score, const PairIndices &pair) {
    Value between = first(b, score, pair);
    return second(b, between, pair);
  };
}

ScoreFunction fovea::attn::where(MaskFunction mask, ScoreFunction score) {
  return [=](RegionBuilder &b, Value original, const PairIndices &pair) -> Value {
    Value chosen = mask(b, pair), changed = score(b, original, pair);
    return arith::SelectOp::create(b, chosen, changed, original);
  };
}
