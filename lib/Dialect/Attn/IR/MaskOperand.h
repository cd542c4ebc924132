//===- MaskOperand.h - Boolean tensors that say what a region says -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_IR_MASKOPERAND_H
#define FOVEA_LIB_DIALECT_ATTN_IR_MASKOPERAND_H

#include "KeepRange.h"

namespace fovea::attn {

/// The band of keys that a constant mask [.., .., Sq, Skv] keeps, the same for all batch entries and heads; none where
/// it keeps anything else.
std::optional<Band> matchConstantMask(mlir::DenseElementsAttr mask);

/// Whether `tensor` is computed element by element, so that one element can be had without the others: by parallel
/// `linalg.generic`s of indices, constants and other tensors, elementwise ops and reshapes that add dimensions of 1.
bool isComputedByElement(mlir::Value tensor);

/// Builds the element of such a tensor at `indices`; what it is computed of is read by `tensor.extract`.
mlir::Value buildElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                         mlir::ArrayRef<mlir::Value> indices);

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_IR_MASKOPERAND_H
