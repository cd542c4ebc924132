//===- AttentionLowering.h - attn.attention as tile loops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_ATTENTIONLOWERING_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_ATTENTIONLOWERING_H

#include "AgreedBlocks.h"
#include "KeyRange.h"
#include "RegionToTile.h"
#include "Softmax.h"

namespace fovea::conversion {

/// Builds the tile form of one attention op at the builder's position.
class AttentionLowering {
public:
  AttentionLowering(TileBuilder &b, attn::AttentionOp op)
      : b(b), op(op), strategy(*op.getStrategy()), numKeys(strategy.getBlockN()) {}

  mlir::LogicalResult run();

private:
  /// One task from its loads to the stores of its results.
  void buildTask(const Task &task);
  /// Normalises and stores the results of the present task.
  void finishTask(SoftmaxState state);
  ScoreUnits chooseUnits();
  SoftmaxState buildInitialState();
  /// `part`: columns that are summed up on their own; 0: all are in one.
  mlir::Value buildProduct(TileBuilder &b, mlir::Value lhs, mlir::Value rhs, mlir::Value acc, bool transpose,
                           int64_t part = 0);
  /// The product of queries and keys in the units of scores.
  LinearForm buildScaled(TileBuilder &b, mlir::Value product);
  mlir::Value loadOperand(TileBuilder &b, mlir::Value operand, mlir::Value key, bool masked);
  mlir::FailureOr<mlir::Value> buildMask(TileBuilder &b, mlir::Value key, RegionToTile &regions);
  /// What operands and region say of the pairs of a block; null: nothing.
  mlir::FailureOr<mlir::Value> buildPairMask(TileBuilder &b, mlir::Value key, RegionToTile &regions);
  /// Whether the map of blocks calls the block at `key` full, which must lie inside one of the map's.
  mlir::Value isFullByMap(TileBuilder &b, mlir::Value key);
  /// The scores of the block of keys at `key`: product, scale, regions, bias and masks.
  mlir::FailureOr<mlir::Value> buildScores(TileBuilder &b, mlir::Value key, bool masked);
  /// `bias`: that of the block where it was loaded before; null: it is loaded here.
  mlir::FailureOr<LinearForm> modifyScores(TileBuilder &b, mlir::Value product, mlir::Value key, bool masked,
                                           RegionToTile &regions, mlir::Value bias);
  mlir::FailureOr<LinearForm> finishLinearScores(TileBuilder &b, mlir::Value product, mlir::Value key, bool masked,
                                                 RegionToTile &regions, mlir::Value bias = {});
  RegionToTile createRegions(TileBuilder &b, mlir::Value key, bool masked);
  mlir::FailureOr<mlir::Value> finishScores(TileBuilder &b, mlir::Value product, mlir::Value key, bool masked);
  /// `again`: not what an equal product before gave, but anew.
  mlir::Value multiplyKeys(TileBuilder &b, mlir::Value keys, bool again = false);
  void loadQuery(bool ahead = false);
  /// The invariants, and what the pairs of the blocks at hand agree on.
  RegionInvariants getInvariants() const;
  /// Calls `build` for each part of the blocks without masks from `begin` to `end`, those beside `begin` or with
  /// `fromRight` those beside `end` first.
  void forEachFullPart(mlir::Value begin, mlir::Value end, bool fromRight,
                       llvm::function_ref<void(mlir::Value begin, mlir::Value end)> build);
  /// Computes what the regions need of a task that has at least one pair.
  void evaluateInvariants();
  mlir::Value loadKeys(TileBuilder &b, mlir::Value memref, mlir::Value key, mlir::Value limit, int64_t ones = 0);
  mlir::Value roundWeights(TileBuilder &b, mlir::Value weights);
  bool needsMaskEverywhere() { return (op.getMask() || op.hasMaskMod()) && !op.getBlockList(); }
  /// Whether a row keeps its maximum until another outweighs it, or at least where it has not grown.
  bool keepsMax() const { return strategy.getRescale() != attn::Rescale::Always; }
  /// Whether each row has its largest weight be 1, whose rounding has no error.
  bool needsExactMax() { return strategy.getRoundP() && op.hasWideOutput(); }
  bool guessesWeights() { return strategy.getRescale() == attn::Rescale::Optimistic && !needsExactMax(); }
  /// How far a maximum lags behind, if it may.
  std::optional<float> getLag() {
    return !keepsMax() ? std::optional<float>() : needsExactMax() ? 0.0f : kLazyExponent;
  }

  // With a list of blocks loops count its entries, and not positions of keys.
  mlir::Value loadListEntry(TileBuilder &b, mlir::Value entry);
  /// The first key of block number `number` of the list.
  mlir::Value getListedKey(TileBuilder &b, mlir::Value number);
  void readList();

  // One block after the other.
  SoftmaxState buildLoops();
  SoftmaxState buildLoop(mlir::Value begin, mlir::Value end, SoftmaxState state, bool masked);
  mlir::FailureOr<SoftmaxState> buildBlock(TileBuilder &b, mlir::Value key, SoftmaxState state, bool masked);

  /// Where a cluster merges: the state over all parts, for this program's columns of the output, which `task` says.
  SoftmaxState exchangeParts(SoftmaxState state);

  // With `overlap`: the state carries the weights of the block before, which is the next one in memory, and what the
  // accumulator must be multiplied with before that block's values are added (`needed` is null unless lazy). With row
  // sums by the product `sum` is null: they are columns of the accumulator.
  struct OverlapState {
    mlir::Value max, sum, acc, weights, rescale, needed;
    llvm::SmallVector<mlir::Value> toValues() const;
  };
  OverlapState getOverlapState(mlir::ValueRange values) const;
  bool sumsByProduct() const { return strategy.getRowSums() == attn::RowSums::Product; }
  OverlapState buildInitialOverlap();
  /// The state after all blocks, whose values are in `acc`.
  SoftmaxState finishOverlap(const OverlapState &state, mlir::Value acc);
  SoftmaxState buildOverlappedLoops();
  SoftmaxState buildAllBlocks();
  SoftmaxState buildListedBlocks();
  /// The first key of the last block of a range that holds at least one.
  mlir::Value getLastBlock(const KeyRange &range);
  /// The blocks in front of the last one.
  OverlapState buildOtherBlocks(mlir::Value last, OverlapState state);

  // With `carry_scores` the first product of a persistent program's next task is begun before the present one ends.
  /// A task that carries, and the first of its blocks: one without keys has a block as well, whose mask keeps none.
  struct Begin {
    Task task;
    KeyRange range;
    mlir::Value key;
  };
  Begin findBegin(const Task &task);
  /// The product of the first block.
  mlir::Value multiplyFirstKeys(const Begin &begin);
  /// One task from its first product to the stores of its results; returns the first product of the next one.
  mlir::Value buildCarryingTask(const Task &task, const Task &next, mlir::Value product);
  mlir::FailureOr<mlir::Value> finishFirstScores(mlir::Value product, mlir::Value key, bool masked);
  /// `product`: that of the block where it is there already; null: it is made here.
  OverlapState buildFirstBlock(mlir::Value key, bool masked, mlir::Value product = {});
  /// Which blocks a loop visits: those without masks, those with, or those with masks whose rows have, but for few,
  /// seen other keys before.
  enum class Blocks { Full, Masked, MaskedLast };
  OverlapState buildOverlappedLoop(mlir::Value begin, mlir::Value end, OverlapState state, Blocks blocks);
  /// Whether no block is cut by both bounds of a window.
  bool hasSeparateEdges();
  /// `before`: the first key of the block before; null: the one behind this block.
  mlir::FailureOr<OverlapState> buildOverlappedBlock(TileBuilder &b, mlir::Value key, mlir::Value before,
                                                     OverlapState state, Blocks blocks);
  struct Guess {
    mlir::Value weights, sums, wrong;
  };
  Guess buildGuess(TileBuilder &b, const LinearForm &scores, mlir::Value max);
  mlir::Value findWrongRows(TileBuilder &b, const Guess &guess, mlir::Value max);
  mlir::FailureOr<OverlapState> guessWeights(TileBuilder &b, const LinearForm &scores, mlir::Value keys,
                                             mlir::Value key, OverlapState state, OverlapState next, bool masked);
  mlir::Value multiplyValues(TileBuilder &b, const OverlapState &state, mlir::Value key);

  TileBuilder &b;
  attn::AttentionOp op;
  attn::StrategyAttr strategy;
  int64_t numKeys;
  Task task;
  KeyRange range;
  /// The number of the list's blocks that need masks, and of all.
  mlir::Value partialBlocks, listedBlocks;
  ScoreUnits units = ScoreUnits::natural();
  mlir::Value query;
  RegionInvariants invariants;
  /// The choices of the score region and what pairs agree on, in loops over blocks that do.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> choices;
  bool failed = false;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_ATTENTIONLOWERING_H
