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
    return op.emitError() << "no kernel for " << type << " on " << chip.name << ": f8 needs " << kFirstFloat8Chip
                          << " or newer and code that does not exist yet; f16 and bf16 work";
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

namespace {
/// Conditions on a problem, all of which must hold.
class Conditions {
public:
  explicit Conditions(MLIRContext *context) : context(context) {}

  /// All rows start at multiples of `bytes`.
  Conditions &isAligned(int64_t bytes) {
    return addNonNegative(attn::getSymbolExpr(attn::ProblemSymbol::Alignment, context) - bytes);
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

/// Tiles of the warpgroup kernel; a warpgroup has 64 rows. Beside its accumulator (Dv / 2 registers a thread) a thread
/// holds the scores and the weights of a block (3/4 of its keys).
static Tiles selectWarpgroupTiles(const Problem &problem) {
  int64_t depth = problem.getMaxDepth();
  if (depth <= 64)
    return {192, 128, 12, 2};
  if (depth <= 128)
    return {128, 176, 8, 2};
  if (depth <= 192)
    return {128, 112, 8, 2};
  return {128, 80, 8, 2};
}

/// Warpgroup products of 16-bit operands; null where the chip or the type has none.
static attn::StrategyAttr getWarpgroupStrategy(MLIRContext *context, const Problem &problem, const Chip &chip) {
  if (!chip.warpgroups || problem.getElementBytes() != 2)
    return {};
  Tiles tiles = selectWarpgroupTiles(problem);
  return attn::StrategyAttr::get(context, tiles.blockM, tiles.blockN, tiles.warps, tiles.stages, kChunkBytes,
                                 /*pack_heads=*/false, /*split_kv=*/false, /*round_p=*/true, attn::DotUnit::Warpgroup,
                                 /*overlap=*/true, /*persistent=*/true, attn::Rescale::Lazy,
                                 /*cluster=*/1, /*pingpong=*/false);
}

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
  if (attn::StrategyAttr strategy = getWarpgroupStrategy(context, problem, chip))
    variants.push_back({"warpgroup", Conditions(context).isAligned(kChunkBytes).get(), strategy, AffineExpr()});
  if (std::optional<Tiles> narrow = getNarrowTiles(tiles))
    variants.push_back({"narrow", Conditions(context).isAligned(kChunkBytes).hasFewBlocks(aligned).get(),
                        getStrategy(*narrow, kChunkBytes), AffineExpr()});
  variants.push_back({"aligned", Conditions(context).isAligned(kChunkBytes).get(), aligned, AffineExpr()});
  variants.push_back({"any", IntegerSet(), getStrategy(tiles, problem.getElementBytes()), AffineExpr()});
  return variants;
}
