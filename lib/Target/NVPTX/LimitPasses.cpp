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

/// It compares what has the same operand or a related one, at up to some ten microseconds a pair: with these numbers of
/// instructions and of pairs a kernel takes a few seconds at most. Kernels that read a table at a place of its own for
/// each pair of query and key have up to half as many.
static constexpr uint64_t kMostInstructions = uint64_t(1) << 11, kMostPairs = uint64_t(1) << 18;

/// Whether there are too many sums, products and addresses, or too many pairs of them with an operand in common.
static bool isLarge(const llvm::Function &function) {
  llvm::DenseMap<std::pair<unsigned, const llvm::Value *>, uint64_t> uses;
  uint64_t instructions = 0, pairs = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    unsigned opcode = instruction.getOpcode();
    if (opcode != llvm::Instruction::Add && opcode != llvm::Instruction::Mul &&
        opcode != llvm::Instruction::GetElementPtr)
      continue;
    ++instructions;
    for (const llvm::Value *operand : instruction.operand_values())
      ++uses[{opcode, operand}];
  }
  for (auto [key, count] : uses)
    pairs += count * count;
  return instructions > kMostInstructions || pairs > kMostPairs;
}

PassLimits::PassLimits(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (isLarge(function))
      large.insert(("function (" + function.getName() + ")").str());
}

bool PassLimits::shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const {
  return pass != kStrengthReduction || !large.contains(description);
}
