//===- Strategy.cpp - How attention runs on a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strategy.h"
#include "Layouts.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// What decides on tile sizes.
struct Problem {
  Type elementType;
  int64_t qkDepth, vDepth;

  int64_t getElementBytes() const { return elementType.getIntOrFloatBitWidth() / 8; }
  int64_t getMaxDepth() const { return std::max(qkDepth, vDepth); }
};

/// Tile sizes of one kernel.
struct Tiles {
  int64_t blockM, blockN, warps, stages;
};
} // namespace

/// Bytes of shared memory: Q once, K and V `stages` times.
static int64_t getSharedBytes(const Problem &problem, const Tiles &tiles) {
  int64_t bytes = problem.getElementBytes();
  return SharedLayout::get(tiles.blockM, problem.qkDepth, bytes).getBytes() +
         tiles.stages * (SharedLayout::get(tiles.blockN, problem.qkDepth, bytes).getBytes() +
                         SharedLayout::get(tiles.blockN, problem.vDepth, bytes).getBytes());
}

/// Candidates from fastest to smallest for long sequences. A thread has 255 registers: with 32 rows a warp the
/// accumulators of O take Dv, those of S block_n of them; with 16 rows half as many.
static ArrayRef<Tiles> getCandidates(const Problem &problem) {
  static constexpr Tiles kHalf64[] = {{128, 64, 4, 2}};
  static constexpr Tiles kHalf128[] = {{128, 64, 4, 2}, {128, 32, 4, 2}, {64, 64, 4, 2}};
  static constexpr Tiles kHalf256[] = {{64, 64, 4, 2}, {64, 32, 4, 2}, {64, 16, 4, 2}};
  static constexpr Tiles kSingle64[] = {{64, 64, 4, 2}, {64, 32, 4, 2}};
  static constexpr Tiles kSingle128[] = {{64, 32, 4, 2}, {64, 16, 4, 2}};
  static constexpr Tiles kSingle256[] = {{64, 16, 4, 1}, {32, 16, 2, 2}};
  int64_t depth = problem.getMaxDepth();
  if (problem.getElementBytes() == 2)
    return depth <= 64 ? ArrayRef(kHalf64) : depth <= 128 ? ArrayRef(kHalf128) : ArrayRef(kHalf256);
  return depth <= 64 ? ArrayRef(kSingle64) : depth <= 128 ? ArrayRef(kSingle128) : ArrayRef(kSingle256);
}

/// The first candidate that fits the shared memory; the last one fits every chip.
static Tiles selectTiles(const Problem &problem, int64_t sharedBytes) {
  ArrayRef<Tiles> candidates = getCandidates(problem);
  for (const Tiles &tiles : candidates)
    if (getSharedBytes(problem, tiles) <= sharedBytes)
      return tiles;
  return candidates.back();
}

/// Emits one error if the op has no kernel here.
static LogicalResult verifySupported(attn::AttentionOp op, const Problem &problem, const Chip &chip) {
  Type type = problem.elementType;
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
    return op.emitError() << "no kernel for " << type << " on " << chip.name
                          << ": there is no code for f8 on any chip yet; f16 and bf16 work";
  if (!type.isF16() && !type.isBF16() && !type.isF32())
    return op.emitError() << "no kernel for " << type << " on " << chip.name << "; f16, bf16 and f32 work";
  if (problem.getMaxDepth() > kMaxDepth)
    return op.emitError() << "no kernel for Dqk " << problem.qkDepth << " and Dv " << problem.vDepth << " on "
                          << chip.name << "; up to " << kMaxDepth << " each works, and target cpu has no limit";
  return success();
}

/// Half the rows of `tiles`, for problems with too few blocks to fill a GPU; nothing where a warp has 16 rows already:
/// half the warps were slower there.
static std::optional<Tiles> getNarrowTiles(const Tiles &tiles) {
  if (tiles.blockM == kMmaRows * tiles.warps)
    return std::nullopt;
  return Tiles{tiles.blockM / 2, tiles.blockN, tiles.warps, tiles.stages};
}

/// Blocks of the wide tiles up to which the narrow ones are faster: two on each SM of the largest GPU measured.
static constexpr int64_t kFewBlocks = 264;

/// Lengths from which on two more kernels, which take a few microseconds, cost less than the blocks that they save.
static constexpr int64_t kMappedQueries = 512, kMappedKeys = 2048;

/// Whether there are masks beyond causal, window and lengths, whose blocks are found when the kernel is run.
static bool hasMap(attn::AttentionOp op) { return op.hasMaskMod() || op.getMask(); }

/// The map of the blocks of `strategy`: each thread takes a block.
static attn::StrategyAttr getMapStrategy(attn::StrategyAttr strategy) {
  return attn::StrategyAttr::get(strategy.getContext(), strategy.getBlockM(), strategy.getBlockN(), /*warps=*/2,
                                 /*stages=*/1, /*vector_bytes=*/1, false, false, false, attn::DotUnit::Thread,
                                 /*overlap=*/false, /*persistent=*/false, attn::Rescale::Always, /*cluster=*/1,
                                 /*pingpong=*/false);
}

namespace {
/// Conditions on a problem, all of which must hold.
class Conditions {
public:
  explicit Conditions(MLIRContext *context) : context(context) {}

  /// All rows start at multiples of `bytes`.
  Conditions &isAligned(int64_t bytes) {
    return addNonNegative(attn::getSymbolExpr(attn::ProblemSymbol::Alignment, context) - bytes);
  }

  /// `symbol` is below `limit`.
  Conditions &isBelow(attn::ProblemSymbol symbol, int64_t limit) {
    return addNonNegative(getAffineConstantExpr(limit - 1, context) - attn::getSymbolExpr(symbol, context));
  }

  /// `symbol` is at least `limit`.
  Conditions &isAtLeast(attn::ProblemSymbol symbol, int64_t limit) {
    return addNonNegative(attn::getSymbolExpr(symbol, context) - limit);
  }

  /// Both lengths are such that it pays to look first which blocks of pairs masks keep nothing of.
  Conditions &hasManyPairs() {
    return isAtLeast(attn::ProblemSymbol::QueryLength, kMappedQueries)
        .isAtLeast(attn::ProblemSymbol::KVLength, kMappedKeys);
  }

  /// The number of tasks of `strategy` is at most that of multiprocessors.
  Conditions &fitsAtOnce(attn::StrategyAttr strategy) {
    return addNonNegative(attn::getSymbolExpr(attn::ProblemSymbol::Threads, context) -
                          attn::getTaskGrid(strategy, AffineExpr()));
  }

  /// Persistent kernels count tasks in 32 bits.
  Conditions &hasCountableTasks(attn::StrategyAttr strategy) {
    return addNonNegative(getAffineConstantExpr(std::numeric_limits<int32_t>::max(), context) -
                          attn::getTaskGrid(strategy, AffineExpr()));
  }

  /// The grid of `strategy` has at most `kFewBlocks` blocks.
  Conditions &hasFewBlocks(attn::StrategyAttr strategy) {
    return addNonNegative(getAffineConstantExpr(kFewBlocks, context) - attn::getTaskGrid(strategy, AffineExpr()));
  }

  IntegerSet get() const {
    return IntegerSet::get(0, attn::kNumProblemSymbols, constraints, SmallVector<bool>(constraints.size(), false));
  }

private:
  Conditions &addNonNegative(AffineExpr expr) {
    constraints.push_back(expr);
    return *this;
  }

  MLIRContext *context;
  SmallVector<AffineExpr> constraints;
};
} // namespace

namespace {
/// Plans the kernels of warpgroup products. The tiles are those that were fastest on an H200 (docs/hopper.md): a
/// warpgroup has 64 rows; beside its accumulator (Dv / 2 registers) a thread holds the scores and the weights of a
/// block of keys (3/4 of a register a key), and what a score function, a bias or a mask computes.
class WarpgroupPlanner {
public:
  WarpgroupPlanner(attn::AttentionOp op, const Problem &problem)
      : op(op), depth(problem.getMaxDepth()),
        isPlain(!op.hasScoreMod() && !op.hasMaskMod() && !op.getBias() && !op.getMask()),
        sameKeys(!op.getCausal() && !op.getWindowLeft() && !op.getWindowRight()) {}

  void addVariants(SmallVectorImpl<PlannedVariant> &variants) {
    if (hasMap(op))
      addMapped(variants);
    attn::StrategyAttr wide = getStrategy(getWideTiles());
    Tiles narrow = {kWarpgroupRows, isPlain ? std::min<int64_t>(wide.getBlockN(), 128) : 64, kWarpsOfGroup, 2};
    add(variants, "warpgroup_narrow", getStrategy(narrow), getConditions(wide).fitsAtOnce(wide));
    if (isPlain && !sameKeys && depth <= 64)
      addShort(variants, {128, 128, 8, 2}, attn::ProblemSymbol::QueryLength, 3072);
    if (isPlain && !sameKeys && depth > 192)
      addShort(variants, {128, 48, 8, 2}, attn::ProblemSymbol::QueryLength, 4096);
    if (isPlain && sameKeys && depth <= 64)
      addShort(variants, {128, 128, 8, 2}, attn::ProblemSymbol::KVLength, 1536);
    if (isPlain && sameKeys && depth > 64 && depth <= 128)
      addShort(variants, {128, 128, 8, 2}, attn::ProblemSymbol::KVLength, 6144);
    add(variants, "warpgroup", wide, getConditions(wide));
  }

private:
  /// A variant for lengths below `limit`, where smaller tiles leave less undone at the ends.
  void addShort(SmallVectorImpl<PlannedVariant> &variants, const Tiles &tiles, attn::ProblemSymbol length,
                int64_t limit) {
    attn::StrategyAttr strategy = getStrategy(tiles);
    add(variants, "warpgroup_short", strategy, getConditions(strategy).isBelow(length, limit));
  }

  /// A variant that visits the blocks of a list. Blocks that are full have no code for masks, so that the tiles are
  /// those of plain kernels; a mask is often made of blocks of 128.
  void addMapped(SmallVectorImpl<PlannedVariant> &variants) {
    bool scoresAreProducts = !op.hasScoreMod() && !op.getBias();
    int64_t keys = scoresAreProducts ? (depth <= 128 ? 128 : 64) : (depth <= 64 ? 96 : depth <= 192 ? 64 : 48);
    auto strategy = attn::StrategyAttr::get(
        op.getContext(), /*block_m=*/128, keys, /*warps=*/8, /*stages=*/2, kChunkBytes, /*pack_heads=*/false,
        /*split_kv=*/false, /*round_p=*/true, attn::DotUnit::Warpgroup, /*overlap=*/true, /*persistent=*/true,
        scoresAreProducts ? attn::Rescale::Optimistic : attn::Rescale::Lazy, /*cluster=*/1, /*pingpong=*/true);
    add(variants, "warpgroup_map", strategy, getConditions(strategy).hasManyPairs());
    variants.back().blockMap = getMapStrategy(strategy);
  }

  Tiles getWideTiles() const {
    if (!isPlain)
      return {128, depth <= 64 ? 112 : depth <= 128 ? 80 : depth <= 192 ? 64 : 48, 8, 2};
    if (depth <= 64)
      return {192, sameKeys ? 112 : 96, 12, 2};
    if (depth <= 128)
      return {128, sameKeys ? 160 : 128, 8, 2};
    if (depth <= 192)
      return {128, 112, 8, 2};
    return {128, sameKeys ? 80 : 64, 8, 2};
  }

  /// Blocks of one cluster read the same keys, which pays where these are many or their rows long.
  bool sharesCopies(const Tiles &tiles) const {
    return isPlain && sameKeys && (tiles.blockN == 160 || (depth > 192 && tiles.blockN == 80));
  }

  /// A block that is computed twice costs little where scores are products alone.
  attn::StrategyAttr getStrategy(const Tiles &tiles) {
    bool shares = sharesCopies(tiles), hasTurns = tiles.warps > kWarpsOfGroup && !shares && tiles.blockN != 64;
    return attn::StrategyAttr::get(
        op.getContext(), tiles.blockM, tiles.blockN, tiles.warps, tiles.stages, kChunkBytes,
        /*pack_heads=*/false, /*split_kv=*/false, /*round_p=*/true, attn::DotUnit::Warpgroup, /*overlap=*/true,
        /*persistent=*/true, isPlain ? attn::Rescale::Optimistic : attn::Rescale::Lazy, shares ? 2 : 1, hasTurns);
  }

  Conditions getConditions(attn::StrategyAttr strategy) {
    return Conditions(op.getContext()).isAligned(kChunkBytes).hasCountableTasks(strategy);
  }

  static void add(SmallVectorImpl<PlannedVariant> &variants, StringRef name, attn::StrategyAttr strategy,
                  const Conditions &conditions) {
    variants.push_back({name.str(), conditions.get(), strategy, AffineExpr(), {}});
  }

  attn::AttentionOp op;
  int64_t depth;
  bool isPlain, sameKeys;
};
} // namespace

FailureOr<SmallVector<PlannedVariant>> nvptx::planAttention(attn::AttentionOp op, const Chip &chip) {
  Problem problem{op.getQueryType().getElementType(), op.getQKDepth(), op.getVDepth()};
  if (failed(verifySupported(op, problem, chip)))
    return failure();
  MLIRContext *context = op.getContext();
  auto getStrategy = [&](const Tiles &tiles, int64_t vectorBytes) {
    return attn::StrategyAttr::get(context, tiles.blockM, tiles.blockN, tiles.warps, tiles.stages, vectorBytes,
                                   /*pack_heads=*/false, /*split_kv=*/false,
                                   /*round_p=*/problem.getElementBytes() == 2);
  };
  Tiles tiles = selectTiles(problem, getPortableSharedBytes(chip));
  attn::StrategyAttr aligned = getStrategy(tiles, kChunkBytes);
  SmallVector<PlannedVariant> variants;
  bool hasWarpgroups = chip.warpgroups && problem.getElementBytes() == 2;
  if (hasWarpgroups)
    WarpgroupPlanner(op, problem).addVariants(variants);
  if (hasMap(op) && !hasWarpgroups)
    variants.push_back({"aligned_map", Conditions(context).isAligned(kChunkBytes).hasManyPairs().get(), aligned,
                        AffineExpr(), getMapStrategy(aligned)});
  if (std::optional<Tiles> narrow = hasWarpgroups ? std::nullopt : getNarrowTiles(tiles))
    variants.push_back({"narrow",
                        Conditions(context).isAligned(kChunkBytes).hasFewBlocks(aligned).get(),
                        getStrategy(*narrow, kChunkBytes),
                        AffineExpr(),
                        {}});
  variants.push_back({"aligned", Conditions(context).isAligned(kChunkBytes).get(), aligned, AffineExpr(), {}});
  variants.push_back({"any", IntegerSet(), getStrategy(tiles, problem.getElementBytes()), AffineExpr(), {}});
  return variants;
}
