//===- DotLowering.h - What the lowerings of dots share -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_DOTLOWERING_H
#define FOVEA_LIB_TARGET_NVPTX_DOTLOWERING_H

#include "Fragments.h"

namespace fovea::nvptx {

/// A dot of one warp's rows on its way to matrix instructions.
class DotLowering {
public:
  DotLowering(mlir::ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor);

  mlir::Value getResult() { return fromElements(b, values); }

protected:
  /// The four accumulators of a block.
  llvm::MutableArrayRef<mlir::Value> getAccumulators(int64_t rowBlock, int64_t colBlock) {
    return llvm::MutableArrayRef<mlir::Value>(values).slice(acc.getElement(rowBlock, colBlock, 0), 4);
  }
  int64_t getDepth() { return op.getTransposeRhs() ? rhsLayout.cols : rhsLayout.rows; }

  mlir::ImplicitLocOpBuilder &b;
  tile::DotOp op;
  mlir::Type elementType;
  AccLayout acc;
  /// None where the left operand lies in registers.
  std::optional<SharedLayout> lhsLayout;
  SharedLayout rhsLayout;
  mlir::Value lhs, rhs;
  /// The accumulators, which become the result.
  llvm::SmallVector<mlir::Value> values;
  std::optional<SharedFragments> leftFragments;
};

/// A dot of f32: operands as words of steps of 8 products, as m16n8k8 takes them.
class SingleDot : public DotLowering {
public:
  SingleDot(mlir::ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor);

protected:
  llvm::SmallVector<mlir::Value> getLeft(int64_t rowBlock, int64_t k);
  /// Two words each for column blocks `colBlock` and `colBlock + 1`.
  llvm::SmallVector<mlir::Value> getRight(int64_t k, int64_t colBlock);
  llvm::SmallVector<mlir::Value> getZeros();

private:
  mlir::Value loadRightWord(int64_t row, int64_t col, int64_t word);

  SharedFragments right;
  llvm::SmallVector<mlir::Value> elements;
  mlir::Value rightPointer;
};

/// What the lowering `Dot` makes of a dot.
template <typename Dot>
mlir::Value buildDot(mlir::ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor) {
  Dot lowering(b, op, adaptor);
  lowering.build();
  return lowering.getResult();
}

/// The result of a dot of f16 or bf16.
mlir::Value buildHalfDot(mlir::ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor);
/// The result of a dot of f32 by products of TF32.
mlir::Value buildTf32Dot(mlir::ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor);
/// The result of a dot of f32 by products of bf16 that keep all bits.
mlir::Value buildPiecesDot(mlir::ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_DOTLOWERING_H
