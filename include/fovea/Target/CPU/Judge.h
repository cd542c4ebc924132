//===- Judge.h - The float64 reference of an attention op as a CPU kernel -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_CPU_JUDGE_H
#define FOVEA_TARGET_CPU_JUDGE_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea::cpu {

/// Makes the kernel function `name` at the builder's position: attention in float64, literally, as `attn-decompose`
/// does it, but row by row, so that its memory is one row of scores for each row of a task.
///
/// Its arguments are those of a plan's kernel: the operands of `op` in order without the destinations, the captures,
/// then five contiguous f64 buffers as temporaries 0 to 4 that it fills:
///   0. O `[B, Hq, Sq, Dv]`
///   1. LSE `[B, Hq, Sq]`
///   2. A `[B, Hq, Sq, Dv]`: the reference over |V|
///   3. smax `[B, Hq, Sq]`: the largest |score| that is kept, 0 where none is
///   4. `[B, Hq, Sq, Dv]`: O with the weights exp(u - max_j u) rounded to V's element type, as the second product of a
///      kernel has them, and O rounded to the output's type, f32 excepted
///
/// Its tasks are independent: `B * Hq * ceildiv(Sq, 16)`. `buildKernelToLLVMPipeline` lowers it; it needs libm
/// (`EmitOptions::allowLibm`). Emits one diagnostic where the op cannot be moved into a kernel.
mlir::FailureOr<mlir::func::FuncOp> buildJudge(mlir::OpBuilder &builder, attn::AttentionOp op, llvm::StringRef name);

} // namespace fovea::cpu

#endif // FOVEA_TARGET_CPU_JUDGE_H
