//===- CandidateFinder.cpp - Second products after a softmax -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateFinder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea::conversion;

namespace {
/// What lies behind a value, as far as elementwise operations and reductions lead back.
enum Behind : unsigned { None = 0, Product = 1, Exponential = 2, Sum = 4 };
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
