//===- Ring.h - Rings of tiles in shared memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_RING_H
#define FOVEA_LIB_TARGET_NVPTX_RING_H

#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::nvptx {

/// A loop and the operands of dots that it loads itself.
struct RingLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<tile::LoadOp> loads;
};

/// Loops of one block that walk on through one range with the same loads: they share a ring.
struct RingChain {
  llvm::SmallVector<RingLoop> loops;
};

/// The loops of `function` that load operands of dots, as chains.
llvm::SmallVector<RingChain> collectRings(mlir::Operation *function);

/// Replaces the loads of a chain by a ring of `stages` slots at byte `offset`; returns the bytes of the ring.
int64_t stageRing(RingChain &chain, int64_t offset, int64_t stages);

/// Bytes of one slot of a load's tile.
int64_t getSharedBytes(tile::LoadOp load);

/// The type of a load's tile in shared memory.
mlir::RankedTensorType getSharedTileType(tile::LoadOp load, int64_t offset, int64_t slots);

/// Creates a fetch as `load` would load, at other indices.
void createFetch(mlir::ImplicitLocOpBuilder &b, tile::LoadOp load, mlir::ValueRange indices, mlir::Value rowLimit,
                 mlir::Value slot, mlir::RankedTensorType type);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_RING_H
