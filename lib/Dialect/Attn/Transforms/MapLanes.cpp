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

/// Whether what `op` computes takes many values in a block if its operands, or the indices of a load, do.
static bool keepsMany(Operation *op, const llvm::DenseSet<Value> &many) {
  auto areMany = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value operand) { return many.contains(operand); });
  };
  if (op->getNumRegions() != 0 || isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return false;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return isSmallConstant(op->getOperand(1)) && areMany(op->getOperand(0));
  ValueRange indices = getLoadIndices(op);
  return areMany(indices.empty() ? ValueRange(op->getOperands()) : indices);
}

/// The values that take many values in a block of `region`: positions do, and what is computed of them other than
/// quotients by large numbers.
static llvm::DenseSet<Value> findMany(Region &region) {
  llvm::DenseSet<Value> many;
  for (BlockArgument argument : region.getArguments())
    if (argument.getArgNumber() >= 2)
      many.insert(argument);
  region.walk([&](Operation *op) {
    if (keepsMany(op, many))
      many.insert(op->result_begin(), op->result_end());
  });
  return many;
}

int64_t fovea::attn::getMapLanes(BlockMapOp op) {
  StrategyAttr strategy = op.getStrategy().value_or(StrategyAttr());
  if (!strategy || !hasLanes(strategy))
    return 1;
  if (strategy.getUnit() != DotUnit::Thread)
    return kWarpLanes;
  int64_t lanes = 1;
  llvm::DenseSet<Value> many = findMany(op.getMaskMod());
  op.getMaskMod().walk([&](Operation *load) {
    int64_t count = llvm::count_if(getLoadIndices(load), [&](Value index) { return many.contains(index); });
    lanes = std::max(lanes, count > 1 ? kWarpLanes : count > 0 ? kPositionLanes : 1);
  });
  return lanes;
}
