//===- MapLanes.cpp - How many lanes classify a block -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea::attn;

/// Lanes of a warp, and those that look at elements by position: enough to read whole sectors of memory.
static constexpr int64_t kWarpLanes = 32, kPositionLanes = 8;
/// A divisor of positions from which on the quotients of a block are few.
static constexpr int64_t kLeastBlock = 16;

/// A map whose tiles have vectors is scanned by the tiles of a warp.
static bool hasLanes(StrategyAttr strategy) {
  return strategy.getUnit() == DotUnit::Thread || strategy.getVectorBytes() > 1;
}

int64_t fovea::attn::getListLanes(StrategyAttr strategy) { return hasLanes(strategy) ? kWarpLanes : 1; }

static bool isSmallConstant(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.slt(kLeastBlock);
}

/// The indices of a load; none for other ops.
static ValueRange getLoadIndices(Operation *op) {
  if (auto load = dyn_cast_or_null<memref::LoadOp>(op))
    return load.getIndices();
  if (auto extract = dyn_cast_or_null<tensor::ExtractOp>(op))
    return extract.getIndices();
  return {};
}

/// Whether `value` takes many values in a block of `region`: positions do, and what is computed of them other than
/// quotients by large numbers.
static bool takesMany(Region &region, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &region.front() && argument.getArgNumber() >= 2;
  Operation *op = value.getDefiningOp();
  if (!op || !region.isAncestor(op->getParentRegion()) || op->getNumRegions() != 0)
    return false;
  auto areMany = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value operand) { return takesMany(region, operand); });
  };
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::ShRSIOp,
          arith::ShRUIOp>(op))
    return isa<arith::ShRSIOp, arith::ShRUIOp>(op) ? false
                                                   : isSmallConstant(op->getOperand(1)) && areMany(op->getOperand(0));
  ValueRange indices = getLoadIndices(op);
  return areMany(indices.empty() ? ValueRange(op->getOperands()) : indices);
}

int64_t fovea::attn::getMapLanes(BlockMapOp op) {
  StrategyAttr strategy = op.getStrategy().value_or(StrategyAttr());
  if (!strategy || !hasLanes(strategy))
    return 1;
  if (strategy.getUnit() != DotUnit::Thread)
    return kWarpLanes;
  int64_t lanes = 1;
  Region &region = op.getMaskMod();
  region.walk([&](Operation *load) {
    int64_t many = llvm::count_if(getLoadIndices(load), [&](Value index) { return takesMany(region, index); });
    lanes = std::max(lanes, many > 1 ? kWarpLanes : many > 0 ? kPositionLanes : 1);
  });
  return lanes;
}
