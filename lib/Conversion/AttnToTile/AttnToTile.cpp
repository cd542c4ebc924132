//===- AttnToTile.cpp - Converts kernel functions to tile loops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "fovea/Conversion/Passes.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fovea::conversion {
#define GEN_PASS_DEF_ATTNTOTILEPASS
#include "fovea/Conversion/Passes.h.inc"
} // namespace fovea::conversion

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// Whether an op is worth keeping in a register or a few across a loop: a tile of rank 2 is not, targets make
/// constants and coordinates where they use them.
static bool isCheapToKeep(Operation *op) {
  return llvm::none_of(op->getResultTypes(), [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getRank() > 1;
  });
}

/// Moves scalars and row values that no iteration changes out of the loop.
static void hoistInvariants(scf::ForOp loop) {
  auto isOutside = [](Value value, Region *region) { return value.getParentRegion()->isProperAncestor(region); };
  auto shouldMove = [](Operation *op, Region *) {
    return isMemoryEffectFree(op) && isSpeculatable(op) && isCheapToKeep(op);
  };
  auto move = [&](Operation *op, Region *) { op->moveBefore(loop); };
  moveLoopInvariantCode(&loop.getRegion(), isOutside, shouldMove, move);
}

/// Leaves the strategy on the kernel for the target's passes.
static void keepStrategy(func::FuncOp function, attn::StrategyAttr strategy) {
  if (strategy)
    function->setAttr(attn::kStrategyAttrName, strategy);
}

namespace {
struct AttnToTilePass : conversion::impl::AttnToTilePassBase<AttnToTilePass> {
  void runOnOperation() override;
};
} // namespace

void AttnToTilePass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!function->hasAttr(attn::AttnDialect::getLaunchAttrName()))
    return;
  SmallVector<attn::AttentionOp> attentions;
  SmallVector<attn::CombineOp> combines;
  SmallVector<attn::BlockMapOp> maps;
  SmallVector<attn::BlockListOp> lists;
  SmallVector<attn::BlockOrderOp> orders;
  function.walk([&](attn::AttentionOp op) { attentions.push_back(op); });
  function.walk([&](attn::CombineOp op) { combines.push_back(op); });
  function.walk([&](attn::BlockMapOp op) { maps.push_back(op); });
  function.walk([&](attn::BlockListOp op) { lists.push_back(op); });
  function.walk([&](attn::BlockOrderOp op) { orders.push_back(op); });
  for (attn::AttentionOp op : attentions) {
    keepStrategy(function, op.getStrategyAttr());
    if (failed(convertAttention(op)))
      return signalPassFailure();
  }
  for (attn::CombineOp op : combines) {
    keepStrategy(function, op->getAttrOfType<attn::StrategyAttr>(attn::kStrategyAttrName));
    if (failed(convertCombine(op)))
      return signalPassFailure();
  }
  for (attn::BlockMapOp op : maps) {
    keepStrategy(function, op.getStrategyAttr());
    if (failed(convertBlockMap(op)))
      return signalPassFailure();
  }
  for (attn::BlockListOp op : lists) {
    keepStrategy(function, op->getAttrOfType<attn::StrategyAttr>(attn::kStrategyAttrName));
    if (failed(convertBlockList(op)))
      return signalPassFailure();
  }
  for (attn::BlockOrderOp op : orders) {
    keepStrategy(function, op->getAttrOfType<attn::StrategyAttr>(attn::kStrategyAttrName));
    if (failed(convertBlockOrder(op)))
      return signalPassFailure();
  }
  function.walk(hoistInvariants);
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}
