//===- ScoreParts.cpp - How deep scores are summed up at once -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreParts.h"
#include "Layouts.h"
#include "RoleRegisters.h"
#include "ScoreCost.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// Depths by the error model of docs/hopper.md.
struct PartRule {
  /// The deepest product that is made in one sum, and the deepest part of those that are not.
  int64_t deepest, part;

  /// Products of bf16 have 16 bits, those of f16 22, of which more are cut off. The warps' parts are half as deep, for
  /// chips that add 8 products at a time and keep one bit less: there it takes no registers.
  static PartRule get(Type elementType, attn::DotUnit unit) {
    bool isWarpgroup = unit == attn::DotUnit::Warpgroup;
    if (elementType.isF16())
      return {96, isWarpgroup ? 64 : 32};
    return {160, isWarpgroup ? 128 : 64};
  }
};
} // namespace

/// Columns that one matrix instruction contracts.
static constexpr int64_t kStep = 16;

int64_t nvptx::getScorePart(attn::AttentionOp op, attn::DotUnit unit) {
  if (unit == attn::DotUnit::Thread)
    return 0;
  if (op.needsExactScores())
    return attn::AttentionOp::kExactScorePart;
  Type elementType = op.getQueryType().getElementType();
  if (!op.getLse() || elementType.getIntOrFloatBitWidth() != 16)
    return 0;
  PartRule rule = PartRule::get(elementType, unit);
  int64_t depth = roundUp(op.getQKDepth(), kStep);
  if (depth <= rule.deepest)
    return 0;
  // Parts of one size, or nearly so.
  int64_t numParts = llvm::divideCeil(depth, rule.part);
  return roundUp(llvm::divideCeil(depth, numParts), kStep);
}

/// Registers of a thread that computes, without those that hold no tile: what regions and operands compute takes more.
static int64_t getTileRegisters(attn::AttentionOp op, attn::StrategyAttr strategy) {
  bool isPlain = hasLinearScore(op) && hasLinearBias(op) && !op.hasPairMask();
  int64_t groups = strategy.getWarps() / kWarpsOfGroup;
  return RoleRegisters::getOfCompute(groups, strategy.getMinBlocks()) - (isPlain ? (groups > 2 ? 36 : 40) : 72);
}

/// The largest block of keys whose weights, two sums of scores and the accumulator of O fit the registers.
static int64_t getMostKeys(attn::AttentionOp op, attn::StrategyAttr strategy) {
  int64_t rest = getTileRegisters(op, strategy) - roundUp(op.getVDepth(), kStep) / 2;
  // Kernels that merge in a cluster have fewer registers left: of 48 keys at Dv 256 the assembler serialises products.
  int64_t sharing = strategy.mergesInCluster() ? 4 : strategy.getCluster();
  int64_t multiple = std::lcm<int64_t>(kStep, 8 * sharing);
  return std::max(rest * 4 / 5 / multiple * multiple, multiple);
}

attn::StrategyAttr nvptx::addScoreParts(attn::AttentionOp op, attn::StrategyAttr strategy) {
  int64_t part = getScorePart(op, strategy.getUnit());
  if (part == 0 || (strategy.getScorePart() != 0 && strategy.getScorePart() <= part))
    return strategy;
  attn::StrategyChanges changes;
  changes.scorePart = part;
  if (strategy.getUnit() == attn::DotUnit::Warpgroup)
    changes.blockN = std::min(strategy.getBlockN(), getMostKeys(op, strategy));
  return strategy.with(changes);
}
