//===- Strategy.cpp - How attention runs on a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strategy.h"
#include "Conditions.h"
#include "Layouts.h"
#include "ScoreParts.h"
#include "Tuning.h"
#include "fovea/Dialect/Attn/Utils/NumberTypes.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

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

/// The first chip with products of f8.
static constexpr llvm::StringLiteral kFirstFloat8Chip = "sm_89";

/// Emits one error if the op has no kernel here.
static LogicalResult verifySupported(attn::AttentionOp op, const Problem &problem, const Chip &chip) {
  Type type = problem.elementType;
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8) {
    // Chips lie from the oldest to the newest.
    bool lacksFloat8 = &chip < lookupChip(kFirstFloat8Chip);
    return op.emitError() << "no kernel for " << type << " on " << chip.name << ": "
                          << (lacksFloat8 ? ("f8 needs " + kFirstFloat8Chip + " or newer, and ").str() : "")
                          << "there is no code for f8 on any chip yet; f16 and bf16 work";
  }
  if (!type.isF16() && !type.isBF16() && !type.isF32())
    return op.emitError() << "no kernel for " << type << " on " << chip.name << "; f16, bf16 and f32 work";
  if (problem.getMaxDepth() > kMaxDepth)
    return op.emitError() << "no kernel for Dqk " << problem.qkDepth << " and Dv " << problem.vDepth << " on "
                          << chip.name << "; up to " << kMaxDepth << " each works, and target cpu takes deeper ones";
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

attn::StrategyAttr nvptx::getMapStrategy(attn::AttentionOp op, attn::StrategyAttr strategy) {
  attn::StrategyChanges changes;
  if (op.getMask()) {
    changes.vectorBytes = 4;
  } else {
    changes.warps = 2;
    changes.unit = attn::DotUnit::Thread;
  }
  return attn::StrategyAttr::get(strategy.getContext(), strategy.getBlockM(), strategy.getBlockN()).with(changes);
}

/// Loads of several parts hide each other's latency.
static attn::StrategyAttr getCombineStrategy(MLIRContext *context, int64_t vectorBytes) {
  attn::StrategyChanges changes;
  changes.stages = 8;
  changes.vectorBytes = vectorBytes;
  return attn::StrategyAttr::get(context, kMmaRows, /*blockN=*/16).with(changes);
}

FailureOr<attn::StrategyAttr> nvptx::planCombine(attn::CombineOp op, const Chip &chip) {
  for (Value value : {op.getPartialOutputs(), op.getOutput()}) {
    Type type = cast<ShapedType>(value.getType()).getElementType();
    if (!type.isF16() && !type.isBF16() && !type.isF32())
      return op.emitError() << "no kernel that merges parts of " << type << " on " << chip.name
                            << "; f16, bf16 and f32 work";
  }
  return getCombineStrategy(op.getContext(), /*vectorBytes=*/1);
}

/// Kernels of `tiles`, whose loads and stores rely on `vectorBytes`.
static attn::StrategyAttr getTiled(attn::AttentionOp op, const Problem &problem, const Tiles &tiles,
                                   int64_t vectorBytes, attn::StrategyChanges changes = {}) {
  changes.warps = tiles.warps;
  changes.stages = tiles.stages;
  changes.vectorBytes = vectorBytes;
  changes.roundP = problem.getElementBytes() == 2;
  return addScoreParts(op, attn::StrategyAttr::get(op.getContext(), tiles.blockM, tiles.blockN).with(changes));
}

namespace {
/// Plans the kernels that cut the keys into parts, for problems whose blocks of queries are too few to fill the GPU.
class SplitPlanner {
public:
  SplitPlanner(attn::AttentionOp op, const Problem &problem) : op(op), context(op.getContext()), problem(problem) {}

  /// One query or a few, whose heads share their keys: the rows of a tile are the heads of a group, and memory is the
  /// limit. Blocks of one warp, of which a multiprocessor holds several at a time.
  PlannedVariant planGroups() {
    int64_t rowBytes = llvm::PowerOf2Ceil(problem.getMaxDepth()) * problem.getElementBytes();
    int64_t keys = std::clamp<int64_t>(kGroupBlockBytes / rowBytes, kMmaRows, 64);
    Tiles tiles = {kMmaRows, keys, /*warps=*/1, /*stages=*/keys * rowBytes > kGroupBlockBytes ? 2 : 3};
    attn::StrategyAttr strategy = getStrategy(tiles, /*packHeads=*/true);
    Conditions when = Conditions(context).allows(strategy).hasLargeGroups();
    when.isAtLeast(attn::ProblemSymbol::KVLength, kLeastKeysOfGroups);
    return {"rows_split", when.get(), strategy, attn::getBalancedSplits(strategy, /*tasksEach=*/2), {}, getCombine()};
  }

  /// Many keys, and few blocks of query positions.
  PlannedVariant planBlocks(const Tiles &tiles, bool hasWarpgroups) {
    attn::StrategyAttr strategy = getStrategy(tiles, /*packHeads=*/false);
    Conditions when = Conditions(context).allows(strategy);
    bool isSingle = problem.getElementBytes() == 4;
    when.isAtLeast(attn::ProblemSymbol::KVLength, isSingle ? kLeastKeysOfSingleBlocks : kLeastKeysOfBlocks);
    limitBlocks(when, strategy, isSingle, hasWarpgroups);
    return {"split", when.get(), strategy, attn::getBalancedSplits(strategy, /*tasksEach=*/2), {}, getCombine()};
  }

private:
  /// So few blocks that parts are faster: a multiprocessor holds several at a time, and where keys are bounded on the
  /// right alone the last block has twice the keys of the mean one and would be at work when all others are done.
  void limitBlocks(Conditions &when, attn::StrategyAttr strategy, bool isSingle, bool hasWarpgroups) {
    bool isUneven = op.isBoundedOnRight() && !op.getWindowLeft();
    if (isSingle && isUneven)
      when.fitsAtOnce(strategy, /*each=*/1, /*blocks=*/2).hasKeysForParts(strategy);
    else if (isSingle)
      when.fitsAtOnce(strategy, /*each=*/2, /*blocks=*/3);
    else
      when.fitsAtOnce(strategy, /*each=*/isUneven && !hasWarpgroups ? 1 : 2);
  }

  /// Bytes of the keys of a block of `planGroups`.
  static constexpr int64_t kGroupBlockBytes = 8192;

  attn::StrategyAttr getStrategy(const Tiles &tiles, bool packHeads) {
    attn::StrategyChanges changes;
    changes.packHeads = packHeads;
    changes.splitKv = true;
    return getTiled(op, problem, tiles, kChunkBytes, changes);
  }

  attn::StrategyAttr getCombine() { return getCombineStrategy(context, kChunkBytes); }

  attn::AttentionOp op;
  MLIRContext *context;
  const Problem &problem;
};
} // namespace

FailureOr<SmallVector<PlannedVariant>> nvptx::planAttention(attn::AttentionOp op, const Chip &chip, StringRef tuning) {
  Problem problem{op.getQueryType().getElementType(), op.getQKDepth(), op.getVDepth()};
  if (failed(verifySupported(op, problem, chip)) || failed(attn::verifyNumberTypes(op)))
    return failure();
  MLIRContext *context = op.getContext();
  Tiles tiles = selectTiles(problem, getPortableSharedBytes(chip));
  attn::StrategyAttr aligned = getTiled(op, problem, tiles, kChunkBytes);
  bool hasWarpgroups = chip.warpgroups && problem.getElementBytes() == 2;
  SmallVector<PlannedVariant> variants;
  if (hasWarpgroups && chip.clusters)
    planClusters(op, problem, chip, variants);
  SplitPlanner split(op, problem);
  variants.push_back(split.planGroups());
  variants.push_back(split.planBlocks(getNarrowTiles(tiles).value_or(tiles), hasWarpgroups));
  if (hasWarpgroups && failed(planWarpgroups(op, problem, chip, tuning, variants)))
    return failure();
  // A table that is of no use for this op is in order all the same.
  if (chip.warpgroups && !hasWarpgroups && failed(lookupTunedKernels(op, chip.name, tuning)))
    return failure();
  if (op.hasPairMask() && !hasWarpgroups)
    variants.push_back({"aligned_map",
                        Conditions(context).isAligned(kChunkBytes).hasManyPairs().get(),
                        aligned,
                        AffineExpr(),
                        getMapStrategy(op, aligned),
                        {}});
  if (std::optional<Tiles> narrow = hasWarpgroups ? std::nullopt : getNarrowTiles(tiles))
    variants.push_back({"narrow",
                        Conditions(context).isAligned(kChunkBytes).hasFewBlocks(aligned, kFewBlocks).get(),
                        getTiled(op, problem, *narrow, kChunkBytes),
                        AffineExpr(),
                        {},
                        {}});
  variants.push_back({"aligned", Conditions(context).isAligned(kChunkBytes).get(), aligned, AffineExpr(), {}, {}});
  if (problem.getElementBytes() < kLeastCopyBytes)
    variants.push_back({"aligned4",
                        Conditions(context).isAligned(kLeastCopyBytes).get(),
                        getTiled(op, problem, tiles, kLeastCopyBytes),
                        AffineExpr(),
                        {},
                        {}});
  variants.push_back(
      {"any", IntegerSet(), getTiled(op, problem, tiles, problem.getElementBytes()), AffineExpr(), {}, {}});
  return variants;
}
