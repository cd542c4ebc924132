//===- KernelStrategy.cpp - Which strategies an op can have -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"

using namespace mlir;
using namespace fovea::attn;

/// What decides which tasks there are, and in which order.
static LogicalResult verifyTasks(AttentionOp op, StrategyAttr strategy) {
  if (strategy.getCluster() > 1 && !strategy.getSplitKv() && (op.hasBand() || op.getBlockList()))
    return op.emitOpError() << "with a cluster of " << strategy.getCluster()
                            << " needs the same keys for all queries, but has "
                            << (op.getCausal()      ? "causal"
                                : op.getBlockList() ? "block_list"
                                                    : "a window")
                            << "; a strategy with cluster = 1 works";
  if (op.getBlockList() && (strategy.getSplitKv() || strategy.getPackHeads() || strategy.getPersistent()))
    return op.emitOpError() << "with block_list can't have split_kv, pack_heads or persistent";
  if (strategy.getLongestFirst() && !op.isBoundedOnRight())
    return op.emitOpError() << "can't have longest_first, which is for keys that causal or a window bounds on the "
                               "right; a strategy with longest_first = false works";
  return success();
}

/// What decides how a task is computed.
static LogicalResult verifyTask(AttentionOp op, StrategyAttr strategy) {
  if (strategy.getUnit() == DotUnit::Thread)
    return op.emitOpError() << "has tiles, but unit = thread has none; warp and warpgroup work";
  if (strategy.getCarryScores() && !canCarryScores(op))
    return op.emitOpError() << "of depths " << op.getQKDepth() << " and " << op.getVDepth()
                            << " can't have carry_scores, which is for ops without a region, a bias, a mask or "
                               "kv_lengths and for depths up to 128; a strategy with carry_scores = false works";
  if (strategy.getRowSums() == RowSums::Product && op.getLse())
    return op.emitOpError()
           << "has lse, which sums of rounded weights are too coarse for; a strategy with row_sums = add works";
  return success();
}

static LogicalResult verifyPartialResults(AttentionOp op) {
  if (!op.getLse())
    return op.emitOpError() << "with split_kv needs lse: partial results are merged by it";
  if (op.getSink())
    return op.emitOpError() << "with split_kv leaves the sink to attn.combine";
  return success();
}

LogicalResult fovea::attn::verifyKernelStrategy(AttentionOp op) {
  StrategyAttr strategy = *op.getStrategy();
  if (failed(verifyTasks(op, strategy)) || failed(verifyTask(op, strategy)))
    return failure();
  return strategy.hasPartialResults() ? verifyPartialResults(op) : success();
}
