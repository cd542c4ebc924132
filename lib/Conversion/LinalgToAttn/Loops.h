//===- Loops.h - Loops of a computation and positions in tensors -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_LOOPS_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_LOOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fovea::conversion {

/// A loop of the computation that is matched; numbers a `LoopSpace` gives.
using LoopId = unsigned;

/// The place in one dimension of a tensor: the loops that run over it, outermost first, as digits of a mixed radix.
/// No loops: 0. `collapse_shape` of dimensions under loops b and h is read at the position {b, h}.
using Position = llvm::SmallVector<LoopId, 2>;
/// One position for each dimension.
using Positions = llvm::SmallVector<Position, 4>;

/// All loops of one computation. Reshapes are looked through by splitting loops; a loop of one iteration is none.
class LoopSpace {
public:
  /// A loop over dimension `dim` of `tensor`.
  LoopId add(mlir::Value tensor, unsigned dim);

  /// The position with split loops replaced by their parts and loops of one iteration left out.
  Position flatten(llvm::ArrayRef<LoopId> position) const;
  Positions flattenAll(llvm::ArrayRef<Position> positions) const;

  /// The positions in dimensions `dims` of `tensor` that together are `position`, as reading a `collapse_shape` needs
  /// them. Splits loops where dimensions ask for it; none where sizes do not fit.
  std::optional<Positions> distribute(llvm::ArrayRef<LoopId> position, mlir::Value tensor,
                                      llvm::ArrayRef<int64_t> dims);

  /// Learns static sizes: a loop that alone runs over a dimension of `tensor` has its size.
  void learnSizes(mlir::Value tensor, llvm::ArrayRef<Position> positions);
  /// From now on dynamic sizes are those of dimensions of `tensor`, for loops that alone run over one.
  void readSizesFrom(mlir::Value tensor, llvm::ArrayRef<Position> positions);

  int64_t getStaticSize(LoopId loop) const { return loops[loop].size; }
  /// The number of places of a position.
  int64_t getStaticSize(llvm::ArrayRef<LoopId> position) const;
  mlir::OpFoldResult getSize(mlir::OpBuilder &b, mlir::Location loc, LoopId loop) const;

private:
  struct Loop {
    int64_t size;
    mlir::Value tensor;
    unsigned dim;
    Position parts;
  };
  LoopId add(int64_t size);
  void flattenInto(llvm::ArrayRef<LoopId> position, Position &result) const;
  bool fitsOneToOne(llvm::ArrayRef<LoopId> position, mlir::ShapedType type, llvm::ArrayRef<int64_t> dims) const;
  std::optional<Position> takeInnermost(Position &position, int64_t size);

  llvm::SmallVector<Loop> loops;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_LOOPS_H
