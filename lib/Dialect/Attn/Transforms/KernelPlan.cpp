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
  int64_t cluster = strategy.getCluster();
  return queries.ceilDiv(strategy.getBlockM() * cluster) * cluster;
}

AffineExpr fovea::attn::getTaskGrid(StrategyAttr strategy, AffineExpr splits) {
  auto symbol = [&](ProblemSymbol s) { return getSymbolExpr(s, strategy.getContext()); };
  AffineExpr batch = symbol(ProblemSymbol::Batch), queryHeads = symbol(ProblemSymbol::QueryHeads),
             kvHeads = symbol(ProblemSymbol::KVHeads), queries = symbol(ProblemSymbol::QueryLength);
  AffineExpr tasks = strategy.getPackHeads()
                         ? batch * kvHeads * queries * queryHeads.floorDiv(kvHeads).ceilDiv(strategy.getBlockM())
                         : batch * queryHeads * getNumQueryBlocks(strategy, queries);
  return splits ? tasks * splits : tasks;
}

AffineExpr fovea::attn::getCombineGrid(StrategyAttr strategy) {
  auto symbol = [&](ProblemSymbol s) { return getSymbolExpr(s, strategy.getContext()); };
  return symbol(ProblemSymbol::Batch) * symbol(ProblemSymbol::QueryHeads) *
         symbol(ProblemSymbol::QueryLength).ceilDiv(strategy.getBlockM());
}
