//===- JudgePass.cpp - The pass attn-cpu-judge -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Target/CPU/Judge.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_CPUJUDGE
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;

namespace {
struct CPUJudgePass : cpu::impl::CPUJudgeBase<CPUJudgePass> {
  using CPUJudgeBase::CPUJudgeBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(checkGivenOnce({&eraseFunctions}, report)));
  }

  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function->hasAttr(attn::AttnDialect::getLaunchAttrName()))
        continue;
      if (failed(addJudges(function)))
        return signalPassFailure();
      if (eraseFunctions)
        function.erase();
    }
  }

  LogicalResult addJudges(func::FuncOp function) {
    SmallVector<attn::AttentionOp> ops;
    function.walk([&](attn::AttentionOp op) { ops.push_back(op); });
    OpBuilder builder(&getContext());
    for (auto [number, op] : llvm::enumerate(ops)) {
      builder.setInsertionPointAfter(function);
      if (failed(cpu::buildJudge(builder, op, (function.getName() + "_judge" + Twine(number)).str())))
        return failure();
    }
    return success();
  }
};
} // namespace
