//===- LimitPasses.cpp - LLVM's passes that large kernels go without -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LimitPasses.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace fovea;
using namespace fovea::nvptx;

/// Straight-line strength reduction, which makes sums and products out of those before them.
static constexpr llvm::StringLiteral kStrengthReduction = "slsr";

/// Pairs that it may compare: some microseconds each, so that a kernel takes a few seconds at most. A table that each
/// pair of query and key reads at a place of its own makes a quarter of it.
static constexpr uint64_t kMostPairs = uint64_t(1) << 19;

/// Pairs of sums, of products and of addresses that have an operand in common.
static uint64_t countPairs(const llvm::Function &function) {
  llvm::DenseMap<std::pair<unsigned, const llvm::Value *>, uint64_t> uses;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    unsigned opcode = instruction.getOpcode();
    if (opcode == llvm::Instruction::Add || opcode == llvm::Instruction::Mul ||
        opcode == llvm::Instruction::GetElementPtr)
      for (const llvm::Value *operand : instruction.operand_values())
        ++uses[{opcode, operand}];
  }
  uint64_t pairs = 0;
  for (auto [key, count] : uses)
    pairs += count * count;
  return pairs;
}

PassLimits::PassLimits(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (countPairs(function) > kMostPairs)
      large.insert(("function (" + function.getName() + ")").str());
}

bool PassLimits::shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const {
  return pass != kStrengthReduction || !large.contains(description);
}
