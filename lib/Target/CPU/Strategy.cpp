//===- Strategy.cpp - Tile sizes and variants of the CPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strategy.h"
#include "fovea/Dialect/Attn/Utils/NumberTypes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Bytes of the tiles of one task that should stay in the second-level cache.
static constexpr int64_t kCacheBytes = 384 * 1024;
/// The same where there are products of pairs: these processors have a second-level cache of 1 MiB or more.
static constexpr int64_t kPairCacheBytes = 768 * 1024;
/// Keys of a block of the decode variant: long enough to hide the row work, short enough for the first-level cache.
static constexpr int64_t kDecodeKeys = 256;
/// Keys that are worth a task of their own when the keys are split.
static constexpr int64_t kKeysPerPart = 256;
/// Keys from which on a map of blocks pays: below it the blocks are few.
static constexpr int64_t kMappedKeys = 512;
/// Query positions up to which each one is computed by itself.
static constexpr int64_t kShortQueries = 4;

static LogicalResult checkTypes(attn::AttentionOp op) {
  for (Type type : {op.getQueryType().getElementType(), op.getKeyType().getElementType(),
                    op.getValueType().getElementType(), op.getOutputType().getElementType()})
    if (!type.isF32() && !type.isF16() && !type.isBF16())
      return op.emitOpError() << "has elements of type " << type
                              << ", which has no CPU kernel; f32, f16 and bf16 have one";
  return success();
}

/// As `variant`, with the sums of scores that its results need.
static PlannedVariant withSums(attn::AttentionOp op, PlannedVariant variant) {
  if (op.needsExactScores()) {
    attn::StrategyChanges changes;
    changes.scorePart = attn::AttentionOp::kExactScorePart;
    variant.strategy = variant.strategy.with(changes);
  }
  return variant;
}

/// Tiles of deeper heads fit no scratch memory of a task (`attn-cpu-kernel-entry` counts it), and their sizes are
/// summed up in 64 bits.
static constexpr int64_t kDeepest = int64_t(1) << 17;

static LogicalResult checkDepths(attn::AttentionOp op) {
  for (auto [name, depth] : {std::pair<StringRef, int64_t>("Dqk", op.getQKDepth()), {"Dv", op.getVDepth()}})
    if (depth > kDeepest)
      return op.emitOpError() << "has " << name << " = " << depth << ", but CPU kernels take depths up to " << kDeepest;
  return success();
}

namespace {
/// Makes strategies and conditions for one op.
class Planner {
public:
  Planner(attn::AttentionOp op, const Machine &machine) : op(op), machine(machine), context(op.getContext()) {}
  SmallVector<PlannedVariant> run();

private:
  AffineExpr symbol(attn::ProblemSymbol symbol) { return attn::getSymbolExpr(symbol, context); }
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, context); }
  PlannedVariant makeTiled(int64_t panels);
  PlannedVariant makeMapped(PlannedVariant variant);
  PlannedVariant makeRows();
  PlannedVariant makeSplitRows();

  attn::AttentionOp op;
  const Machine &machine;
  MLIRContext *context;
};
} // namespace

static int64_t roundDownToGroup(int64_t value, int64_t group, int64_t least) {
  return std::max(value / group * group, least);
}

/// Blocks of whole row panels; the keys of a block as many as the cache holds beside them.
PlannedVariant Planner::makeTiled(int64_t panels) {
  int64_t rows = panels * machine.getPanelRows();
  // Q, K, V and P are pairs of bf16 or f32; S and the accumulator are f32.
  bool hasPairs = machine.pairDots != PairDots::None && op.getKeyType().getElementType().isBF16();
  int64_t size = hasPairs ? 2 : 4, perRow = op.getQKDepth() * size + op.getVDepth() * 4;
  int64_t perKey = (op.getQKDepth() + op.getVDepth()) * size + rows * (4 + size);
  int64_t bytes = hasPairs ? kPairCacheBytes : kCacheBytes;
  int64_t keys = roundDownToGroup((bytes - rows * perRow) / perKey, 32, 32);
  PlannedVariant variant;
  variant.name = "tiled";
  variant.strategy = attn::StrategyAttr::get(context, rows, std::min<int64_t>(keys, 128));
  return variant;
}

/// As `variant`, without the blocks that masks keep nothing of.
PlannedVariant Planner::makeMapped(PlannedVariant variant) {
  variant.name += "_map";
  variant.blockMap = variant.strategy;
  return variant;
}

/// The query heads of one KV head are the rows of a tile, so that its keys are read once.
PlannedVariant Planner::makeRows() {
  int64_t heads = op.getNumQueryHeads(), kvHeads = op.getNumKVHeads();
  bool isKnown = !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(kvHeads) && kvHeads > 0;
  int64_t group = isKnown ? std::clamp<int64_t>(heads / kvHeads, 1, 8) : 1;
  PlannedVariant variant;
  variant.name = "rows";
  attn::StrategyChanges changes;
  changes.packHeads = true;
  variant.strategy = attn::StrategyAttr::get(context, group, kDecodeKeys).with(changes);
  return variant;
}

/// As `makeRows`, with the keys of a head cut into one part for each thread.
PlannedVariant Planner::makeSplitRows() {
  PlannedVariant variant = makeRows();
  attn::StrategyChanges changes;
  changes.splitKv = true;
  variant.name = "rows_split";
  variant.strategy = variant.strategy.with(changes);
  variant.splits = symbol(attn::ProblemSymbol::Threads);
  return variant;
}

SmallVector<PlannedVariant> Planner::run() {
  AffineExpr length = symbol(attn::ProblemSymbol::QueryLength), threads = symbol(attn::ProblemSymbol::Threads);
  AffineExpr tasks = symbol(attn::ProblemSymbol::Batch) * symbol(attn::ProblemSymbol::KVHeads) * length;
  AffineExpr isShort = constant(kShortQueries) - length;
  auto when = [&](ArrayRef<AffineExpr> atLeastZero) {
    return IntegerSet::get(0, attn::kNumProblemSymbols, atLeastZero, SmallVector<bool>(atLeastZero.size(), false));
  };
  SmallVector<PlannedVariant> variants;
  variants.push_back(makeSplitRows());
  variants.back().when =
      when({isShort, threads - tasks * 2, symbol(attn::ProblemSymbol::KVLength) - threads * kKeysPerPart});
  variants.push_back(makeRows());
  variants.back().when = when({isShort});
  if (op.hasPairMask()) {
    variants.push_back(makeMapped(makeTiled(4)));
    variants.back().when = when({symbol(attn::ProblemSymbol::KVLength) - kMappedKeys});
  }
  variants.push_back(makeTiled(4));
  for (PlannedVariant &variant : variants)
    variant = withSums(op, variant);
  return variants;
}

/// What every processor here would take no notice of, or cannot do.
LogicalResult cpu::verifyStrategy(attn::AttentionOp op) {
  attn::StrategyAttr strategy = *op.getStrategy();
  for (auto [name, value] : {std::pair<StringRef, int64_t>("warps", strategy.getWarps()),
                             {"stages", strategy.getStages()},
                             {"vector_bytes", strategy.getVectorBytes()}})
    if (value != 1)
      return op.emitError() << "a strategy for the CPU has " << name << " = 1, but this one has " << value;
  for (auto [name, isUsed] : {std::pair<StringRef, bool>("unit = warpgroup", strategy.getUnit() != attn::DotUnit::Warp),
                              {"overlap", strategy.getOverlap()},
                              {"persistent", strategy.getPersistent()},
                              {"cluster", strategy.getCluster() > 1},
                              {"rescale", strategy.getRescale() != attn::Rescale::Always}})
    if (isUsed)
      return op.emitError() << "a strategy for the CPU can't have " << name;
  return success();
}

FailureOr<SmallVector<PlannedVariant>> cpu::planAttention(attn::AttentionOp op, const Machine &machine) {
  if (failed(checkTypes(op)) || failed(attn::verifyNumberTypes(op)) || failed(checkDepths(op)))
    return failure();
  return Planner(op, machine).run();
}
