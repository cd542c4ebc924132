//===- Plan.cpp - Plans attention ops for a target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/Plan.h"
#include "fovea/Dialect/Attn/IR/StrategyText.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNPLAN
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

/// The variant of a given strategy.
static PlannedVariant makeGivenVariant(StrategyAttr strategy) {
  PlannedVariant variant{"given", IntegerSet(), strategy, AffineExpr(), {}, {}};
  SmallVector<AffineExpr> conditions = getStrategyConditions(strategy);
  if (!conditions.empty())
    variant.when = IntegerSet::get(0, kNumProblemSymbols, conditions, SmallVector<bool>(conditions.size(), false));
  if (strategy.hasPartialResults())
    variant.splits = getBalancedSplits(strategy, /*tasksEach=*/2);
  return variant;
}

namespace {
struct AttnPlan : attn::impl::AttnPlanBase<AttnPlan> {
  using AttnPlanBase::AttnPlanBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(checkGivenOnce({&target, &strategy, &tuning}, report)));
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetRegistry &registry = getTargetRegistry(&getContext());
    TargetAttr attr = registry.parse(target, [&] { return emitError(module.getLoc()); });
    if (!attr || failed(parseGiven()))
      return signalPassFailure();
    if (!tuning.empty() && !registry.lookup(attr.getBackend())->hasTuning(attr)) {
      emitError(module.getLoc()) << "tuning is '" << tuning << "', but the target '" << target
                                 << "' has no tuned strategies; leave it out";
      return signalPassFailure();
    }
    if (!tuning.empty()) {
      Builder b(&getContext());
      NamedAttribute file(kTuningOptionName, b.getStringAttr(tuning));
      attr = TargetAttr::get(&getContext(), attr.getBackend(), attr.getArch(), b.getDictionaryAttr(file));
    }
    SymbolTable symbols(module);
    for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!function->hasAttr(AttnDialect::getLaunchAttrName()) &&
          failed(planFunction(function, *registry.lookup(attr.getBackend()), attr, symbols)))
        return signalPassFailure();
  }

  /// Reads the option `strategy`.
  LogicalResult parseGiven() {
    std::string fault;
    if (strategy.empty() || (given = parseStrategy(strategy, &getContext(), fault)))
      return success();
    return emitError(getOperation().getLoc()) << fault;
  }

  /// The target's variants, or the given one and the target's last.
  FailureOr<SmallVector<PlannedVariant>> choose(AttentionOp op, const Target &backend, TargetAttr attr) {
    FailureOr<SmallVector<PlannedVariant>> variants = backend.plan(op, attr);
    if (failed(variants) || !given)
      return variants;
    PlannedVariant variant = makeGivenVariant(given);
    for (const PlannedVariant &own : *variants)
      if (own.combine)
        variant.combine = own.combine;
    return SmallVector<PlannedVariant>{variant, variants->back()};
  }

  LogicalResult planFunction(func::FuncOp function, const Target &backend, TargetAttr attr, SymbolTable &symbols) {
    SmallVector<AttentionOp> ops;
    function.walk([&](AttentionOp op) { ops.push_back(op); });
    for (auto [number, op] : llvm::enumerate(ops)) {
      if (op->hasAttr(AttnDialect::getPlanAttrName()))
        continue;
      FailureOr<SmallVector<PlannedVariant>> variants = choose(op, backend, attr);
      if (failed(variants))
        return failure();
      FailureOr<ArrayAttr> plan =
          outlineVariants(op, *variants, symbols, (function.getName() + "_attn" + Twine(number)).str());
      if (failed(plan))
        return failure();
      op->setAttr(AttnDialect::getPlanAttrName(), *plan);
    }
    return success();
  }

  /// The strategy of the options; null: the target chooses.
  StrategyAttr given;
};

} // namespace
