//===- LinalgToAttn.cpp - Raises structured operations to attention -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"
#include "CandidateFinder.h"
#include "Conditions.h"
#include "UseChecker.h"
#include "fovea/Conversion/Passes.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fovea::conversion {
#define GEN_PASS_DEF_ATTNRAISE
#include "fovea/Conversion/Passes.h.inc"
} // namespace fovea::conversion

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// Erases an operation that nothing uses, and then what nothing uses any more; attention that was raised before stays,
/// to be canonicalized.
static void eraseDead(RewriterBase &rewriter, Operation *start) {
  llvm::SetVector<Operation *> worklist;
  worklist.insert(start);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!isOpTriviallyDead(op) || isa<attn::AttentionOp>(op))
      continue;
    llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), operands);
    rewriter.eraseOp(op);
    for (Value operand : operands)
      if (Operation *producer = operand.getDefiningOp())
        worklist.insert(producer);
  }
}

/// Users before the op would not see its result.
static bool areUsersAfter(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && op->isBeforeInBlock(ancestor);
  });
}

namespace {
struct AttnRaise : conversion::impl::AttnRaiseBase<AttnRaise> {
  using AttnRaiseBase::AttnRaiseBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(checkGivenOnce({&allowNarrowSoftmax, &moveScale}, report)));
  }

  void runOnOperation() override;

private:
  void raise(RewriterBase &rewriter, linalg::LinalgOp candidate);
  void replace(RewriterBase &rewriter, Expressions &expressions, const AttentionMatch &match,
               AttentionBuilder &builder);
  void canonicalize();

  SmallVector<Operation *> raised;
};
} // namespace

static void reportNearMiss(const NearMiss &miss) {
  emitRemark(miss.op->getLoc()) << "attention is not raised: " << miss.rule;
}

void AttnRaise::raise(RewriterBase &rewriter, linalg::LinalgOp candidate) {
  Expressions expressions(&getContext());
  AttentionMatcher matcher(expressions, {allowNarrowSoftmax, moveScale});
  LogicalResult result = matcher.match(candidate, /*finiteAsMask=*/true);
  if (succeeded(result) && matcher.getMatch().hasFiniteFill) {
    auto conditions = splitConditions(expressions, matcher.getMatch().conditions);
    if (!everyRowKeepsKey(expressions, conditions, matcher.getMatch()))
      result = matcher.match(candidate, /*finiteAsMask=*/false);
  }
  if (failed(result))
    return reportNearMiss(matcher.getNearMiss());
  AttentionMatch match = matcher.getMatch();
  if (match.lse && !areUsersAfter(match.lse, match.root.getDefiningOp()))
    match.lse = Value();
  if (Operation *op = UseChecker(expressions, match).findOtherUse())
    return reportNearMiss({op, "what is computed here between the two products has another use"});
  AttentionBuilder builder(rewriter, expressions, match);
  if (!builder.hasFittingSink())
    return reportNearMiss({match.sum->origin, "the sink is not one f32 number for each head"});
  replace(rewriter, expressions, match, builder);
}

void AttnRaise::replace(RewriterBase &rewriter, Expressions &expressions, const AttentionMatch &match,
                        AttentionBuilder &builder) {
  auto conditions = splitConditions(expressions, match.conditions);
  bool changesEmptyRows =
      !match.hasZeroRows && (match.hasMaskedScore || !everyRowKeepsKey(expressions, conditions, match));
  AttentionBuilder::Result result = builder.build();
  Operation *root = match.root.getDefiningOp(), *lse = match.lse ? match.lse.getDefiningOp() : nullptr;
  if (changesEmptyRows)
    emitRemark(result.op.getLoc()) << "a row that keeps no key is zero here and NaN in what this was raised from";
  if (match.hasFiniteFill && match.hasTensorInScore)
    emitRemark(result.op.getLoc())
        << "the mask's finite fill is -inf here; a bias that is as low makes other rows than in "
           "what this was raised from";
  rewriter.replaceAllUsesWith(match.root, result.root);
  if (lse)
    rewriter.replaceAllUsesWith(match.lse, result.lse);
  if (lse)
    eraseDead(rewriter, lse);
  eraseDead(rewriter, root);
  raised.push_back(result.op);
}

/// Conditions become causal and window, constants attributes.
void AttnRaise::canonicalize() {
  RewritePatternSet patterns(&getContext());
  attn::AttentionOp::getCanonicalizationPatterns(patterns, &getContext());
  SmallVector<Operation *> ops;
  for (Operation *op : raised)
    op->walk([&](Operation *inner) { ops.push_back(inner); });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

void AttnRaise::runOnOperation() {
  IRRewriter rewriter(&getContext());
  raised.clear();
  for (linalg::LinalgOp candidate : CandidateFinder().find(getOperation()))
    raise(rewriter, candidate);
  if (!raised.empty())
    canonicalize();
}
