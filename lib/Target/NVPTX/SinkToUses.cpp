//===- SinkToUses.cpp - Orders scalar code element by element -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace fovea;

/// Whether nothing but its operands decides what an instruction gives.
static bool canSink(const llvm::Instruction &instruction) {
  if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator() || instruction.mayReadOrWriteMemory() ||
      instruction.mayHaveSideEffects())
    return false;
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return !call || !call->isConvergent();
}

/// The first user, if all users are in the instruction's block and none is a phi.
static llvm::Instruction *findFirstUser(llvm::Instruction &instruction) {
  llvm::Instruction *first = nullptr;
  for (llvm::User *user : instruction.users()) {
    auto *other = llvm::cast<llvm::Instruction>(user);
    if (other->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(other))
      return nullptr;
    if (!first || other->comesBefore(first))
      first = other;
  }
  return first;
}

/// Whether `value` is what a matrix instruction or the wait for one gives, or a sum of such.
static bool isMatrixSum(const llvm::Value *value) {
  if (const auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(value)) {
    const auto *call = llvm::dyn_cast<llvm::CallBase>(extract->getAggregateOperand());
    return call && (call->isInlineAsm() ||
                    (call->getCalledFunction() && call->getCalledFunction()->getName().starts_with("llvm.nvvm.mma.")));
  }
  const auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return sum && sum->getOpcode() == llvm::Instruction::FAdd && isMatrixSum(sum->getOperand(0)) &&
         isMatrixSum(sum->getOperand(1));
}

/// Parts of a product are added where they are made: one sum takes fewer registers than they do.
static bool isPartSum(const llvm::Instruction &instruction) {
  return instruction.getOpcode() == llvm::Instruction::FAdd && isMatrixSum(&instruction);
}

/// Vectors leave code in which each operation is done for all elements before the next one, and each step's results
/// stay live at once. Moving every instruction to its first use, the last ones first, orders it element by element.
void nvptx::sinkToUses(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (auto it = block.rbegin(); it != block.rend();) {
        llvm::Instruction &instruction = *it++;
        if (!canSink(instruction) || isPartSum(instruction))
          continue;
        if (llvm::Instruction *user = findFirstUser(instruction))
          instruction.moveBefore(user->getIterator());
      }
}
