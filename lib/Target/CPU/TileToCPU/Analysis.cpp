//===- Analysis.cpp - Layouts of tiles, and which tiles are kept in scratch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

bool fovea::cpu::isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1;
}

Type fovea::cpu::getStorageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return element;
}

Type fovea::cpu::getMemoryType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isF16() || element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  return element;
}

/// Whether a value has the same vectors in every layout: nothing of it is read from scratch of rank 2.
static bool isFreeOfLayout(Value tile) {
  Operation *op = tile.getDefiningOp();
  return isa_and_nonnull<tile::SplatOp, tile::BroadcastOp, tile::IotaOp, arith::ConstantOp>(op);
}

void TileLowering::unify(Value lhs, Value rhs) {
  if (isTile(lhs) && isTile(rhs) && getTileType(lhs).getRank() == 2 && getTileType(rhs).getRank() == 2)
    classes.unionSets(lhs.getAsOpaquePointer(), rhs.getAsOpaquePointer());
}

void TileLowering::unifyLayouts(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (auto [init, arg, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), yield.getOperands(), loop.getResults())) {
      unify(arg, result);
      if (!isFreeOfLayout(init))
        unify(arg, init);
      if (isTile(yielded) && !isFreeOfLayout(yielded))
        unify(arg, yielded);
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : branch.getRegions())
      if (!region->empty())
        for (auto [yielded, result] : llvm::zip(region->front().getTerminator()->getOperands(), op->getResults()))
          if (!isFreeOfLayout(yielded))
            unify(yielded, result);
  } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
    if (!isFreeOfLayout(dot.getAcc()))
      unify(dot.getAcc(), dot.getResult());
  } else if (isElementwise(op) || isa<tile::GatherOp>(op)) {
    // Both read their operands where they are computed.
    for (Value operand : op->getOperands())
      if (isTile(operand) && !isFreeOfLayout(operand))
        unify(operand, op->getResult(0));
  }
}

LogicalResult TileLowering::requireLayout(Value tile, Layout layout, Operation *user) {
  void *leader = classes.getOrInsertLeaderValue(tile.getAsOpaquePointer());
  auto [it, inserted] = layouts.try_emplace(leader, layout);
  if (inserted || it->second == layout)
    return success();
  return user->emitError() << "needs a tile of type " << tile.getType()
                           << " in a layout other than that of another use; use a separate load or product";
}

Layout TileLowering::getLayout(Value tile) {
  if (getTileType(tile).getRank() != 2)
    return Layout::Rows;
  auto it = layouts.find(classes.getOrInsertLeaderValue(tile.getAsOpaquePointer()));
  return it == layouts.end() ? Layout::Rows : it->second;
}

bool TileLowering::isReadInPlace(tile::LoadOp load) {
  bool hasKnownColumns = !load.getColLimit() && matchPattern(load.getIndices().back(), m_Zero()) &&
                         !ShapedType::isDynamic(cast<MemRefType>(load.getSource().getType()).getShape().back());
  return !wide && hasKnownColumns && llvm::all_of(load.getTile().getUses(), [](OpOperand &use) {
    auto dot = dyn_cast<tile::DotOp>(use.getOwner());
    return dot && &use == &dot.getRhsMutable();
  });
}

/// Finds the row limit that all stores of blocks of queries share with the load of the queries: rows past it are dead,
/// because no row of a product's left side, an elementwise op or a reduction depends on another row.
static bool storesShareLimit(func::FuncOp func, tile::LoadOp load, int64_t rows) {
  Value index = load.getIndices()[load.getRowDim()];
  WalkResult result = func.walk([&](tile::StoreOp store) {
    if (getTileType(store.getTile()).getDimSize(0) != rows)
      return WalkResult::interrupt();
    bool same = store.getRowLimit() == load.getRowLimit() && store.getIndices()[store.getRowDim()] == index;
    return same ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether every use of a load is the same operand of products of one kind.
static bool isLoadedForProducts(Value tile, bool isRhs, bool transposeRhs) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return load && getTileType(tile).getElementType().isBF16() && llvm::all_of(tile.getUses(), [&](OpOperand &use) {
           auto dot = dyn_cast<tile::DotOp>(use.getOwner());
           return dot && &use == &(isRhs ? dot.getRhsMutable() : dot.getLhsMutable()) &&
                  dot.getTransposeRhs() == transposeRhs;
         });
}

/// Queries and keys have to be loaded for their products alone, weights computed beside theirs, whole words of keys.
bool TileLowering::canPairOperands(tile::DotOp dot) {
  if (!isLoadedForProducts(dot.getRhs(), /*isRhs=*/true, dot.getTransposeRhs()))
    return false;
  if (dot.getTransposeRhs())
    return isLoadedForProducts(dot.getLhs(), /*isRhs=*/false, /*transposeRhs=*/true) &&
           getTileType(dot.getRhs()).getDimSize(0) % Machine::kTileElements == 0;
  Operation *weights = dot.getLhs().getDefiningOp();
  return weights && isElementwise(weights) && weights->getBlock() == dot->getBlock() &&
         getTileType(dot.getLhs()).getElementType().isF32() &&
         getTileType(dot.getRhs()).getDimSize(0) % Machine::kTileElements == 0;
}

bool TileLowering::canUsePairs(ArrayRef<tile::DotOp> dots) {
  return wide && machine.pairDots != PairDots::None && machine.vectorWidth == Machine::kTileRows &&
         llvm::all_of(dots, [&](tile::DotOp dot) {
           return getTileType(dot.getLhs()).getDimSize(0) == blockRows && canPairOperands(dot);
         });
}

LogicalResult TileLowering::requireDotLayouts(tile::DotOp dot) {
  Layout panels = wide ? Layout::RowPanels : Layout::Rows;
  if (failed(requireLayout(dot.getLhs(), panels, dot)) ||
      failed(requireLayout(dot.getResult(), dot.getTransposeRhs() || usesPairs ? panels : Layout::Rows, dot)))
    return failure();
  // The layout of pairs follows from the product that reads them.
  return usesPairs
             ? success()
             : requireLayout(dot.getRhs(), dot.getTransposeRhs() || !wide ? Layout::Rows : Layout::ColPanels, dot);
}

LogicalResult TileLowering::analyze() {
  SmallVector<tile::DotOp> dots;
  func.walk([&](Operation *op) {
    unifyLayouts(op);
    if (auto dot = dyn_cast<tile::DotOp>(op))
      dots.push_back(dot);
  });
  for (tile::DotOp dot : dots)
    blockRows = std::max(blockRows, getTileType(dot.getLhs()).getDimSize(0));
  wide = blockRows >= machine.getMinWideRows();
  usesPairs = canUsePairs(dots);
  for (tile::DotOp dot : dots) {
    if (!dot.getRhs().getDefiningOp<tile::LoadOp>())
      return dot.emitError("needs the result of attn_tile.load as its right side on the CPU");
    if (failed(requireDotLayouts(dot)))
      return failure();
    auto load = dot.getLhs().getDefiningOp<tile::LoadOp>();
    if (load && load->getBlock() == &func.front() && load.getRowLimit() && storesShareLimit(func, load, blockRows))
      queryLoad = load;
  }
  return success();
}

bool TileLowering::isCheapEverywhere(Value tile, int64_t budget) {
  Operation *op = tile.getDefiningOp();
  if (!op || budget < 0)
    return false;
  // Scratch would fix a layout for what has none. The rows of a broadcast are kept instead where they are costly.
  if (isFreeOfLayout(tile))
    return true;
  if (!isElementwise(op) || isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::LogOp, arith::DivFOp>(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return !isTile(operand) || isCheapEverywhere(operand, budget - 1); });
}

bool TileLowering::needsBuffer(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || isa<tile::DotOp, tile::RowReduceOp, scf::ForOp, scf::IfOp>(op))
    return true;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !isReadInPlace(load);
  if (kept.contains(tile))
    return true;
  bool cheap = isCheapEverywhere(tile, 3);
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    // The weights of a product of pairs are kept as pairs (`addPairs`).
    if (auto dot = dyn_cast<tile::DotOp>(user); dot && &use == &dot.getLhsMutable() && !usesPairs)
      return true;
    if (!cheap && (user->getBlock() != op->getBlock() || isa<scf::ForOp, scf::IfOp, scf::YieldOp>(user)))
      return true;
    if (!cheap && getTileType(tile).getRank() == 1 && isa<tile::BroadcastOp, tile::RowReduceOp>(user))
      return true;
  }
  return false;
}
