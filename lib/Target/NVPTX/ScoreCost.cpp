//===- ScoreCost.cpp - What a score function costs each pair -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreCost.h"
#include "fovea/Dialect/Attn/Transforms/ScoreShape.h"

using namespace mlir;
using namespace fovea;
using attn::ScoreShape;

bool nvptx::hasLinearScore(attn::AttentionOp op) {
  ScoreShape::Kind kind = ScoreShape::of(op.getScoreMod()).kind;
  // With a list of blocks, or masks everywhere, no block is known to agree on the choices.
  return kind == ScoreShape::Kind::Linear || kind == ScoreShape::Kind::Tables ||
         (kind == ScoreShape::Kind::Choices && !op.hasPairMask());
}

bool nvptx::hasLinearBias(attn::AttentionOp op) {
  return !op.getBias() || cast<ShapedType>(op.getBias().getType()).getDimSize(2) == 1;
}

bool nvptx::readsTables(attn::AttentionOp op) {
  if (ScoreShape::of(op.getScoreMod()).kind == ScoreShape::Kind::Tables)
    return true;
  return op.getBias() && hasLinearBias(op) && !op.getMask();
}
