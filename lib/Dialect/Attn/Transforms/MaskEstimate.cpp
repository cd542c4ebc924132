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

/// Blocks of queries that are looked at, at even distances.
static constexpr int64_t kSampledBlocks = 4;

namespace {
/// Evaluates the mask region of a copy of an op, in which captured integers are constants.
class MaskSampler {
public:
  explicit MaskSampler(AttentionOp original)
      : scratch(ModuleOp::create(original.getLoc())), b(original.getLoc(), original.getContext()) {
    b.setInsertionPointToStart(scratch->getBody());
    copy(original);
  }

  /// The blocks of keys in which the block of queries from `query` on has a pair.
  int64_t countKept(int64_t query);

private:
  void copy(AttentionOp original);
  bool isInBand(int64_t query, int64_t key);
  bool keepsPair(int64_t query, int64_t key);
  Interval getBlock(IntervalBuilder &intervals, int64_t first) {
    return intervals.getPositions(arith::ConstantIndexOp::create(b, first),
                                  arith::ConstantIndexOp::create(b, first + kEstimateBlock - 1));
  }

  // Holds the copy, and of what is evaluated what does not fold.
  OwningOpRef<ModuleOp> scratch;
  ImplicitLocOpBuilder b;
  AttentionOp op;
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

/// Whether causal and window leave a pair of the blocks, the diagonal from the top left.
bool MaskSampler::isInBand(int64_t query, int64_t key) {
  constexpr int64_t kReach = kEstimateBlock - 1;
  std::optional<int64_t> left = op.getWindowLeft(), right = op.getCausal() ? 0 : op.getWindowRight();
  return (!right || key - (query + kReach) <= *right) && (!left || query - (key + kReach) <= *left);
}

bool MaskSampler::keepsPair(int64_t query, int64_t key) {
  IntervalBuilder intervals(b, /*maxLoads=*/0);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Interval positions[] = {intervals.getPosition(zero), intervals.getPosition(zero), getBlock(intervals, query),
                          getBlock(intervals, key)};
  return !matchPattern(intervals.evaluate(op.getMaskMod(), positions).hi, m_Zero());
}

int64_t MaskSampler::countKept(int64_t query) {
  int64_t count = 0;
  for (int64_t key = 0; key < kEstimateLength; key += kEstimateBlock)
    count += isInBand(query, key) && keepsPair(query, key);
  return count;
}

bool fovea::attn::readsMemory(Region &region) {
  auto isLoad = [](Operation *nested) { return isa<tensor::ExtractOp, memref::LoadOp>(nested); };
  return region.walk([&](Operation *nested) { return WalkResult(failure(isLoad(nested))); }).wasInterrupted();
}

std::optional<double> fovea::attn::estimateKeptBlocks(AttentionOp op) {
  if (!op.hasMaskMod() || op.getMask() || op.getBlockMap() || readsMemory(op.getMaskMod()))
    return std::nullopt;
  MaskSampler sampler(op);
  int64_t count = 0;
  for (int64_t sample : llvm::seq(kSampledBlocks))
    count += sampler.countKept((2 * sample + 1) * kEstimateLength / (2 * kSampledBlocks));
  return double(count) / kSampledBlocks;
}
