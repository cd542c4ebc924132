//===- BulkRings.cpp - Tiles that a warpgroup copies for the others -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkRings.h"
#include "KernelInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

static RankedTensorType getTileType(tile::LoadOp load) { return cast<RankedTensorType>(load.getTile().getType()); }

static bool isOperandLoad(tile::LoadOp load) {
  return isa_and_nonnull<tile::MmaOperandAttr>(getTileType(load).getEncoding());
}

BulkRings::BulkRings(func::FuncOp function) : function(function), strategy(getStrategy(function)) {}

std::optional<size_t> BulkRings::getRing(tile::LoadOp load) const {
  if (!isOperandLoad(load))
    return std::nullopt;
  for (auto [index, ring] : llvm::enumerate(rings))
    if (ring.source == load.getSource() && ring.type == getTileType(load))
      return index;
  return std::nullopt;
}

bool BulkRings::holdsLoad(Operation *op) const {
  return op->walk([&](tile::LoadOp load) { return getRing(load) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Bulk copies need the memory that a parameter of the kernel describes.
LogicalResult BulkRings::addRing(tile::LoadOp load) {
  auto argument = dyn_cast<BlockArgument>(load.getSource());
  if (!argument || argument.getOwner() != &function.getBody().front())
    return load.emitError() << "a bulk copy needs an argument of the kernel as its source";
  RankedTensorType type = getTileType(load);
  if (type.getElementTypeBitWidth() != 16)
    return load.emitError() << "warpgroup products take elements of 16 bits, but got " << type.getElementType()
                            << "; a strategy with unit = warp works";
  bool isLeft = llvm::all_of(load->getUsers(),
                             [&](Operation *user) { return cast<tile::DotOp>(user).getLhs() == load.getTile(); });
  rings.push_back({load.getSource(),
                   type,
                   static_cast<int64_t>(load.getRowDim()),
                   isLeft ? 1 : strategy.getStages(),
                   isLeft ? getNumWarpgroups() : 1,
                   isLeft || strategy.mergesInCluster() ? 1 : strategy.getCluster(),
                   static_cast<int64_t>(load.getOnes()),
                   {},
                   {},
                   isLeft});
  return success();
}

/// A tile that only its first product reads, as where a task has one block of keys, is not loaded later: then the load
/// ahead is the one that gives the slot back.
void BulkRings::findLoadsAhead() {
  SmallVector<SmallVector<tile::LoadOp>> ahead(rings.size());
  SmallVector<bool> hasLater(rings.size());
  function.walk([&](tile::LoadOp load) {
    std::optional<size_t> number = getRing(load);
    if (number && load.getAhead())
      ahead[*number].push_back(load);
    else if (number)
      hasLater[*number] = true;
  });
  for (auto [ring, loads, later] : llvm::zip_equal(rings, ahead, hasLater)) {
    ring.ahead = !loads.empty() && later;
    if (!later)
      for (tile::LoadOp load : loads)
        load.setAhead(false);
  }
}

bool nvptx::isSizeOf(Value limit, Value memref, int64_t dim) {
  APInt value;
  if (matchPattern(limit, m_ConstantInt(&value)))
    return value.getSExtValue() == cast<MemRefType>(memref.getType()).getDimSize(dim);
  auto size = limit.getDefiningOp<memref::DimOp>();
  return size && size.getSource() == memref && size.getConstantIndex() == dim;
}

/// Whether bulk copies can store the tile: whole rows of 16-bit elements, up to the end of the memory.
static bool isBulkStore(func::FuncOp function, tile::StoreOp store) {
  auto type = cast<RankedTensorType>(store.getTile().getType());
  auto memref = cast<MemRefType>(store.getDestination().getType());
  auto argument = dyn_cast<BlockArgument>(store.getDestination());
  APInt first;
  return type.getRank() == 2 && type.getElementTypeBitWidth() == 16 && store.getAlignment() >= 16 &&
         !store.getColLimit() && argument && argument.getOwner() == &function.getBody().front() &&
         memref.getShape().back() <= type.getDimSize(1) && matchPattern(store.getIndices().back(), m_Zero()) &&
         (!store.getRowLimit() || isSizeOf(store.getRowLimit(), store.getDestination(), store.getRowDim()));
}

void BulkRings::collectStores() {
  function.walk([&](tile::StoreOp store) {
    if (!isBulkStore(function, store))
      return;
    auto tile = cast<RankedTensorType>(store.getTile().getType());
    auto type = RankedTensorType::get(tile.getShape(), tile.getElementType());
    stores.push_back({{store.getDestination(),
                       type,
                       static_cast<int64_t>(store.getRowDim()),
                       /*slots=*/1,
                       getNumWarpgroups(),
                       /*cluster=*/1,
                       /*ones=*/0,
                       {},
                       {}},
                      store});
  });
}

LogicalResult BulkRings::collect() {
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](tile::LoadOp load) -> WalkResult {
    if (!isOperandLoad(load) || getRing(load))
      return WalkResult::advance();
    return addRing(load);
  });
  if (result.wasInterrupted())
    return failure();
  findLoadsAhead();
  collectStores();
  return success();
}

RingState BulkRings::createState(ImplicitLocOpBuilder &b) const {
  Value zero = arith::ConstantIntOp::create(b, 0, 32);
  return RingState(rings.size(), zero);
}

// Where the slots are a power of two, slot and phase are bits of the number.

Value BulkRing::getSlot(ImplicitLocOpBuilder &b, Value number) const {
  if (llvm::isPowerOf2_64(slots))
    return b.createOrFold<arith::AndIOp>(number, arith::ConstantIntOp::create(b, slots - 1, 32));
  Value count = arith::ConstantIntOp::create(b, slots, 32);
  Value isSecond = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, number, count);
  return arith::SelectOp::create(b, isSecond, arith::SubIOp::create(b, number, count), number);
}

Value BulkRing::getPhase(ImplicitLocOpBuilder &b, Value number) const {
  if (llvm::isPowerOf2_64(slots))
    return arith::AndIOp::create(
        b, b.createOrFold<arith::ShRUIOp>(number, arith::ConstantIntOp::create(b, llvm::Log2_64(slots), 32)),
        arith::ConstantIntOp::create(b, 1, 32));
  Value count = arith::ConstantIntOp::create(b, slots, 32);
  Value isSecond = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, number, count);
  return arith::ExtUIOp::create(b, b.getI32Type(), isSecond);
}

Value BulkRing::getNext(ImplicitLocOpBuilder &b, Value number) const {
  int64_t numbers = 2 * slots;
  Value next = arith::AddIOp::create(b, number, arith::ConstantIntOp::create(b, 1, 32));
  if (llvm::isPowerOf2_64(numbers))
    return next;
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, arith::ConstantIntOp::create(b, numbers, 32));
  return arith::SelectOp::create(b, wraps, arith::ConstantIntOp::create(b, 0, 32), next);
}
