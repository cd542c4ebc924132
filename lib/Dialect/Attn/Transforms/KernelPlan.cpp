//===- KernelPlan.cpp - Grids of kernels -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"

using namespace mlir;
using namespace fovea::attn;

/// Blocks of queries; those of a cluster are there even where they have no query.
static AffineExpr getNumQueryBlocks(StrategyAttr strategy, AffineExpr queries) {
  int64_t cluster = strategy.mergesInCluster() ? 1 : strategy.getCluster();
  return queries.ceilDiv(strategy.getBlockM() * cluster) * cluster;
}

AffineExpr fovea::attn::getTaskGrid(StrategyAttr strategy, AffineExpr splits) {
  auto symbol = [&](ProblemSymbol s) { return getSymbolExpr(s, strategy.getContext()); };
  AffineExpr batch = symbol(ProblemSymbol::Batch), queryHeads = symbol(ProblemSymbol::QueryHeads),
             kvHeads = symbol(ProblemSymbol::KVHeads), queries = symbol(ProblemSymbol::QueryLength);
  AffineExpr tasks = strategy.getPackHeads()
                         ? batch * kvHeads * queries * queryHeads.floorDiv(kvHeads).ceilDiv(strategy.getBlockM())
                         : batch * queryHeads * getNumQueryBlocks(strategy, queries);
  if (strategy.mergesInCluster())
    return tasks * strategy.getCluster();
  return splits ? tasks * splits : tasks;
}

bool fovea::attn::canCarryScores(AttentionOp op) {
  constexpr int64_t kDeepest = 128;
  return !op.hasScoreMod() && !op.hasPairMask() && !op.getBias() && !op.getKvLengths() && op.getQKDepth() <= kDeepest &&
         op.getVDepth() <= kDeepest;
}

SmallVector<AffineExpr> fovea::attn::getKernelGrid(StrategyAttr strategy, AffineExpr splits) {
  SmallVector<AffineExpr> grid = {getTaskGrid(strategy, splits)};
  int64_t cluster = strategy.getCluster();
  if (strategy.getPersistent())
    grid.push_back(getSymbolExpr(ProblemSymbol::Threads, strategy.getContext()).floorDiv(cluster) * cluster *
                   strategy.getMinBlocks());
  return grid;
}

AffineExpr fovea::attn::getCombineGrid(StrategyAttr strategy, int64_t depth) {
  auto symbol = [&](ProblemSymbol s) { return getSymbolExpr(s, strategy.getContext()); };
  return symbol(ProblemSymbol::Batch) * symbol(ProblemSymbol::QueryHeads) *
         symbol(ProblemSymbol::QueryLength).ceilDiv(strategy.getBlockM()) *
         llvm::divideCeil(depth, strategy.getBlockN());
}

SmallVector<AffineExpr> fovea::attn::getStrategyConditions(StrategyAttr strategy) {
  MLIRContext *context = strategy.getContext();
  SmallVector<AffineExpr> conditions;
  // Bulk copies take whole chunks of 16 bytes.
  int64_t bytes = strategy.getUnit() == DotUnit::Warpgroup ? 16 : strategy.getVectorBytes();
  if (bytes > 1)
    conditions.push_back(getSymbolExpr(ProblemSymbol::Alignment, context) - bytes);
  // A task without keys begins a product, for which there must be memory to copy from.
  if (strategy.getCarryScores())
    conditions.push_back(getSymbolExpr(ProblemSymbol::KVLength, context) - 1);
  if (strategy.getPersistent())
    conditions.push_back(getAffineConstantExpr(std::numeric_limits<int32_t>::max(), context) -
                         getTaskGrid(strategy, AffineExpr()));
  return conditions;
}

AffineExpr fovea::attn::getBalancedSplits(StrategyAttr strategy, int64_t tasksEach) {
  auto symbol = [&](ProblemSymbol s) { return getSymbolExpr(s, strategy.getContext()); };
  AffineExpr wanted = symbol(ProblemSymbol::Threads) * tasksEach, keys = symbol(ProblemSymbol::KVLength);
  AffineExpr tasks = getTaskGrid(strategy, AffineExpr());
  return (wanted * keys).floorDiv(wanted * strategy.getBlockN() + keys * tasks) + 1;
}

/// Whether a mask of `op` differs along `dim`, the batch or the heads.
static bool dependsOn(AttentionOp op, unsigned dim) {
  if (op.hasMaskMod() && !op.getMaskMod().getArgument(dim).use_empty())
    return true;
  return llvm::any_of(ValueRange(op.getOperands()), [&](Value operand) {
    return (operand == op.getMask() || operand == op.getBlockMap()) &&
           cast<ShapedType>(operand.getType()).getDimSize(dim) != 1;
  });
}

BlockTable::BlockTable(AttentionOp op, StrategyAttr strategy) {
  MLIRContext *context = op.getContext();
  auto symbol = [&](ProblemSymbol s) { return getSymbolExpr(s, context); };
  bool hasOffsets = op.getOffset() && isa<ShapedType>(op.getOffset().getType());
  perBatch = op.getKvLengths() || hasOffsets || dependsOn(op, 0);
  perHead = dependsOn(op, 1);
  AffineExpr one = getAffineConstantExpr(1, context);
  dims = {perBatch ? symbol(ProblemSymbol::Batch) : one, perHead ? symbol(ProblemSymbol::QueryHeads) : one,
          symbol(ProblemSymbol::QueryLength).ceilDiv(strategy.getBlockM()),
          symbol(ProblemSymbol::KVLength).ceilDiv(strategy.getBlockN())};
}

AffineExpr fovea::attn::getScalarGrid(StrategyAttr strategy, AffineExpr tasks, int64_t lanes) {
  return strategy.getUnit() == DotUnit::Thread ? tasks.ceilDiv(32 * strategy.getWarps() / lanes) : tasks;
}
