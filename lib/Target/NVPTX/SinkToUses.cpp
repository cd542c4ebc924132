//===- SinkToUses.cpp - Orders scalar code element by element -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "llvm/ADT/DenseMap.h"
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

namespace {
/// The order of a block's instructions while they are moved. LLVM's own is numbered anew after each move, which takes
/// the square of the block's length; here labels with gaps between them are spread a few at a time (Dietz and Sleator).
class BlockOrder {
public:
  explicit BlockOrder(llvm::BasicBlock &block) {
    constexpr uint64_t kGap = uint64_t(1) << 32;
    uint64_t label = 0;
    for (llvm::Instruction &instruction : block)
      labels[&instruction] = label += kGap;
  }

  bool comesBefore(const llvm::Instruction *lhs, const llvm::Instruction *rhs) const {
    return labels.at(lhs) < labels.at(rhs);
  }
  /// Moves `instruction` to the front of a later one of its block.
  void moveBefore(llvm::Instruction &instruction, llvm::Instruction &user);

private:
  void makeRoomBefore(llvm::Instruction &instruction);

  llvm::DenseMap<const llvm::Instruction *, uint64_t> labels;
};
} // namespace

/// Spreads what follows the predecessor of `instruction` up to the first one that is further off than the square of the
/// number of those before it. Beyond the end of the block there is room.
void BlockOrder::makeRoomBefore(llvm::Instruction &instruction) {
  uint64_t start = labels.at(instruction.getPrevNode()), count = 1, room = 0;
  for (llvm::Instruction *next = &instruction;; next = next->getNextNode(), ++count) {
    room = next ? labels.at(next) - start : std::max<uint64_t>(2 * count * count, 2 * room);
    if (room > count * count)
      break;
  }
  llvm::Instruction *next = &instruction;
  for (uint64_t i = 1; i < count; ++i, next = next->getNextNode())
    labels[next] = start + room / count * i;
}

void BlockOrder::moveBefore(llvm::Instruction &instruction, llvm::Instruction &user) {
  if (instruction.getNextNode() == &user)
    return;
  makeRoomBefore(user);
  uint64_t before = labels.at(user.getPrevNode());
  labels[&instruction] = before + (labels.at(&user) - before) / 2;
  instruction.moveBefore(user.getIterator());
}

/// The first user, if all users are in the instruction's block and none is a phi.
static llvm::Instruction *findFirstUser(llvm::Instruction &instruction, const BlockOrder &order) {
  llvm::Instruction *first = nullptr;
  for (llvm::User *user : instruction.users()) {
    auto *other = llvm::cast<llvm::Instruction>(user);
    if (other->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(other))
      return nullptr;
    if (!first || order.comesBefore(other, first))
      first = other;
  }
  return first;
}

/// Whether `value` is what a matrix instruction or the wait for one gives.
static bool isMatrixResult(const llvm::Value *value) {
  const auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(value);
  const auto *call = extract ? llvm::dyn_cast<llvm::CallBase>(extract->getAggregateOperand()) : nullptr;
  return call && (call->isInlineAsm() ||
                  (call->getCalledFunction() && call->getCalledFunction()->getName().starts_with("llvm.nvvm.mma.")));
}

namespace {
/// Sums of such results. Parts of a product are added where they are made: one sum takes fewer registers than they do.
class PartSums {
public:
  bool contains(const llvm::Instruction &instruction) {
    return instruction.getOpcode() == llvm::Instruction::FAdd && isMatrixSum(&instruction);
  }

private:
  bool isMatrixSum(const llvm::Value *value) {
    const auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!sum || sum->getOpcode() != llvm::Instruction::FAdd)
      return isMatrixResult(value);
    auto [it, isNew] = known.try_emplace(sum, false);
    if (!isNew)
      return it->second;
    bool result = isMatrixSum(sum->getOperand(0)) && isMatrixSum(sum->getOperand(1));
    return known[sum] = result;
  }

  llvm::DenseMap<const llvm::BinaryOperator *, bool> known;
};
} // namespace

/// Vectors leave code in which each operation is done for all elements before the next one, and each step's results
/// stay live at once. Moving every instruction to its first use, the last ones first, orders it element by element.
void nvptx::sinkToUses(llvm::Module &module) {
  PartSums sums;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      BlockOrder order(block);
      for (auto it = block.rbegin(); it != block.rend();) {
        llvm::Instruction &instruction = *it++;
        if (!canSink(instruction) || sums.contains(instruction))
          continue;
        if (llvm::Instruction *user = findFirstUser(instruction, order))
          order.moveBefore(instruction, *user);
      }
    }
}
