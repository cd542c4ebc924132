//===- Relayout.h - Tensors in another order of loops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_RELAYOUT_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_RELAYOUT_H

#include "Loops.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::conversion {

/// `source`, whose dimensions stand for the positions `from`, as a tensor whose dimensions stand for `to`, by reshapes,
/// a transposition and a broadcast where they are needed. Loops of `from` are loops of `to`.
mlir::Value relayout(mlir::ImplicitLocOpBuilder &b, const LoopSpace &loops, mlir::Value source,
                     llvm::ArrayRef<Position> from, llvm::ArrayRef<Position> to);

/// Sizes of dimensions that stand for positions.
llvm::SmallVector<mlir::OpFoldResult> getSizes(mlir::ImplicitLocOpBuilder &b, const LoopSpace &loops,
                                               llvm::ArrayRef<Position> positions);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_RELAYOUT_H
