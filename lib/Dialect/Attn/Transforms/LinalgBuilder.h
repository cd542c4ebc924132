//===- LinalgBuilder.h - linalg on tensors or on memrefs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_LINALGBUILDER_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_LINALGBUILDER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"

namespace fovea::attn {

/// One operand of a loop nest: a tensor or memref and the loops that index its dimensions.
struct LinalgOperand {
  mlir::Value value;
  llvm::SmallVector<unsigned> loops;
};

/// Builds `linalg.generic`s in one of two forms: on tensors an operation returns its result, on memrefs it writes its
/// destination and returns that. Temporaries are `tensor.empty` or `memref.alloc`, the latter freed by `freeAll`.
class LinalgBuilder {
public:
  /// Computes the new value of an element from the elements of the inputs, then of the destination.
  using BodyFn = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

  LinalgBuilder(mlir::OpBuilder &builder, mlir::Location loc, bool onTensors) : b(loc, builder), onTensors(onTensors) {}

  mlir::ImplicitLocOpBuilder b;

  mlir::Value allocate(llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type elementType);
  void freeAll();

  /// `destination[loops] = body(inputs..., destination)`; a loop that does not index the destination is a reduction.
  mlir::Value generic(llvm::ArrayRef<LinalgOperand> inputs, LinalgOperand destination, unsigned numLoops, BodyFn body);

  llvm::SmallVector<mlir::OpFoldResult> getSizes(mlir::Value shaped);

private:
  bool onTensors;
  llvm::SmallVector<mlir::Value> allocated;
};

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_LINALGBUILDER_H
