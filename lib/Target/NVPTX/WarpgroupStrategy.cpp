//===- WarpgroupStrategy.cpp - Kernels of warpgroup products -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"
#include "Layouts.h"
#include "RoleRegisters.h"
#include "ScoreCost.h"
#include "ScoreParts.h"
#include "Strategy.h"
#include "Tuning.h"
#include "fovea/Dialect/Attn/Transforms/MaskEstimate.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Registers that hold neither accumulator nor scores nor weights; what regions and operands compute takes more. With
/// tables, of which a thread holds little more than half a value for each score, the larger block is faster though a
/// few registers spill outside of the loops.
static constexpr int64_t kOtherRegisters = 60, kOtherRegistersOfRegions = 120, kOtherRegistersOfTables = 56;
/// Keys of a block by the rule.
static constexpr int64_t kLeastKeys = 48, kMostKeys = 128;
/// Rows of so many blocks are short: what counts is where a task begins and ends, and how much of a block is cut off.
/// Measured for rows of one to eight, and for such of sixteen and more, which larger tiles suit.
static constexpr double kShortRow = 8;
/// Rows of so many full blocks, of kEstimateLength / kEstimateBlock, are long: they suit what plain kernels have.
/// Measured for rows that are half full and for such of documents, of which nothing is full in any case.
static constexpr double kLongRow = 24;
/// Blocks of half as many keys take longer for each pair, by a sixth up to depth 64 and a quarter at larger ones: they
/// are faster where they leave out more than that.
static constexpr double kThinPartOfShallow = 0.84, kThinPart = 0.77;
/// Rounds decide between kernels where they differ by more than the kernels' rates do: by a part of so many rows.
static constexpr int64_t kRoundPartsOfShallow = 6, kRoundParts = 32;
/// Stages of a kernel whose thread blocks merge parts.
static constexpr int64_t kMostStages = 4;
/// Keys up to which a cluster is faster, even where nearly all multiprocessors idle, than parts on all of them and a
/// second kernel: a little less than measured for one to four tasks.
static constexpr int64_t kKeysOfLoneCluster = 12288;

namespace {
/// Plans by the table of tuned strategies, or by rule: two warpgroups of 64 rows, three up to depth 64, where the
/// exponentials take as long as the products; as many keys a block as registers and shared memory hold; weights of
/// scores that are linear in the products are optimistic; warpgroups take turns. Up to depth 64 the second product is
/// begun between the exponentials and, with less than three warpgroups, adds up the weights. A block of one warpgroup
/// where those would not fill the GPU.
class WarpgroupPlanner {
public:
  WarpgroupPlanner(attn::AttentionOp op, const Problem &problem, const Chip &chip)
      : op(op), problem(problem), chip(chip), isPlain(hasLinearScore(op) && hasLinearBias(op) && !op.hasPairMask()),
        sameKeys(!op.hasBand()) {}

  SmallVector<PlannedVariant> plan(SmallVector<TunedKernel> tuned) {
    for (TunedKernel &kernel : tuned)
      kernel.strategy = adapt(kernel.strategy);
    // An entry is for a class of depths, of which the problem may have the deeper values, and for weights that may be
    // guessed.
    if (op.hasWideOutput() || llvm::any_of(tuned, [&](const TunedKernel &kernel) { return !fits(kernel.strategy); }))
      tuned.clear();
    attn::StrategyAttr wide = tuned.empty() ? getStrategy(getNumWideGroups()) : tuned.back().strategy;
    SmallVector<PlannedVariant> variants;
    if (op.hasPairMask())
      addMapped(variants);
    if (llvm::none_of(tuned, [](const TunedKernel &kernel) { return kernel.fewTasks; }))
      addNarrow(variants, getStrategy(/*groups=*/1));
    for (size_t number : llvm::seq<size_t>(0, tuned.empty() ? 0 : tuned.size() - 1))
      addTuned(variants, tuned[number], ArrayRef(tuned).drop_front(number + 1));
    add(variants, "warpgroup", wide, allow(wide));
    return variants;
  }

  /// Heads of a group as rows, then blocks of queries, each in clusters of 8, or of 4 where those would not all run at
  /// once.
  void addClusters(SmallVectorImpl<PlannedVariant> &variants) {
    for (bool packHeads : {true, false})
      for (int64_t cluster : {8, 4}) {
        attn::StrategyAttr strategy = getClusterStrategy(packHeads, cluster);
        Conditions when = allow(strategy).fitsClusters(strategy).keepsBusy(strategy, kKeysOfLoneCluster);
        if (packHeads)
          when.hasLargeGroups();
        when.isAtLeast(attn::ProblemSymbol::KVLength, kLeastKeysOfClusters);
        add(variants, ((packHeads ? "rows_cluster" : "cluster") + Twine(cluster)).str(), strategy, when);
      }
  }

private:
  /// Tiles of a kernel that visits the blocks of a list. One warpgroup waits for no turns, leaves its part of a
  /// multiprocessor to the next thread block as it ends, and needs less of the blocks that lists leave out.
  struct ListTiles {
    int64_t groups, keys, stages, minBlocks;
  };

  ListTiles getListTiles() {
    int64_t depth = problem.getMaxDepth();
    if (!scoresAreLinear())
      return {/*groups=*/2, depth <= 64 ? 96 : depth <= 192 ? 64 : 48, /*stages=*/2, /*minBlocks=*/1};
    if (depth > 128)
      return {/*groups=*/2, /*keys=*/64, /*stages=*/2, /*minBlocks=*/1};
    std::optional<attn::MaskEstimate> estimate = attn::estimateMask(op);
    bool isShort = estimate && estimate->keptBlocks <= kShortRow, isShallow = depth <= 64;
    if (estimate && estimate->thinPart <= (isShallow ? kThinPartOfShallow : kThinPart))
      return {/*groups=*/1, /*keys=*/32, /*stages=*/2, /*minBlocks=*/isShallow ? 4 : 3};
    if (isShallow && estimate && estimate->fullBlocks >= kLongRow)
      return {/*groups=*/3, /*keys=*/96, /*stages=*/3, /*minBlocks=*/1};
    if (isShallow)
      return {/*groups=*/1, /*keys=*/64, isShort ? 3 : 2, /*minBlocks=*/3};
    if (isShort)
      return {/*groups=*/1, /*keys=*/64, /*stages=*/2, /*minBlocks=*/2};
    return {/*groups=*/2, /*keys=*/128, /*stages=*/2, /*minBlocks=*/1};
  }

  /// A variant that visits the blocks of a list. Blocks that are full have no code for masks, so that the tiles are
  /// those of plain kernels; a mask is often made of blocks of 128.
  void addMapped(SmallVectorImpl<PlannedVariant> &variants) {
    ListTiles tiles = getListTiles();
    // Where blocks lie inside those of a given map its partial blocks are read once, and not for each pair.
    if (op.getBlockMap() && (*op.getBlockMapSizes())[1] % 32 == 0)
      tiles.keys = std::gcd(tiles.keys, (*op.getBlockMapSizes())[1]);
    // Scores in parts need registers that a thread of more than two thread blocks does not have.
    if (tiles.minBlocks > 2 && addScoreParts(op, getMapped(tiles)).getBlockN() < tiles.keys)
      tiles.minBlocks = 2;
    // As many keys as parts of scores allow, and still a part of those blocks.
    if (int64_t most = addScoreParts(op, getMapped(tiles)).getBlockN(); most < tiles.keys)
      tiles.keys = llvm::bit_floor<uint64_t>(most);
    attn::StrategyAttr strategy = addScoreParts(op, getMapped(tiles));
    add(variants, "warpgroup_map", strategy, allow(strategy).hasManyPairs());
    variants.back().blockMap = getMapStrategy(op, strategy);
  }

  attn::StrategyAttr getMapped(ListTiles tiles) {
    attn::StrategyChanges changes;
    changes.stages = tiles.stages;
    changes.rescale = getRescale(scoresAreLinear());
    changes.pingpong = tiles.groups > 1;
    changes.interleave = scoresAreLinear() && problem.getMaxDepth() <= 64;
    changes.minBlocks = tiles.minBlocks;
    return makeStrategy(tiles.groups, tiles.keys, changes);
  }

  bool scoresAreLinear() { return hasLinearScore(op) && hasLinearBias(op); }

  /// `groups` warpgroups of 64 rows and blocks of `keys` keys, with what all kernels of warpgroups have and `changes`.
  attn::StrategyAttr makeStrategy(int64_t groups, int64_t keys, attn::StrategyChanges changes) {
    changes.warps = groups * kWarpsOfGroup;
    changes.vectorBytes = kChunkBytes;
    changes.roundP = changes.overlap = true;
    changes.unit = attn::DotUnit::Warpgroup;
    return attn::StrategyAttr::get(op.getContext(), groups * kWarpgroupRows, keys).with(changes);
  }

  /// A kernel for problems whose tasks it can compute all at once. Where keys are bounded on the right a task of a
  /// persistent kernel is a pair of blocks.
  void addNarrow(SmallVectorImpl<PlannedVariant> &variants, attn::StrategyAttr strategy) {
    bool paired = Conditions::takesPairs(strategy, op.isBoundedOnRight());
    add(variants, "warpgroup_narrow", strategy,
        allow(strategy).fitsAtOnce(strategy, /*each=*/1, /*blocks=*/paired ? 2 : 1));
  }

  /// A kernel of an entry for a part of its problems, before the kernels `rest`.
  void addTuned(SmallVectorImpl<PlannedVariant> &variants, const TunedKernel &kernel, ArrayRef<TunedKernel> rest) {
    if (kernel.fewTasks)
      return addNarrow(variants, kernel.strategy);
    if (kernel.cost)
      return addCheapest(variants, kernel, rest);
    auto isForMany = [](const TunedKernel &other) { return !other.fewTasks; };
    addShort(variants, kernel, llvm::find_if(rest, isForMany)->strategy);
  }

  /// A kernel that runs where those of `rest` cost as much or more.
  void addCheapest(SmallVectorImpl<PlannedVariant> &variants, const TunedKernel &kernel, ArrayRef<TunedKernel> rest) {
    Conditions conditions = allow(kernel.strategy);
    for (const TunedKernel &other : rest)
      if (other.cost)
        conditions.costsNoMore(kernel.strategy, *kernel.cost, other.strategy, *other.cost);
    add(variants, "warpgroup_cheapest", kernel.strategy, conditions);
  }

  /// A kernel for lengths up to a limit, those of the keys where all queries have the same. `next` is the one that
  /// comes after it. Where one of the two has better rounds that one runs, whatever the length.
  void addShort(SmallVectorImpl<PlannedVariant> &variants, const TunedKernel &kernel, attn::StrategyAttr next) {
    attn::StrategyAttr strategy = kernel.strategy;
    Conditions conditions = allow(strategy);
    if (kernel.lengthBelow)
      conditions.isBelow(sameKeys ? attn::ProblemSymbol::KVLength : attn::ProblemSymbol::QueryLength,
                         *kernel.lengthBelow);
    int64_t parts = problem.getMaxDepth() <= 64 ? kRoundPartsOfShallow : kRoundParts;
    bool haveSameRounds =
        strategy.getBlockM() == next.getBlockM() && strategy.getLongestFirst() == next.getLongestFirst();
    if (!haveSameRounds)
      conditions.hasNoWorseRounds(strategy, next, op.isBoundedOnRight(), parts);
    add(variants, "warpgroup_short", strategy, conditions);
    if (!haveSameRounds)
      add(variants, "warpgroup_rounds", strategy,
          allow(strategy).hasBetterRounds(strategy, next, op.isBoundedOnRight(), parts));
  }

  int64_t getNumWideGroups() const { return isPlain && problem.getMaxDepth() <= 64 ? 3 : 2; }

  /// Bytes of a row of an operand in shared memory.
  static int64_t getRowBytes(int64_t depth) { return roundUp(depth, 64) * 2; }

  /// Shared memory for keys and values, beside `rows` rows of Q and the barriers, of one of `blocks` thread blocks.
  int64_t getRingBytes(int64_t rows, int64_t blocks = 1) const {
    return getSharedBytesOfBlock(chip.sharedBytes, blocks) - 1024 - rows * getRowBytes(problem.qkDepth);
  }

  /// How maxima are kept: guessed where that is of use, and where errors of P may be as large as those of O.
  attn::Rescale getRescale(bool guesses) {
    return guesses && !op.hasWideOutput() ? attn::Rescale::Optimistic : attn::Rescale::Lazy;
  }

  /// `strategy` as this op can have it: scores in parts where it needs them, and row sums that are added up where LSE
  /// is wanted or V has no whole panels; first scores that are carried where pairs have nothing of their own.
  attn::StrategyAttr adapt(attn::StrategyAttr strategy) {
    attn::StrategyChanges changes;
    if (op.getLse() || problem.vDepth % SwizzledLayout::kPanelCols != 0)
      changes.rowSums = attn::RowSums::Add;
    if (!attn::canCarryScores(op))
      changes.carryScores = false;
    if (!op.isBoundedOnRight())
      changes.longestFirst = false;
    return addScoreParts(op, strategy).with(changes);
  }

  /// Whether the operands of `strategy` fit the shared memory, and its products the registers.
  bool fits(attn::StrategyAttr strategy) const {
    if (!ProductInstruction::getWidest(strategy, problem.vDepth).fits())
      return false;
    int64_t keyBytes = getRowBytes(problem.qkDepth) + getRowBytes(problem.vDepth);
    if (strategy.getRowSums() == attn::RowSums::Product)
      keyBytes += SwizzledLayout::kPanelPitch;
    return strategy.getStages() * strategy.getBlockN() * keyBytes <=
           getRingBytes(strategy.getBlockM(), strategy.getMinBlocks());
  }

  /// The largest block of keys for two stages.
  int64_t getNumKeys(int64_t groups) const {
    int64_t others = !isPlain ? kOtherRegistersOfRegions : readsTables(op) ? kOtherRegistersOfTables : kOtherRegisters;
    int64_t registers = RoleRegisters::getOfCompute(groups, /*minBlocks=*/1) - problem.vDepth / 2 - others;
    int64_t keyBytes = getRowBytes(problem.qkDepth) + getRowBytes(problem.vDepth);
    int64_t keys = std::min(registers * 4 / 3, getRingBytes(groups * kWarpgroupRows) / (2 * keyBytes));
    return std::clamp(keys / 16 * 16, kLeastKeys, kMostKeys);
  }

  attn::StrategyAttr getStrategy(int64_t groups) {
    bool isShallow = isPlain && problem.getMaxDepth() <= 64;
    attn::StrategyChanges changes;
    changes.stages = 2;
    changes.persistent = true;
    changes.rescale = getRescale(isPlain);
    changes.pingpong = groups > 1;
    changes.interleave = isShallow;
    if (isShallow && groups < 3)
      changes.rowSums = attn::RowSums::Product;
    return adapt(makeStrategy(groups, getNumKeys(groups), changes));
  }

  /// One warpgroup, and copies in flight as shared memory allows: memory is the limit.
  attn::StrategyAttr getClusterStrategy(bool packHeads, int64_t cluster) {
    int64_t keys = getNumKeys(/*groups=*/1), keyBytes = getRowBytes(problem.qkDepth) + getRowBytes(problem.vDepth);
    attn::StrategyChanges changes;
    changes.stages = std::clamp<int64_t>(getRingBytes(kWarpgroupRows) / (keys * keyBytes), 1, kMostStages);
    changes.packHeads = packHeads;
    changes.splitKv = true;
    changes.rescale = getRescale(isPlain);
    changes.cluster = cluster;
    return addScoreParts(op, makeStrategy(/*groups=*/1, keys, changes));
  }

  Conditions allow(attn::StrategyAttr strategy) { return Conditions(op.getContext()).allows(strategy); }

  static void add(SmallVectorImpl<PlannedVariant> &variants, StringRef name, attn::StrategyAttr strategy,
                  const Conditions &conditions) {
    variants.push_back({name.str(), conditions.get(), strategy, AffineExpr(), {}, {}});
  }

  attn::AttentionOp op;
  const Problem &problem;
  const Chip &chip;
  bool isPlain, sameKeys;
};
} // namespace

void nvptx::planClusters(attn::AttentionOp op, const Problem &problem, const Chip &chip,
                         SmallVectorImpl<PlannedVariant> &variants) {
  WarpgroupPlanner(op, problem, chip).addClusters(variants);
}

LogicalResult nvptx::planWarpgroups(attn::AttentionOp op, const Problem &problem, const Chip &chip, StringRef tuning,
                                    SmallVectorImpl<PlannedVariant> &variants) {
  FailureOr<SmallVector<TunedKernel>> tuned = lookupTunedKernels(op, chip.name, tuning);
  if (failed(tuned))
    return failure();
  llvm::append_range(variants, WarpgroupPlanner(op, problem, chip).plan(std::move(*tuned)));
  return success();
}
