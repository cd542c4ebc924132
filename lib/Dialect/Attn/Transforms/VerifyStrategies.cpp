//===- VerifyStrategies.cpp - Checks strategies against a target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "fovea/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNVERIFYSTRATEGIES
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

/// A kernel decodes the number of its task by its strategy, so that one grid alone is right. That of parts of the keys
/// depends on how many there are, which the plan decides.
static LogicalResult verifyGrid(AttentionOp op, LaunchAttr launch) {
  StrategyAttr strategy = *op.getStrategy();
  if (strategy.hasPartialResults())
    return success();
  SmallVector<AffineExpr> needed = getKernelGrid(strategy, AffineExpr());
  AffineMap grid = launch.getGrid().getValue();
  if (llvm::equal(grid.getResults(), needed))
    return success();
  AffineMap right = AffineMap::get(0, kNumProblemSymbols, needed, op.getContext());
  return op.emitError() << "the strategy needs the grid " << AffineMapAttr::get(right) << ", but attn.launch has "
                        << launch.getGrid();
}

namespace {
struct AttnVerifyStrategies : attn::impl::AttnVerifyStrategiesBase<AttnVerifyStrategies> {
  using AttnVerifyStrategiesBase::AttnVerifyStrategiesBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) && succeeded(checkGivenOnce({&target}, report)));
  }

  void runOnOperation() override {
    TargetRegistry &registry = getTargetRegistry(&getContext());
    TargetAttr attr = registry.parse(target, [&] { return emitError(getOperation().getLoc()); });
    if (!attr)
      return signalPassFailure();
    const Target &backend = *registry.lookup(attr.getBackend());
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>()) {
      auto launch = kernel->getAttrOfType<LaunchAttr>(AttnDialect::getLaunchAttrName());
      if (launch && failed(verifyKernel(kernel, launch, backend, attr)))
        return signalPassFailure();
    }
  }

  static LogicalResult verifyKernel(func::FuncOp kernel, LaunchAttr launch, const Target &backend, TargetAttr target) {
    WalkResult result = kernel.walk([&](AttentionOp op) -> WalkResult {
      if (op.getStrategy() && (failed(backend.verifyStrategy(op, target)) || failed(verifyKernelStrategy(op)) ||
                               failed(verifyGrid(op, launch))))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
