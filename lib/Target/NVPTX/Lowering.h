//===- Lowering.h - What the patterns of attn-tile-to-nvvm share -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_LOWERING_H
#define FOVEA_LIB_TARGET_NVPTX_LOWERING_H

#include "Layouts.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace fovea::nvptx {

/// An integer in IR (i32 or index) with the arithmetic that the layouts use.
struct IRInt {
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value value;

  IRInt operator+(IRInt other) const;
  IRInt operator*(IRInt other) const;
  IRInt operator^(IRInt other) const;
  IRInt operator+(int64_t other) const { return other == 0 ? *this : *this + constant(other); }
  IRInt operator*(int64_t other) const { return other == 1 ? *this : *this * constant(other); }
  IRInt operator^(int64_t other) const { return other == 0 ? *this : *this ^ constant(other); }
  IRInt operator&(int64_t other) const;
  IRInt operator>>(int64_t other) const;
  IRInt constant(int64_t other) const;
};

/// Number of this thread in its block, i32.
IRInt getThread(mlir::ImplicitLocOpBuilder &b);
/// Threads of the block around `op`.
int64_t getNumThreads(mlir::Operation *op);

/// Types of what a thread holds: a vector for a tile spread over threads, an i32 (byte offset of the slot) for a tile
/// in shared memory.
class ThreadTypeConverter : public mlir::TypeConverter {
public:
  ThreadTypeConverter();
};

/// The layouts of a tile type; the tile has the encoding in question.
AccLayout getAccLayout(mlir::RankedTensorType type);
SharedLayout getSharedLayout(mlir::RankedTensorType type);
SwizzledLayout getSwizzledLayout(mlir::RankedTensorType type);
/// Warps that a tile is spread over; 0: it lies elsewhere.
int64_t getNumWarps(mlir::RankedTensorType type);
/// Elements per thread of a tile spread over threads.
int64_t getNumElements(mlir::RankedTensorType type);
inline mlir::RankedTensorType getTileType(mlir::Value tile) {
  return mlir::cast<mlir::RankedTensorType>(tile.getType());
}

/// The elements of a vector, and a vector of elements.
llvm::SmallVector<mlir::Value> toElements(mlir::ImplicitLocOpBuilder &b, mlir::Value vector);
mlir::Value fromElements(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange elements);

/// Pointer into shared memory at a byte offset (i32).
mlir::Value getSharedPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value offset);
/// The global memory behind a memref: address of an element and byte strides, all i64 in `index`.
class GlobalView {
public:
  GlobalView(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);
  /// Address (index) of the element at `indices`, or of the one at position 0 of `skippedDim`.
  mlir::Value getAddress(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange indices, int64_t skippedDim = -1) const;
  /// Bytes from one position to the next along `dim`.
  mlir::Value getByteStride(int64_t dim) const { return byteStrides[dim]; }

private:
  mlir::Value base;
  llvm::SmallVector<mlir::Value> byteStrides;
};

/// Address arithmetic.
mlir::Value addIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value mulIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value toIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value i32);
/// `stride` as a value of which the optimiser does not know that it is always the same: it computes no multiples of it
/// before the loop around, which would take more registers than there are. Constants stay.
mlir::Value hideInvariance(mlir::ImplicitLocOpBuilder &b, mlir::Value stride);
/// `limit - position` of an index clamped to [0, size], as i32; `limit` null: `size`.
mlir::Value getRelativeLimit(mlir::ImplicitLocOpBuilder &b, mlir::Value limit, mlir::Value position, int64_t size);
/// i32 `value < limit`.
mlir::Value isBelow(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value limit);
mlir::Value andMask(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);

/// An i32.
mlir::Value constantI32(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// Numbers of the barriers of a thread block. Warpgroup w uses `kFirstOfWarpgroups + w` for itself, and `kFirstTurn +
/// w` for its turn to multiply.
struct BarrierNumber {
  static constexpr int64_t kComputing = 1, kFirstOfWarpgroups = 2, kFirstTurn = 8;
};

/// Inline PTX; `result` may be null.
mlir::Value buildAsm(mlir::ImplicitLocOpBuilder &b, mlir::Type result, mlir::ValueRange operands,
                     const llvm::Twine &text, const llvm::Twine &constraints, bool hasSideEffects);

/// Loads an element of `type` from global `address` where `predicate`, else gives zero.
mlir::Value buildPredicatedLoad(mlir::ImplicitLocOpBuilder &b, mlir::Type type, mlir::Value address,
                                mlir::Value predicate);
/// Loads an element of `type` from `offset` bytes behind global `address`. The memory does not change while the kernel
/// runs.
mlir::Value buildInvariantLoad(mlir::ImplicitLocOpBuilder &b, mlir::Type type, mlir::Value address, int64_t offset);
/// Stores an element, or a vector of two, to global `address` where `predicate`.
void buildPredicatedStore(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value address, mlir::Value predicate);

/// Tile operations but dot and the transfers.
void populateTilePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
/// program_id, lane, reduce_lanes, count_lanes.
void populateLanePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
/// Loads of tiles in which rows repeat each other.
void populateRepeatedLoadPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
/// load, store, gather.
void populateTransferPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
/// fetch, commit_fetches, await_fetches, staged.
void populateStagingPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
/// dot.
void populateDotPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
/// roles, warpgroup, any, num_programs.
void populateRolesPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
/// bulk_fetch, await_tile, release, clear_rows.
void populateBulkPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
/// issue_dot, await_dots.
void populateWarpgroupDotPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// exchange, await_peers.
void populateClusterPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Name of the symbol of dynamic shared memory.
constexpr llvm::StringLiteral kSharedMemoryName = "fovea_shared";

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_LOWERING_H
