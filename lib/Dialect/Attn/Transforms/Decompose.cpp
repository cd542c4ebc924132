//===- Decompose.cpp - The pass attn-decompose -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/Decompose.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNDECOMPOSE
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea::attn;

/// Partial results are those of a kernel that does a part of the keys; the decomposition does all of them.
static LogicalResult verifyWhole(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || !attention.getStrategy() || !attention.getStrategy()->hasPartialResults())
    return success();
  return op->emitOpError() << "has the partial results of split_kv, which only a kernel makes; decompose it before "
                              "attn-plan";
}

namespace {
struct AttnDecomposePass : fovea::attn::impl::AttnDecomposeBase<AttnDecomposePass> {
  using AttnDecomposeBase::AttnDecomposeBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(fovea::checkGivenOnce({&computeType}, report)));
  }

  void runOnOperation() override {
    if (computeType != "f32" && computeType != "f64") {
      emitError(getOperation()->getLoc()) << "compute-type is '" << computeType << "', must be 'f32' or 'f64'";
      return signalPassFailure();
    }
    Builder b(&getContext());
    FloatType type = computeType == "f64" ? FloatType(b.getF64Type()) : FloatType(b.getF32Type());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<AttentionOp, CombineOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      if (failed(verifyWhole(op)))
        return signalPassFailure();
      if (auto attention = dyn_cast<AttentionOp>(op))
        decompose(rewriter, attention, type);
      else
        decompose(rewriter, cast<CombineOp>(op), type);
    }
  }
};
} // namespace
