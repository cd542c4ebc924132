//===- Conditions.h - When a variant runs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_CONDITIONS_H
#define FOVEA_LIB_TARGET_NVPTX_CONDITIONS_H

#include "Layouts.h"
#include "Tuning.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "mlir/IR/IntegerSet.h"

namespace fovea::nvptx {

/// Conditions on a problem, all of which must hold.
class Conditions {
public:
  explicit Conditions(mlir::MLIRContext *context) : context(context) {}

  /// All rows start at multiples of `bytes`.
  Conditions &isAligned(int64_t bytes) { return isAtLeast(attn::ProblemSymbol::Alignment, bytes); }

  /// `symbol` is below `limit`.
  Conditions &isBelow(attn::ProblemSymbol symbol, int64_t limit) {
    return addNonNegative(mlir::getAffineConstantExpr(limit - 1, context) - attn::getSymbolExpr(symbol, context));
  }

  /// `symbol` is at least `least`.
  Conditions &isAtLeast(attn::ProblemSymbol symbol, int64_t least) {
    return addNonNegative(attn::getSymbolExpr(symbol, context) - least);
  }

  /// Both lengths are such that it pays to look first which blocks of pairs masks keep nothing of: two more kernels,
  /// which take a few microseconds, cost less than the blocks that they save.
  Conditions &hasManyPairs() {
    return isAtLeast(attn::ProblemSymbol::QueryLength, 512).isAtLeast(attn::ProblemSymbol::KVLength, 2048);
  }

  /// There are `each` places for a thread block, or more, for each task of `strategy`, which has so many blocks of
  /// queries: a place is a multiprocessor, or the part of one that the strategy asks for.
  Conditions &fitsAtOnce(attn::StrategyAttr strategy, int64_t each = 1, int64_t blocks = 1) {
    return addNonNegative(attn::getSymbolExpr(attn::ProblemSymbol::Threads, context) *
                              (strategy.getMinBlocks() * blocks) -
                          attn::getTaskGrid(strategy, mlir::AffineExpr()) * each);
  }

  /// All clusters of `strategy` run at once: 11 of 12 multiprocessors are enough for them. (Those of 8 and 4 thread
  /// blocks fill 120 of 132, since a cluster lies in one group of multiprocessors.)
  Conditions &fitsClusters(attn::StrategyAttr strategy) { return fitsAtOnce(strategy, /*each=*/12, /*blocks=*/11); }

  /// The thread blocks of `strategy`, as many for each task whatever the keys, are no slower than parts on all
  /// multiprocessors that a second kernel merges: they take half of the multiprocessors, or there are few keys, the
  /// fewer the more multiprocessors idle; about `keys` where nearly all do.
  Conditions &keepsBusy(attn::StrategyAttr strategy, int64_t keys) {
    mlir::AffineExpr processors = attn::getSymbolExpr(attn::ProblemSymbol::Threads, context);
    mlir::AffineExpr idle = processors - attn::getTaskGrid(strategy, mlir::AffineExpr()) * 2;
    return addNonNegative(processors * keys - attn::getSymbolExpr(attn::ProblemSymbol::KVLength, context) * idle);
  }

  /// The keys pay for being cut although `strategy` has more tasks than there are multiprocessors: about 1000 where it
  /// has three for two, 3000 where it has two for each.
  Conditions &hasKeysForParts(attn::StrategyAttr strategy) {
    mlir::AffineExpr processors = attn::getSymbolExpr(attn::ProblemSymbol::Threads, context);
    mlir::AffineExpr keys = attn::getSymbolExpr(attn::ProblemSymbol::KVLength, context);
    return addNonNegative(processors * (keys + 5120) - attn::getTaskGrid(strategy, mlir::AffineExpr()) * 4096);
  }

  /// So few query positions, no more than query heads of one KV head, that these heads make better tiles.
  Conditions &hasLargeGroups() {
    addNonNegative(attn::getSymbolExpr(attn::ProblemSymbol::QueryHeads, context) -
                   attn::getSymbolExpr(attn::ProblemSymbol::KVHeads, context) *
                       attn::getSymbolExpr(attn::ProblemSymbol::QueryLength, context));
    return isBelow(attn::ProblemSymbol::QueryLength, kMmaRows + 1);
  }

  /// By the rounds in which multiprocessors take their tasks `other` computes more rows than `strategy`, by one of
  /// `parts` parts at least: a few tasks more than a round has cost as much as another round. `bounded`: keys
  /// are bounded on the right.
  Conditions &hasBetterRounds(attn::StrategyAttr strategy, attn::StrategyAttr other, bool bounded, int64_t parts) {
    return addNonNegative(getRows(other, bounded) * parts - getRows(strategy, bounded) * (parts + 1));
  }

  /// `other` does not have better rounds than `strategy`.
  Conditions &hasNoWorseRounds(attn::StrategyAttr strategy, attn::StrategyAttr other, bool bounded, int64_t parts) {
    return addNonNegative(getRows(other, bounded) * (parts + 1) - getRows(strategy, bounded) * parts - 1);
  }

  /// `strategy`, whose rounds cost `cost`, costs no more than `other`, where all tasks have the same keys.
  Conditions &costsNoMore(attn::StrategyAttr strategy, RoundCost cost, attn::StrategyAttr other, RoundCost otherCost) {
    return addNonNegative(getCost(other, otherCost) - getCost(strategy, cost));
  }

  /// Whether a task of `strategy` is a pair of blocks of queries; `bounded`: keys are bounded on the right.
  static bool takesPairs(attn::StrategyAttr strategy, bool bounded) {
    return bounded && strategy.getPersistent() && !strategy.getLongestFirst();
  }

  /// What `strategy` itself relies on.
  Conditions &allows(attn::StrategyAttr strategy) {
    llvm::append_range(constraints, attn::getStrategyConditions(strategy));
    return *this;
  }

  /// The grid of `strategy` has at most `limit` blocks.
  Conditions &hasFewBlocks(attn::StrategyAttr strategy, int64_t limit) {
    return addNonNegative(mlir::getAffineConstantExpr(limit, context) -
                          attn::getTaskGrid(strategy, mlir::AffineExpr()));
  }

  mlir::IntegerSet get() const {
    return mlir::IntegerSet::get(0, attn::kNumProblemSymbols, constraints,
                                 llvm::SmallVector<bool>(constraints.size(), false));
  }

private:
  Conditions &addNonNegative(mlir::AffineExpr expr) {
    constraints.push_back(expr);
    return *this;
  }

  mlir::AffineExpr getSymbol(attn::ProblemSymbol symbol) const { return attn::getSymbolExpr(symbol, context); }

  /// Tasks of so many rows of one head each.
  mlir::AffineExpr getTasks(int64_t rows) const {
    return getSymbol(attn::ProblemSymbol::Batch) * getSymbol(attn::ProblemSymbol::QueryHeads) *
           getSymbol(attn::ProblemSymbol::QueryLength).ceilDiv(rows);
  }

  /// The tasks that all multiprocessors hold at a time.
  mlir::AffineExpr getTasksAtOnce(attn::StrategyAttr strategy) const {
    return getSymbol(attn::ProblemSymbol::Threads) * strategy.getMinBlocks();
  }

  /// What the rounds in which multiprocessors take the tasks of `strategy` cost.
  mlir::AffineExpr getCost(attn::StrategyAttr strategy, RoundCost cost) const {
    mlir::AffineExpr rounds = getTasks(strategy.getBlockM()).ceilDiv(getTasksAtOnce(strategy));
    mlir::AffineExpr blocks = getSymbol(attn::ProblemSymbol::KVLength).ceilDiv(strategy.getBlockN());
    return rounds * (blocks * cost.block + cost.task);
  }

  /// The rows that a multiprocessor computes in all its rounds. In an order of lengths the last round is about as long
  /// as its part of the tasks.
  mlir::AffineExpr getRows(attn::StrategyAttr strategy, bool bounded) const {
    int64_t rows = strategy.getBlockM() * (takesPairs(strategy, bounded) ? 2 : 1), places = strategy.getMinBlocks();
    mlir::AffineExpr tasks = getTasks(rows), atOnce = getTasksAtOnce(strategy);
    if (strategy.getLongestFirst())
      return (tasks * rows).ceilDiv(atOnce) * places + rows / 2;
    return tasks.ceilDiv(atOnce) * (rows * places);
  }

  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::AffineExpr> constraints;
};

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_CONDITIONS_H
