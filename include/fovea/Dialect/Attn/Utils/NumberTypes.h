//===- NumberTypes.h - Types of the numbers of a kernel -----*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_UTILS_NUMBERTYPES_H
#define FOVEA_DIALECT_ATTN_UTILS_NUMBERTYPES_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// Emits one error if `op` has a bias of floats, or its regions read or compute floats, for which no target has code:
/// f64, f32, f16 and bf16 have it.
mlir::LogicalResult verifyNumberTypes(AttentionOp op);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_UTILS_NUMBERTYPES_H
