//===- Fragments.h - Operands of matrix instructions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_FRAGMENTS_H
#define FOVEA_LIB_TARGET_NVPTX_FRAGMENTS_H

#include "Lowering.h"

namespace fovea::nvptx {

/// Loads 8x8 matrices of a tile in shared memory: each lane gets four 32-bit words.
class SharedFragments {
public:
  /// `lane` is the row and chunk that this lane names (`getRowMajorLane`, `getColMajorLane`), `firstRow` a row that
  /// depends on the warp (a multiple of 8).
  SharedFragments(mlir::ImplicitLocOpBuilder &b, SharedLayout layout, mlir::Value slotOffset, Position<IRInt> lane,
                  bool transpose)
      : b(b), layout(layout), slotOffset(slotOffset), lane(lane), transpose(transpose) {}

  /// The matrices at row `constRow` and chunk `constChunk` (multiples of 8 and 2) from the lane's.
  llvm::SmallVector<mlir::Value> load(int64_t constRow, int64_t constChunk);

private:
  mlir::ImplicitLocOpBuilder &b;
  SharedLayout layout;
  mlir::Value slotOffset;
  Position<IRInt> lane;
  bool transpose;
  /// Pointers of the parts of addresses that depend on the thread, by variant.
  llvm::DenseMap<int64_t, mlir::Value> pointers;
};

/// `pointer + bytes` in shared memory.
mlir::Value offsetPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer, int64_t bytes);

/// The left operand of a dot by blocks: four words for rows 16 * rowBlock and step `k` of the contraction.
using LeftOperand = llvm::function_ref<llvm::SmallVector<mlir::Value>(int64_t rowBlock, int64_t k)>;

/// Fragments of a left operand in shared memory, of 16- or 32-bit elements; `rowsPerWarp` rows belong to each warp.
SharedFragments getLeftFragments(mlir::ImplicitLocOpBuilder &b, SharedLayout layout, mlir::Value slotOffset,
                                 int64_t rowsPerWarp);
/// Fragments of a right operand in shared memory, KxN or (`transposed`) NxK.
SharedFragments getRightFragments(mlir::ImplicitLocOpBuilder &b, SharedLayout layout, mlir::Value slotOffset,
                                  bool transposed);

/// One matrix instruction m16n8k16 of `type` (f16, bf16) or m16n8k8 of `type` f32 (tf32); operands are i32 words.
/// `acc` holds four f32 and is updated.
void buildMma(mlir::ImplicitLocOpBuilder &b, mlir::Type type, llvm::ArrayRef<mlir::Value> lhs,
              llvm::ArrayRef<mlir::Value> rhs, llvm::MutableArrayRef<mlir::Value> acc);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_FRAGMENTS_H
