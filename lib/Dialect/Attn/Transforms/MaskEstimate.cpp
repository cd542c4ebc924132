//===- MaskEstimate.cpp - How much a mask is likely to keep -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/MaskEstimate.h"
#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fovea::attn;

/// Blocks of queries that are looked at, at even distances, and blocks of keys of each of them that are looked into.
static constexpr int64_t kSampledBlocks = 4, kSampledParts = 8;
/// Queries and keys of parts of blocks, and keys of a half of those.
static constexpr int64_t kPart = 64, kThinPart = 32;

namespace {
/// Consecutive positions.
struct Range {
  int64_t first, size;

  int64_t last() const { return first + size - 1; }
};

/// Evaluates the mask region of a copy of an op, in which captured integers are constants.
class MaskSampler {
public:
  explicit MaskSampler(AttentionOp original)
      : scratch(ModuleOp::create(original.getLoc())), b(original.getLoc(), original.getContext()) {
    b.setInsertionPointToStart(scratch->getBody());
    copy(original);
  }

  /// Looks at one block of queries.
  void sample(int64_t query);

  MaskEstimate getEstimate() const {
    return {double(keptBlocks) / kSampledBlocks, double(fullBlocks) / kSampledBlocks,
            keptParts ? double(keptThinParts) / (2 * keptParts) : 1.0};
  }

private:
  void copy(AttentionOp original);
  void samplePart(Range queries, Range keys);
  bool isInBand(Range queries, Range keys);
  bool isWhollyInBand(Range queries, Range keys);
  Interval evaluate(Range queries, Range keys);
  bool keepsPair(Range queries, Range keys);
  Interval getPositions(IntervalBuilder &intervals, Range range) {
    return intervals.getPositions(arith::ConstantIndexOp::create(b, range.first),
                                  arith::ConstantIndexOp::create(b, range.last()));
  }

  // Holds the copy, and of what is evaluated what does not fold.
  OwningOpRef<ModuleOp> scratch;
  ImplicitLocOpBuilder b;
  AttentionOp op;
  int64_t keptBlocks = 0, fullBlocks = 0, keptParts = 0, keptThinParts = 0;
};
} // namespace

void MaskSampler::copy(AttentionOp original) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(original.getMaskMod(), captured);
  IRMapping mapping;
  for (Value value : captured)
    if (value.getType().isIntOrIndex() && !matchPattern(value, m_Constant()))
      mapping.map(value, arith::ConstantOp::create(b, b.getIntegerAttr(value.getType(), kEstimateCapture)).getResult());
  op = cast<AttentionOp>(b.clone(*original, mapping));
}

/// Whether causal and window leave a pair, the diagonal from the top left.
bool MaskSampler::isInBand(Range queries, Range keys) {
  std::optional<int64_t> left = op.getWindowLeft(), right = op.getRightBound();
  return (!right || keys.first - queries.last() <= *right) && (!left || queries.first - keys.last() <= *left);
}

/// Whether causal and window leave the pairs that they cut first, and so all.
bool MaskSampler::isWhollyInBand(Range queries, Range keys) {
  return isInBand({queries.first, 1}, {keys.last(), 1}) && isInBand({queries.last(), 1}, {keys.first, 1});
}

/// What the mask region yields for pairs of these.
Interval MaskSampler::evaluate(Range queries, Range keys) {
  IntervalBuilder intervals(b, /*maxLoads=*/0);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Interval positions[] = {intervals.getPosition(zero), intervals.getPosition(zero), getPositions(intervals, queries),
                          getPositions(intervals, keys)};
  return intervals.evaluate(op.getMaskMod(), positions);
}

bool MaskSampler::keepsPair(Range queries, Range keys) {
  return isInBand(queries, keys) && !matchPattern(evaluate(queries, keys).hi, m_Zero());
}

void MaskSampler::samplePart(Range queries, Range keys) {
  if (!keepsPair(queries, keys))
    return;
  ++keptParts;
  for (int64_t key = keys.first; key < keys.first + keys.size; key += kThinPart)
    keptThinParts += keepsPair(queries, {key, kThinPart});
}

void MaskSampler::sample(int64_t query) {
  SmallVector<int64_t> kept;
  Range queries = {query, kEstimateBlock};
  for (int64_t key = 0; key < kEstimateLength; key += kEstimateBlock) {
    Range keys = {key, kEstimateBlock};
    if (!isInBand(queries, keys))
      continue;
    Interval keep = evaluate(queries, keys);
    if (matchPattern(keep.hi, m_Zero()))
      continue;
    kept.push_back(key);
    fullBlocks += isWhollyInBand(queries, keys) && matchPattern(keep.lo, m_One());
  }
  keptBlocks += kept.size();
  size_t step = llvm::divideCeil(kept.size(), kSampledParts);
  for (size_t number = 0; number < kept.size(); number += step)
    for (int64_t key = kept[number]; key < kept[number] + kEstimateBlock; key += kPart)
      samplePart({query, kPart}, {key, kPart});
}

bool fovea::attn::readsMemory(Region &region) {
  auto isLoad = [](Operation *nested) { return isa<tensor::ExtractOp, memref::LoadOp>(nested); };
  return region.walk([&](Operation *nested) { return WalkResult(failure(isLoad(nested))); }).wasInterrupted();
}

std::optional<MaskEstimate> fovea::attn::estimateMask(AttentionOp op) {
  if (!op.hasMaskMod() || op.getMask() || op.getBlockMap())
    return std::nullopt;
  MaskSampler sampler(op);
  for (int64_t number : llvm::seq(kSampledBlocks))
    sampler.sample((2 * number + 1) * kEstimateLength / (2 * kSampledBlocks));
  return sampler.getEstimate();
}
