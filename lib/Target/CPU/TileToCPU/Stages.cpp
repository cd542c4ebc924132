//===- Stages.cpp - What has to be computed, and in which order -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Work above which a value that several stages need is kept in scratch instead of being computed again.
static constexpr int64_t kRecomputeLimit = 4;

int64_t TileLowering::getRootStage(Operation *op) {
  int64_t stage = 0;
  for (Value operand : op->getOperands()) {
    if (!isTile(operand) || !isPending(operand))
      continue;
    // A product reads scratch: what an expression leaves there can be read in the next stage.
    Operation *definition = operand.getDefiningOp();
    bool isExpression = !isBarrier(definition) && !isa<tile::RowReduceOp>(definition);
    stage = std::max(stage, getStage(operand) + (isExpression && isBarrier(op) ? 1 : 0));
  }
  return stage;
}

int64_t TileLowering::getStage(Value tile) {
  if (!isTile(tile) || !isPending(tile))
    return 0;
  auto it = stages.find(tile);
  if (it != stages.end())
    return it->second;
  Operation *op = tile.getDefiningOp();
  int64_t stage = getRootStage(op) + (isBarrier(op) || isa<tile::RowReduceOp>(op) ? 1 : 0);
  return stages[tile] = stage;
}

bool TileLowering::isPending(Value tile) {
  Operation *op = tile.getDefiningOp();
  return op && pendingSet.contains(op);
}

/// Loads and products have loops of their own, before the rows of their stage.
bool TileLowering::isBarrier(Operation *op) { return isa<tile::LoadOp, tile::DotOp>(op); }

/// What `tile` costs to compute from scratch, and the values that this takes.
static int64_t getCost(Operation *op) {
  if (isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::LogOp, tile::GatherOp, arith::DivFOp>(op))
    return 10;
  return isa<tile::SplatOp, tile::IotaOp, tile::BroadcastOp, arith::ConstantOp>(op) ? 0 : 1;
}

void TileLowering::walkLazy(Value tile, DenseSet<Value> &seen) {
  if (!isTile(tile) || !isPending(tile) || !seen.insert(tile).second)
    return;
  Operation *op = tile.getDefiningOp();
  if (isBarrier(op) || isa<tile::RowReduceOp>(op) || kept.contains(tile))
    return;
  for (Value operand : op->getOperands())
    walkLazy(operand, seen);
}

/// Finds values that roots of several stages compute again, the last ones first, and keeps the costly ones.
bool TileLowering::keepSharedValue() {
  DenseMap<Value, DenseSet<int64_t>> users;
  for (Root &root : roots) {
    DenseSet<Value> seen;
    if (root.op)
      for (Value operand : root.op->getOperands())
        walkLazy(operand, seen);
    else if (root.buffer.isPairs())
      walkLazy(root.value, seen);
    else if (Operation *op = root.value.getDefiningOp(); op && isPending(root.value))
      for (Value operand : op->getOperands())
        walkLazy(operand, seen);
    for (Value value : seen)
      users[value].insert(root.stage);
  }
  for (Operation *op : llvm::reverse(pending)) {
    Value value = op->getNumResults() == 1 ? op->getResult(0) : Value();
    if (!value || isa<tile::BroadcastOp>(op) || needsBuffer(value) || users[value].size() < 2)
      continue;
    DenseSet<Value> seen;
    walkLazy(value, seen);
    int64_t cost = 0;
    for (Value part : seen)
      cost += getCost(part.getDefiningOp());
    if (cost > kRecomputeLimit) {
      kept.insert(value);
      addKept(value);
      return true;
    }
  }
  return false;
}

void TileLowering::addKept(Value value) {
  Root root;
  root.value = value;
  root.stage = getStage(value);
  root.isDefinition = true;
  roots.push_back(root);
}

/// A copy of the left side of a product as pairs.
void TileLowering::addPairs(tile::DotOp dot) {
  Buffer buffer = pairs[dot] = allocatePairs(dot.getLhs(), Layout::RowPanels, fusesPanels);
  addCopy(dot.getLhs(), buffer, getStage(dot.getLhs()));
}

void TileLowering::addRoot(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op); dot && usesPairs && !dot.getTransposeRhs())
    addPairs(dot);
  Root root;
  if (isa<tile::LoadOp, tile::DotOp, tile::RowReduceOp, tile::StoreOp>(op)) {
    root.op = op;
    root.isDefinition = op->getNumResults() == 1;
    if (root.isDefinition)
      root.value = op->getResult(0);
    if (root.value && !needsBuffer(root.value))
      return;
    root.stage = getRootStage(op);
    roots.push_back(root);
  } else if (needsBuffer(op->getResult(0))) {
    kept.insert(op->getResult(0));
    addKept(op->getResult(0));
  }
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

/// Whether everything that reads `tile` leads to the accumulator of `dot` alone, element by element.
bool TileLowering::isReadByAccumulator(Value tile, tile::DotOp dot) {
  return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == dot)
      return &use == &dot.getAccMutable();
    return isElementwise(user) && !needsBuffer(user->getResult(0)) && isReadByAccumulator(user->getResult(0), dot);
  });
}

/// Whether a loaded tile is an operand of products.
static bool isPairOperand(Value tile) { return !tile.use_empty() && isa<tile::DotOp>(*tile.user_begin()); }

/// Queries lie in row panels, keys row by row, values column by column, so that pairs run along the contracted
/// dimension.
static Layout getPairLayout(Value tile) {
  OpOperand &use = *tile.use_begin();
  auto dot = cast<tile::DotOp>(use.getOwner());
  if (&use == &dot.getLhsMutable())
    return Layout::RowPanels;
  return dot.getTransposeRhs() ? Layout::Rows : Layout::Cols;
}

/// A product that becomes the next value of the accumulator it started from is computed in place.
Buffer TileLowering::getDestination(Value value) {
  auto dot = value.getDefiningOp<tile::DotOp>();
  if (dot && value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (loop && isa<scf::YieldOp>(use.getOwner()) && loop.getBody() == dot->getBlock()) {
      Value arg = loop.getRegionIterArg(use.getOperandNumber());
      if (isReadByAccumulator(arg, dot))
        return buffers.lookup(arg);
    }
  }
  if (usesPairs && value.getDefiningOp<tile::LoadOp>() && isPairOperand(value))
    return allocatePairs(value, getPairLayout(value));
  return allocate(value, getLayout(value), fusesPanels && isReadInStages(value));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether all that is pending, except loads, has the rows of a block of queries: no row depends on another one then.
bool TileLowering::canFusePanels() {
  return usesPairs && llvm::all_of(pending, [&](Operation *op) {
           if (isa<tile::LoadOp, arith::ConstantOp>(op))
             return true;
           Value tile = op->getNumResults() == 1 ? Value(op->getResult(0)) : cast<tile::StoreOp>(op).getTile();
           return getTileType(tile).getDimSize(0) == blockRows;
         });
}

/// Whether a computed tile is read by what is pending alone.
bool TileLowering::isReadInStages(Value tile) {
  if (tile.getDefiningOp<tile::LoadOp>() || !isPending(tile) || getTileType(tile).getRank() != 2)
    return false;
  return llvm::all_of(tile.getUsers(), [&](Operation *user) { return pendingSet.contains(user); }) &&
         llvm::none_of(yields, [&](const std::pair<Value, Buffer> &yielded) { return yielded.first == tile; });
}

LogicalResult TileLowering::flush() {
  fusesPanels = canFusePanels();
  for (Operation *op : pending)
    addRoot(op);
  while (keepSharedValue()) {
  }
  for (Root &root : roots)
    if (root.isDefinition && !root.buffer.memref)
      root.buffer = buffers[root.value] = getDestination(root.value);
  // The places of loop-carried tiles are written after everything that reads them.
  int64_t last = 0;
  for (Root &root : roots)
    last = std::max(last, root.stage + 1);
  for (auto &[value, buffer] : yields)
    if (buffers.lookup(value).memref != buffer.memref)
      addCopy(value, buffer, last);
  yields.clear();
  LogicalResult result = emitStages();
  roots.clear();
  pending.clear();
  pendingSet.clear();
  stages.clear();
  return result;
}

/// Loads first; then panel after panel all stages.
LogicalResult TileLowering::emitFusedPanels() {
  int64_t last = -1;
  for (Root &root : roots) {
    last = std::max(last, root.stage);
    if (isa_and_nonnull<tile::LoadOp>(root.op) && failed(emitBarrier(root)))
      return failure();
  }
  if (llvm::all_of(roots, [](Root &root) { return isa_and_nonnull<tile::LoadOp>(root.op); }))
    return success();
  forEachPanel([&](Value panel) {
    for (int64_t stage = 0; stage <= last; ++stage) {
      SmallVector<Root *> rowRoots;
      for (Root &root : roots) {
        if (root.stage != stage || isa_and_nonnull<tile::LoadOp>(root.op))
          continue;
        auto dot = dyn_cast_or_null<tile::DotOp>(root.op);
        if (!dot) {
          rowRoots.push_back(&root);
          continue;
        }
        b.setLoc(dot.getLoc());
        emitPairDot(dot, root.buffer, panel);
        ready.insert(root.value);
      }
      emitPanelStage(rowRoots, panel);
    }
  });
  return success();
}

LogicalResult TileLowering::emitStages() {
  if (fusesPanels)
    return emitFusedPanels();
  int64_t last = -1;
  for (Root &root : roots)
    last = std::max(last, root.stage);
  SmallVector<SmallVector<Root *>> rowStages;
  for (int64_t stage = 0; stage <= last; ++stage) {
    SmallVector<Root *> barriers, rowRoots;
    for (Root &root : roots)
      if (root.stage == stage)
        (root.op && isBarrier(root.op) ? barriers : rowRoots).push_back(&root);
    if (!barriers.empty()) {
      emitRowRoots(rowStages);
      rowStages.clear();
    }
    for (Root *root : barriers)
      if (failed(emitBarrier(*root)))
        return failure();
    rowStages.push_back(rowRoots);
  }
  emitRowRoots(rowStages);
  return success();
}

LogicalResult TileLowering::emitBarrier(Root &root) {
  b.setLoc(root.op->getLoc());
  if (auto load = dyn_cast<tile::LoadOp>(root.op)) {
    Span span = emitLoad(load, root.buffer);
    validRows[root.value] = span.validRows;
    if (load == queryLoad)
      activeRows = span.validRows;
  } else {
    emitDot(cast<tile::DotOp>(root.op), root.buffer);
  }
  ready.insert(root.value);
  return success();
}
