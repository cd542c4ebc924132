//===- Blocks.cpp - Blocks, loops and branches of a kernel at the tile level -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

TileLowering::TileLowering(func::FuncOp func, const Machine &machine)
    : func(func), machine(machine), b(func.getLoc(), func.getContext()) {}

LogicalResult TileLowering::run() {
  if (!func.getBody().hasOneBlock())
    return func.emitError("has branches; a kernel at the tile level has structured loops alone");
  if (failed(analyze()))
    return failure();
  Block &old = func.getBody().front();
  entry = new Block();
  func.getBody().push_back(entry);
  for (BlockArgument argument : old.getArguments())
    mapping.map(argument, entry->addArgument(argument.getType(), argument.getLoc()));
  b.setInsertionPointToEnd(entry);
  if (usesPairs && machine.pairDots == PairDots::Tiles)
    areTilesDenied = requestTiles();
  LogicalResult result = lowerBlock(old);
  if (succeeded(result))
    result = flush();
  if (failed(result)) {
    entry->dropAllReferences();
    entry->erase();
    return failure();
  }
  func::ReturnOp::create(b);
  old.dropAllReferences();
  old.erase();
  return success();
}

int64_t TileLowering::getPaddedRows(const Buffer &buffer) {
  if (buffer.layout == Layout::ColPanels)
    return buffer.rows;
  bool isBlock = wide && buffer.rows == blockRows;
  return isBlock ? llvm::alignTo(buffer.rows, machine.getPanelRows()) : buffer.rows;
}

int64_t TileLowering::getPaddedCols(const Buffer &buffer) {
  if (buffer.layout == Layout::RowPanels)
    return buffer.cols;
  return llvm::alignTo(buffer.cols, buffer.step);
}

Buffer TileLowering::allocate(Value tile, Layout layout, bool isOnePanel) {
  RankedTensorType type = getTileType(tile);
  Buffer buffer;
  buffer.layout = layout;
  buffer.rows = type.getDimSize(0);
  buffer.cols = type.getRank() == 2 ? type.getDimSize(1) : 1;
  if (type.getRank() == 2 && layout == Layout::Rows)
    buffer.step = llvm::alignTo(buffer.cols, wide ? machine.getPanelCols() : machine.vectorWidth);
  else if (layout == Layout::RowPanels)
    buffer.step = machine.getPanelRows();
  else if (layout == Layout::ColPanels)
    buffer.step = machine.getPanelCols();
  // Products of tile registers write whole ones.
  if (layout == Layout::RowPanels && usesPairs)
    buffer.cols = llvm::alignTo(buffer.cols, Machine::kTileRows);
  buffer.isOnePanel = isOnePanel && layout == Layout::RowPanels;
  int64_t rows = buffer.isOnePanel ? buffer.step : getPaddedRows(buffer);
  int64_t rowElements = type.getRank() == 2 ? getPaddedCols(buffer) : 1;
  auto memrefType = MemRefType::get({rows * rowElements}, getStorageType(type.getElementType()));
  OpBuilder atEntry(entry, entry->begin());
  buffer.memref = memref::AllocOp::create(atEntry, b.getLoc(), memrefType, b.getI64IntegerAttr(64));
  return buffer;
}

/// A buffer of pairs, in whole rows of tile registers: of queries or weights (`RowPanels`), keys (`Rows`) or values
/// (`Cols`).
Buffer TileLowering::allocatePairs(Value tile, Layout layout, bool isOnePanel) {
  RankedTensorType type = getTileType(tile);
  Buffer buffer;
  buffer.layout = layout;
  buffer.rows = type.getDimSize(0);
  int64_t length = type.getDimSize(layout == Layout::Cols ? 0 : 1), lines = type.getDimSize(0);
  buffer.cols = llvm::alignTo(length, Machine::kTileElements) / 2;
  buffer.step = layout == Layout::RowPanels ? machine.getPanelRows() : buffer.cols;
  if (layout == Layout::Cols)
    lines = llvm::alignTo(type.getDimSize(1), Machine::kTileRows);
  else if (layout == Layout::RowPanels)
    lines = isOnePanel ? machine.getPanelRows() : llvm::alignTo(lines, machine.getPanelRows());
  buffer.isOnePanel = isOnePanel;
  int64_t words = lines * buffer.cols;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value bytes = memref::AllocOp::create(b, MemRefType::get({4 * words}, b.getI8Type()), b.getI64IntegerAttr(64));
  auto view = [&](int64_t size, Type element) {
    return memref::ViewOp::create(b, MemRefType::get({size}, element), bytes, zero, ValueRange());
  };
  buffer.memref = view(2 * words, b.getI16Type());
  buffer.words = view(words, b.getI32Type());
  return buffer;
}

void TileLowering::inside(Block *block, function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(block->getTerminator());
  body();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static bool hasTilesInside(Operation *op) {
  return op->walk([](Operation *nested) { return hasTiles(nested) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Whether `op` is one of those that the lowering knows.
static bool isSupported(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<tile::LoadOp, tile::StoreOp, tile::GatherOp, tile::DotOp, tile::RowReduceOp, tile::BroadcastOp,
             tile::SplatOp, tile::IotaOp>(op) ||
         isElementwise(op);
}

LogicalResult TileLowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    b.setLoc(op.getLoc());
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getOnes() > 0)
      return load.emitError() << "columns of ones have no lowering on the CPU";
    if (!hasTilesInside(&op)) {
      b.clone(op, mapping);
    } else if (op.getNumRegions() > 0 && !isElementwise(&op)) {
      if (failed(lowerRegionOp(&op)))
        return failure();
    } else if (isSupported(&op)) {
      pending.push_back(&op);
      pendingSet.insert(&op);
    } else {
      return op.emitError() << "'" << op.getName() << "' on tiles has no lowering on the CPU; use attn_tile, arith or "
                            << "math operations";
    }
  }
  return success();
}

LogicalResult TileLowering::lowerRegionOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lowerIf(branch);
  return op->emitError() << "'" << op->getName() << "' around tiles has no lowering on the CPU; use scf.for or scf.if";
}

void TileLowering::addCopy(Value value, const Buffer &buffer, int64_t stage) {
  Root root;
  root.value = value;
  root.buffer = buffer;
  root.stage = stage;
  roots.push_back(root);
}

/// The place of a loop-carried tile: that of the starting value if a loop before made it for this one alone.
Buffer TileLowering::getLoopBuffer(Value init, Value arg) {
  if (init.getDefiningOp<scf::ForOp>() && init.hasOneUse())
    return buffers.lookup(init);
  Buffer buffer = allocate(arg, getLayout(arg));
  addCopy(init, buffer, getStage(init));
  return buffer;
}

LogicalResult TileLowering::lowerFor(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (auto [init, arg, result] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults()))
    if (isTile(init))
      buffers[arg] = buffers[result] = getLoopBuffer(init, arg);
    else
      inits.push_back(scalar(init));
  if (failed(flush()))
    return failure();
  auto lowered =
      scf::ForOp::create(b, scalar(loop.getLowerBound()), scalar(loop.getUpperBound()), scalar(loop.getStep()), inits);
  mapping.map(loop.getInductionVar(), lowered.getInductionVar());
  int64_t next = 0;
  for (auto [arg, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
    if (isTile(arg)) {
      ready.insert(arg);
      continue;
    }
    mapping.map(arg, lowered.getRegionIterArg(next));
    mapping.map(result, lowered.getResult(next++));
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(lowered.getBody());
  if (!lowered.getBody()->empty())
    lowered.getBody()->back().erase();
  if (failed(lowerBlock(*loop.getBody())) || failed(yieldTo(loop.getBody()->getTerminator(), loop.getRegionIterArgs())))
    return failure();
  for (Value result : loop.getResults())
    if (isTile(result))
      ready.insert(result);
  return success();
}

LogicalResult TileLowering::lowerIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    if (isTile(result))
      buffers[result] = allocate(result, getLayout(result));
    else
      types.push_back(result.getType());
  if (failed(flush()))
    return failure();
  auto lowered = scf::IfOp::create(b, types, scalar(op.getCondition()), !op.getElseRegion().empty());
  for (auto [region, target] : llvm::zip(op->getRegions(), lowered->getRegions())) {
    if (region.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    if (target.empty())
      target.emplaceBlock();
    target.front().clear();
    b.setInsertionPointToEnd(&target.front());
    if (failed(lowerBlock(region.front())) || failed(yieldTo(region.front().getTerminator(), op.getResults())))
      return failure();
  }
  int64_t next = 0;
  for (Value result : op.getResults())
    isTile(result) ? (void)ready.insert(result) : mapping.map(result, lowered.getResult(next++));
  return success();
}

/// Ends a block: tiles go to the places of `targets`, scalars are yielded.
LogicalResult TileLowering::yieldTo(Operation *yield, ValueRange targets) {
  SmallVector<Value> scalars;
  for (auto [value, target] : llvm::zip(yield->getOperands(), targets)) {
    if (!isTile(value)) {
      scalars.push_back(scalar(value));
    } else if (value != target) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument && argument.getOwner() == yield->getBlock())
        return yield->emitError("passes one loop-carried tile on as another, which has no lowering on the CPU");
      yields.push_back({value, buffers.lookup(target)});
    }
  }
  if (failed(flush()))
    return failure();
  scf::YieldOp::create(b, yield->getLoc(), scalars);
  return success();
}
