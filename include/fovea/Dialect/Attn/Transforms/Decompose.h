//===- Decompose.h - Attention as plain linalg -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_DECOMPOSE_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_DECOMPOSE_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace fovea::attn {

/// Replaces `op` by linalg, arith, math and tensor or memref ops, computed in `type` (f32 or f64).
void decompose(mlir::RewriterBase &rewriter, AttentionOp op, mlir::FloatType type);
void decompose(mlir::RewriterBase &rewriter, CombineOp op, mlir::FloatType type);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_DECOMPOSE_H
