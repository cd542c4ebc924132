//===- BulkRings.h - Tiles that a warpgroup copies for the others -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_BULKRINGS_H
#define FOVEA_LIB_TARGET_NVPTX_BULKRINGS_H

#include "Layouts.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

/// What the parts of `attn-tile-specialize-warps` share.
namespace fovea::nvptx {

/// A ring of slots in shared memory: all loads of tiles of one type from one memref take its slots in turns.
struct BulkRing {
  mlir::Value source;
  mlir::RankedTensorType type;
  int64_t rowDim, slots, parts, cluster, ones;
  /// `type` with the place in shared memory, and the kernel's parameter that describes the source.
  mlir::RankedTensorType staged;
  mlir::BlockArgument map;
  /// Whether it is the left operand of products, of which a kernel has one tile a task.
  bool isLeft = false;
  /// Whether each tile is loaded twice, ahead and where it is read last: the copy is that of the first load.
  bool ahead = false;

  SwizzledLayout getLayout() const { return {type.getDimSize(0), type.getDimSize(1), parts, ones}; }

  // A tile's `number` counts through two rounds of the ring, of which the second has phase 1; in rings of a power of
  // two of slots it goes on.
  mlir::Value getSlot(mlir::ImplicitLocOpBuilder &b, mlir::Value number) const;
  mlir::Value getPhase(mlir::ImplicitLocOpBuilder &b, mlir::Value number) const;
  mlir::Value getNext(mlir::ImplicitLocOpBuilder &b, mlir::Value number) const;
};

/// A store through shared memory, and that memory: a ring of one slot without barriers.
struct BulkStore {
  BulkRing staging;
  tile::StoreOp store;
};

/// The number of the next tile of each ring.
using RingState = llvm::SmallVector<mlir::Value>;

/// The tiles of a kernel that bulk copies move.
struct BulkRings {
  mlir::func::FuncOp function;
  attn::StrategyAttr strategy;
  llvm::SmallVector<BulkRing> rings;
  llvm::SmallVector<BulkStore> stores;

  explicit BulkRings(mlir::func::FuncOp function);

  /// Finds rings and stores; emits one error at a load that no bulk copy can do.
  mlir::LogicalResult collect();

  int64_t getNumWarpgroups() const { return strategy.getWarps() / kWarpsOfGroup; }
  /// The number of the ring that `load` takes a slot of.
  std::optional<size_t> getRing(tile::LoadOp load) const;
  /// Whether a load of a ring stands in a region of `op`, or is it.
  bool holdsLoad(mlir::Operation *op) const;
  /// Every ring at its first slot.
  RingState createState(mlir::ImplicitLocOpBuilder &b) const;

private:
  mlir::LogicalResult addRing(tile::LoadOp load);
  void findLoadsAhead();
  void collectStores();
};

/// Whether `limit` is the size of dimension `dim` of `memref`: bulk copies fill rows past it with zeros and don't write
/// them.
bool isSizeOf(mlir::Value limit, mlir::Value memref, int64_t dim);

/// Gives rings and stores their places in shared memory, and what is left of that to second slots; takes stores out
/// that have no room. Returns the bytes that the kernel needs, or emits one error where a thread block of `chip` may
/// not have as many.
mlir::FailureOr<int64_t> placeRings(BulkRings &rings, int64_t sharedLimit, llvm::StringRef chip);

/// Appends the kernel's parameters that describe the memory of rings and stores.
void addTensorMaps(BulkRings &rings);

/// Builds the copying role at `b`: the control flow of the kernel with the copies alone. Emits one error at what
/// decides on a position and is no scalar code.
mlir::LogicalResult buildCopies(const BulkRings &rings, mlir::ImplicitLocOpBuilder &b);

/// Makes the function's own code, now in `block`, a computing role: its loads wait for what was copied. `warpgroup` is
/// the number of the warpgroup that executes it.
void rewriteForComputing(const BulkRings &rings, mlir::Block &block, mlir::Value warpgroup);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_BULKRINGS_H
