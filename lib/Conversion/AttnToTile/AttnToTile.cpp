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

/// The strategy of an op in a kernel: its own attribute, or the discardable one of ops that have none. May be null.
static attn::StrategyAttr getStrategy(Operation *op) {
  if (auto masked = dyn_cast<attn::MaskOpInterface>(op))
    return masked.getStrategy().value_or(attn::StrategyAttr());
  return op->getAttrOfType<attn::StrategyAttr>(attn::kStrategyAttrName);
}

/// Converts the ops of one kind, and leaves their strategy on the kernel for the target's passes.
template <typename OpTy> static LogicalResult convertAll(func::FuncOp function, LogicalResult (*convert)(OpTy)) {
  SmallVector<OpTy> ops;
  function.walk([&](OpTy op) { ops.push_back(op); });
  for (OpTy op : ops) {
    if (attn::StrategyAttr strategy = getStrategy(op))
      function->setAttr(attn::kStrategyAttrName, strategy);
    if (failed(convert(op)))
      return failure();
  }
  return success();
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
  if (failed(convertAll(function, convertAttention)) || failed(convertAll(function, convertCombine)) ||
      failed(convertAll(function, convertBlockMap)) || failed(convertAll(function, convertBlockList)) ||
      failed(convertAll(function, convertBlockOrder)))
    return signalPassFailure();
  function.walk(hoistInvariants);
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}
