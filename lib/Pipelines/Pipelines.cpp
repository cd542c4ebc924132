//===- Pipelines.cpp - Fovea's pipelines as library functions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Pipelines/Pipelines.h"
#include "fovea/Conversion/Passes.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "fovea/Target/KernelModules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fovea;

void fovea::buildPlanPipeline(OpPassManager &pm, StringRef target, const PlanOptions &planOptions) {
  pm.addPass(attn::createAttnKeepTruncations());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  attn::AttnPlanOptions options;
  options.target = target.str();
  options.strategy = planOptions.strategy;
  options.tuning = planOptions.tuning;
  pm.addPass(attn::createAttnPlan(options));
}

void fovea::buildTilePipeline(OpPassManager &pm) {
  pm.addPass(attn::createAttnKeepTruncations());
  pm.addNestedPass<func::FuncOp>(conversion::createAttnToTilePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

namespace {
struct PlanPipelineOptions : PassPipelineOptions<PlanPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("Target to plan for: cpu, cpu:NAME or a chip (sm_80)"),
                             llvm::cl::init("cpu")};
  Option<std::string> strategy{*this, "strategy", llvm::cl::desc("As of attn-plan"), llvm::cl::init("")};
  Option<std::string> tuning{*this, "tuning", llvm::cl::desc("As of attn-plan"), llvm::cl::init("")};
};
} // namespace

void fovea::registerPipelines() {
  // What `PassPipelineRegistration` does, but for the check.
  registerPassPipeline(
      "attn-plan-pipeline", "Canonicalises attention ops, plans them for a target and outlines their kernels",
      [](OpPassManager &pm, StringRef text, function_ref<LogicalResult(const Twine &)> report) -> LogicalResult {
        PlanPipelineOptions options;
        if (failed(options.parseFromString(text)) ||
            failed(checkGivenOnce({&options.target, &options.strategy, &options.tuning}, report)))
          return failure();
        buildPlanPipeline(pm, options.target, {options.strategy, options.tuning});
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> show) { show(PlanPipelineOptions()); });
  PassPipelineRegistration<>("attn-tile-pipeline", "Converts kernel functions to loops on tiles and cleans up",
                             [](OpPassManager &pm) { buildTilePipeline(pm); });
}

LogicalResult fovea::runPasses(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module.getContext());
  (void)applyPassManagerCLOptions(pm);
  applyDefaultTimingPassManagerCLOptions(pm);
  build(pm);
  return pm.run(module);
}

/// Refuses strategies that were given or written by hand, before any code is made of them.
static void addStrategyCheck(OpPassManager &pm, StringRef target) {
  attn::AttnVerifyStrategiesOptions options;
  options.target = target.str();
  pm.addPass(attn::createAttnVerifyStrategies(options));
}

FailureOr<PlannedModule> fovea::planModule(ModuleOp module, StringRef target, const PlanOptions &options) {
  PlannedModule result;
  result.targetName = target.str();
  TargetRegistry &registry = getTargetRegistry(module.getContext());
  result.target = registry.parse(target, [&] { return emitError(module.getLoc()); });
  if (!result.target)
    return failure();
  result.backend = registry.lookup(result.target.getBackend());
  result.planned = module.clone();
  // The options may be for another one of several targets.
  PlanOptions own = options;
  if (!result.backend->hasTuning(result.target))
    own.tuning.clear();
  if (failed(runPasses(*result.planned, [&](OpPassManager &pm) {
        buildPlanPipeline(pm, target, own);
        addStrategyCheck(pm, target);
      })))
    return failure();
  result.kernels = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(result.kernels->getBody());
  for (Operation &op : result.planned->getOps())
    if (isa<memref::GlobalOp>(op) || isKernel(&op))
      builder.clone(op);
  return result;
}

LogicalResult fovea::runPassesOnKernels(ModuleOp kernels, llvm::function_ref<void(OpPassManager &)> build) {
  splitKernels(kernels);
  PassManager pm(kernels.getContext());
  // All that they leave is verified below; a verification after each of them costs as much as the passes.
#ifdef NDEBUG
  pm.enableVerifier(false);
#endif
  (void)applyPassManagerCLOptions(pm);
  applyDefaultTimingPassManagerCLOptions(pm);
  build(pm.nest<ModuleOp>());
  LogicalResult result = pm.run(kernels);
  if (succeeded(result))
    result = verify(kernels);
  mergeKernels(kernels);
  return result;
}

LogicalResult fovea::lowerToTiles(PlannedModule &module) {
  return runPassesOnKernels(*module.kernels, [&](OpPassManager &pm) {
    addStrategyCheck(pm, module.targetName);
    buildTilePipeline(pm);
  });
}

LogicalResult fovea::lowerKernels(PlannedModule &module, const TargetOptions &options) {
  return runPassesOnKernels(*module.kernels,
                            [&](OpPassManager &pm) { module.backend->buildPipeline(pm, module.target, options); });
}
