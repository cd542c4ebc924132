//===- Chips.cpp - The GPUs that code can be generated for -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "llvm/ADT/STLExtras.h"

using namespace fovea;
using namespace fovea::nvptx;

static constexpr int64_t kKiB = 1024;

static constexpr Chip kChips[] = {
    // name, shared memory of a block, warps, PTX version, specific, warpgroups, clusters
    {"sm_80", 163 * kKiB, 64, 70, false},  {"sm_86", 99 * kKiB, 48, 71, false},
    {"sm_87", 163 * kKiB, 48, 74, false},  {"sm_89", 99 * kKiB, 48, 78, false},
    {"sm_90", 227 * kKiB, 64, 78, false},  {"sm_90a", 227 * kKiB, 64, 80, true, true, true},
    {"sm_100", 227 * kKiB, 64, 86, false}, {"sm_100a", 227 * kKiB, 64, 86, true},
    {"sm_103", 227 * kKiB, 64, 88, false}, {"sm_103a", 227 * kKiB, 64, 88, true},
    {"sm_120", 99 * kKiB, 48, 87, false},  {"sm_120a", 99 * kKiB, 48, 87, true},
    {"sm_121", 99 * kKiB, 48, 88, false},  {"sm_121a", 99 * kKiB, 48, 88, true},
};

static constexpr int kPtxVersions[] = {70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

llvm::ArrayRef<Chip> nvptx::getChips() { return kChips; }

llvm::ArrayRef<int> nvptx::getPtxVersions() { return kPtxVersions; }

const Chip *nvptx::lookupChip(llvm::StringRef name) {
  const Chip *chip = llvm::find_if(kChips, [&](const Chip &chip) { return chip.name == name; });
  return chip == std::end(kChips) ? nullptr : chip;
}

int64_t nvptx::getPortableSharedBytes(const Chip &chip) {
  int64_t bytes = chip.sharedBytes;
  if (chip.specific)
    return bytes;
  for (const Chip *later = &chip; later != std::end(kChips); ++later)
    bytes = std::min(bytes, later->sharedBytes);
  return bytes;
}
