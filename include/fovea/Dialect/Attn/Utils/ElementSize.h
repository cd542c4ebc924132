//===- ElementSize.h - Sizes of elements in memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_UTILS_ELEMENTSIZE_H
#define FOVEA_DIALECT_ATTN_UTILS_ELEMENTSIZE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace fovea::attn {

/// Bytes that an element of `type` (an integer, a float or index) takes in memory: i1 one byte, index eight.
inline int64_t getElementBytes(mlir::Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_UTILS_ELEMENTSIZE_H
