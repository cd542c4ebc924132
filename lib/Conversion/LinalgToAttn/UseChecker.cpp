//===- UseChecker.cpp - Other uses of what a match computes -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UseChecker.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fovea::conversion;

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
