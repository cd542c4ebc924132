//===- LinalgToAttn.cpp - Raises structured operations to attention -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"
#include "Conditions.h"
#include "fovea/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {
/// What lies behind a value, as far as elementwise operations and reductions lead back.
enum Behind : unsigned { None = 0, Product = 1, Exponential = 2, Sum = 4 };

/// Second products in one pass over the operations: sums of products of something behind which an exponential of a
/// product lies that is also summed.
class CandidateFinder {
public:
  SmallVector<linalg::LinalgOp> find(Operation *root);

private:
  unsigned visitStructured(linalg::LinalgOp op, unsigned behind);
  bool isSummed(Value weights);

  DenseMap<Value, unsigned> state;
  SmallVector<linalg::LinalgOp> candidates;
};
} // namespace

static bool hasExponential(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) { return isa<math::ExpOp, math::Exp2Op>(inner); });
}

/// Whether the exponential behind `weights` is summed somewhere: in the weights, or beside them for a division that
/// comes later.
bool CandidateFinder::isSummed(Value weights) {
  for (unsigned step = 0; step < 16; ++step) {
    if (state.lookup(weights) & Sum)
      return true;
    for (Operation *user : weights.getUsers())
      if (auto op = dyn_cast<linalg::LinalgOp>(user); op && op.getNumReductionLoops() && op.getNumDpsInputs() == 1)
        return true;
    auto op = weights.getDefiningOp<linalg::LinalgOp>();
    if (!op || op.getNumReductionLoops())
      return false;
    SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
    auto *next = llvm::find_if(inputs, [&](OpOperand *operand) {
      return state.lookup(operand->get()) & (hasExponential(op) ? Product : Exponential);
    });
    if (hasExponential(op) || next == inputs.end())
      return false;
    weights = (*next)->get();
  }
  return false;
}

unsigned CandidateFinder::visitStructured(linalg::LinalgOp op, unsigned behind) {
  if (!op.getNumReductionLoops())
    return hasExponential(op) && (behind & Product) ? behind | Exponential : behind;
  if (op.getNumDpsInputs() < 2)
    return behind & Exponential ? behind | Sum : behind;
  for (OpOperand *operand : op.getDpsInputOperands())
    if ((state.lookup(operand->get()) & Exponential) && isSummed(operand->get())) {
      candidates.push_back(op);
      break;
    }
  return Product;
}

SmallVector<linalg::LinalgOp> CandidateFinder::find(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    unsigned behind = None;
    for (Value operand : op->getOperands())
      behind |= state.lookup(operand);
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      behind = structured.hasPureTensorSemantics() ? visitStructured(structured, behind) : unsigned(None);
    } else if (isa<linalg::SoftmaxOp>(op)) {
      behind = behind & Product ? behind | Exponential | Sum : behind;
    } else if (!isa_and_nonnull<tensor::TensorDialect>(op->getDialect())) {
      behind = None;
    }
    if (behind)
      for (Value result : op->getResults())
        state[result] = behind;
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return std::move(candidates);
}

//===----------------------------------------------------------------------===//
// Other uses
//===----------------------------------------------------------------------===//

namespace {
/// Finds out whether what a match computes on the way is used elsewhere too: the product and all that depends on it.
class UseChecker {
public:
  UseChecker(const Expressions &expressions, const AttentionMatch &match);

  /// An operation whose result is used elsewhere, or null.
  Operation *findOtherUse();

private:
  bool isBehindProduct(Operation *op);
  bool dies(Operation *op);

  const llvm::SetVector<Operation *> &visited;
  Operation *product, *root, *lse;
  DenseMap<Operation *, bool> behindProduct, dying;
};
} // namespace

UseChecker::UseChecker(const Expressions &expressions, const AttentionMatch &match)
    : visited(expressions.getVisited()), product(match.dot->origin), root(match.root.getDefiningOp()),
      lse(match.lse ? match.lse.getDefiningOp() : nullptr) {}

bool UseChecker::isBehindProduct(Operation *op) {
  if (op == product)
    return true;
  if (!visited.contains(op))
    return false;
  auto [it, isNew] = behindProduct.try_emplace(op, false);
  if (!isNew)
    return it->second;
  bool result = llvm::any_of(op->getOperands(), [&](Value operand) {
    return operand.getDefiningOp() && isBehindProduct(operand.getDefiningOp());
  });
  return behindProduct[op] = result;
}

/// Whether nothing will need `op` when root and LSE are replaced.
bool UseChecker::dies(Operation *op) {
  if (op == root || op == lse)
    return true;
  auto it = dying.find(op);
  if (it != dying.end())
    return it->second;
  bool result = wouldOpBeTriviallyDead(op) && llvm::all_of(op->getUsers(), [&](Operation *user) { return dies(user); });
  return dying[op] = result;
}

Operation *UseChecker::findOtherUse() {
  SmallVector<Operation *> worklist = {root};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!seen.insert(op).second || !isBehindProduct(op))
      continue;
    if (!llvm::all_of(op->getUsers(), [&](Operation *user) { return op == root || op == lse || dies(user); }))
      return op;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        worklist.push_back(producer);
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

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
  void runOnOperation() override;

private:
  void raise(RewriterBase &rewriter, linalg::LinalgOp candidate);
  void replace(RewriterBase &rewriter, Expressions &expressions, const AttentionMatch &match);
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
  replace(rewriter, expressions, match);
}

void AttnRaise::replace(RewriterBase &rewriter, Expressions &expressions, const AttentionMatch &match) {
  auto conditions = splitConditions(expressions, match.conditions);
  bool changesEmptyRows =
      !match.hasZeroRows && (match.hasMaskedScore || !everyRowKeepsKey(expressions, conditions, match));
  AttentionBuilder::Result result = AttentionBuilder(rewriter, expressions, match).build();
  Operation *root = match.root.getDefiningOp(), *lse = match.lse ? match.lse.getDefiningOp() : nullptr;
  if (changesEmptyRows)
    emitRemark(result.op.getLoc()) << "a row that keeps no key is zero here and NaN in what this was raised from";
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
