//===- JoinConditions.cpp - One choice by several conditions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

using namespace fovea;

/// The conjunction or disjunction that makes `condition` and nothing else uses; null for another condition.
static llvm::BinaryOperator *getJoin(llvm::Value *condition) {
  auto *join = llvm::dyn_cast<llvm::BinaryOperator>(condition);
  bool isJoin = join && join->getType()->isIntegerTy(1) && join->hasOneUse() &&
                (join->getOpcode() == llvm::Instruction::And || join->getOpcode() == llvm::Instruction::Or);
  return isJoin ? join : nullptr;
}

/// The parts of `condition` that are joined by `opcode`.
static void collectParts(llvm::Value *condition, unsigned opcode, llvm::SmallVectorImpl<llvm::Value *> &parts) {
  llvm::BinaryOperator *join = getJoin(condition);
  if (!join || join->getOpcode() != opcode) {
    parts.push_back(condition);
    return;
  }
  collectParts(join->getOperand(0), opcode, parts);
  collectParts(join->getOperand(1), opcode, parts);
}

/// Builds `condition` as a chain in which each link is a comparison, as far as there are some: what is made of others
/// comes first, then what other conditions share, which so ends early.
static llvm::Value *buildChain(llvm::IRBuilder<> &builder, llvm::Value *condition) {
  llvm::BinaryOperator *join = getJoin(condition);
  if (!join)
    return condition;
  llvm::SmallVector<llvm::Value *> parts;
  collectParts(condition, join->getOpcode(), parts);
  auto getRank = [](llvm::Value *part) { return getJoin(part) ? 0 : part->hasOneUse() ? 2 : 1; };
  llvm::stable_sort(parts, [&](llvm::Value *lhs, llvm::Value *rhs) { return getRank(lhs) < getRank(rhs); });
  llvm::Value *chain = nullptr;
  for (llvm::Value *part : parts) {
    llvm::Value *link = buildChain(builder, part);
    chain = chain ? builder.CreateBinOp(join->getOpcode(), chain, link) : link;
  }
  return chain;
}

static void eraseUnused(llvm::Value *condition) {
  auto *join = llvm::dyn_cast<llvm::BinaryOperator>(condition);
  if (!join || !join->use_empty())
    return;
  llvm::SmallVector<llvm::Value *> operands(join->operands());
  join->eraseFromParent();
  llvm::for_each(operands, eraseUnused);
}

static void replaceByAsm(llvm::SelectInst &select) {
  llvm::IRBuilder<> builder(&select);
  llvm::Type *type = select.getType();
  llvm::Value *condition = select.getCondition();
  auto *function = llvm::FunctionType::get(type, {type, type, builder.getInt1Ty()}, /*isVarArg=*/false);
  auto *choice = llvm::InlineAsm::get(function, "selp.f32 $0, $1, $2, $3;", "=f,f,f,b", /*hasSideEffects=*/false);
  select.replaceAllUsesWith(
      builder.CreateCall(choice, {select.getTrueValue(), select.getFalseValue(), buildChain(builder, condition)}));
  select.eraseFromParent();
  eraseUnused(condition);
}

/// A comparison joins its result with another condition for nothing, but the code generator takes `x if p and q` for
/// `(x if p) if q`. It leaves what it can't read.
void nvptx::joinConditions(llvm::Function &function) {
  llvm::SmallVector<llvm::SelectInst *> selects;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
          select && select->getType()->isFloatTy() && getJoin(select->getCondition()))
        selects.push_back(select);
  llvm::for_each(selects, [](llvm::SelectInst *select) { replaceByAsm(*select); });
}
