//===- ExpandOps.cpp - Ops whose lowering would call a library -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rounding.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_CPUEXPANDOPS
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;

/// f64 to f16 or bf16 in two steps: rounding once, then a conversion of what f32 holds exactly.
static void expandTruncation(arith::TruncFOp op) {
  auto target = dyn_cast<FloatType>(getElementTypeOrSelf(op.getType()));
  if (!getElementTypeOrSelf(op.getIn().getType()).isF64() || !target || target.getWidth() > 16)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value rounded = cpu::roundToType(b, op.getIn(), target);
  Type f32 = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(rounded.getType()))
    f32 = vector.clone(f32);
  op.getInMutable().assign(arith::TruncFOp::create(b, f32, rounded));
}

/// A copy between buffers that are not both contiguous becomes loops.
static void expandCopy(memref::CopyOp op) {
  auto isContiguous = [](Value value) { return cast<MemRefType>(value.getType()).getLayout().isIdentity(); };
  if (isContiguous(op.getSource()) && isContiguous(op.getTarget()))
    return;
  OpBuilder b(op);
  linalg::makeMemRefCopyOp(b, op.getLoc(), op.getSource(), op.getTarget());
  op.erase();
}

namespace {
struct CPUExpandOpsPass : cpu::impl::CPUExpandOpsBase<CPUExpandOpsPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto truncation = dyn_cast<arith::TruncFOp>(op))
        expandTruncation(truncation);
      else if (auto copy = dyn_cast<memref::CopyOp>(op))
        expandCopy(copy);
    });
  }
};
} // namespace
