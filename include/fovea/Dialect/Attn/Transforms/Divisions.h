//===- Divisions.h - Integer divisions that every divisor has -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_DIVISIONS_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_DIVISIONS_H

#include "mlir/IR/Operation.h"

namespace fovea::attn {

/// Gives an integer division or remainder of `arith` the value that regions have where MLIR says nothing: a divisor of
/// 0 counts as 1, and the quotient of the least number by -1 wraps around to it. The op changes in place, nothing where
/// its divisor is known to be another. Returns what stands for its result from now on, or null for an op of another
/// kind; every use is replaced, and `op` may be erased.
mlir::Value guardDivision(mlir::Operation *op);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_DIVISIONS_H
