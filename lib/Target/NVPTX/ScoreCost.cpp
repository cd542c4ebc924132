//===- ScoreCost.cpp - What a score function costs each pair -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Numbers of the region's arguments that pairs of a row don't share.
static constexpr unsigned kScoreArgument = 0, kKeyArgument = 4;

namespace {
/// Follows what varies along a row through a region.
class LinearFinder {
public:
  bool run(Block &block) {
    varying.insert(block.getArgument(kScoreArgument));
    varying.insert(block.getArgument(kKeyArgument));
    return llvm::all_of(block.without_terminator(), [&](Operation &op) { return visit(op); });
  }

private:
  bool varies(Value value) const { return varying.contains(value); }

  bool isLinear(Operation &op) const {
    if (isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::AddIOp, arith::SubIOp, arith::IndexCastOp,
            arith::SIToFPOp>(op))
      return true;
    if (isa<arith::MulFOp, math::FmaOp>(op))
      return !varies(op.getOperand(0)) || !varies(op.getOperand(1));
    return isa<arith::DivFOp>(op) && !varies(op.getOperand(1));
  }

  bool visit(Operation &op) {
    bool isVarying = llvm::any_of(op.getOperands(), [&](Value operand) { return varies(operand); });
    for (Region &region : op.getRegions())
      region.walk([&](Operation *nested) {
        isVarying |= llvm::any_of(nested->getOperands(), [&](Value operand) { return varies(operand); });
      });
    if (!isVarying)
      return true;
    if (op.getNumRegions() != 0 || !isLinear(op))
      return false;
    varying.insert(op.result_begin(), op.result_end());
    return true;
  }

  llvm::DenseSet<Value> varying;
};
} // namespace

bool nvptx::hasLinearScore(attn::AttentionOp op) {
  return !op.hasScoreMod() || LinearFinder().run(op.getScoreMod().front());
}
