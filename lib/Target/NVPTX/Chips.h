//===- Chips.h - The GPUs that code can be generated for -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_CHIPS_H
#define FOVEA_LIB_TARGET_NVPTX_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace fovea::nvptx {

/// A row of the table of chips.
struct Chip {
  llvm::StringLiteral name;
  /// Shared memory that one thread block may use, in bytes.
  int64_t sharedBytes;
  /// Warps that one multiprocessor holds.
  int64_t maxWarps;
  /// Lowest PTX version (times ten) that names the chip.
  int minPtxVersion;
  /// Whether its code runs on no other chip (names that end in `a`).
  bool specific;
  /// Whether it has bulk copies by tensor maps and warpgroup products (`wgmma`).
  bool warpgroups = false;
  /// Whether thread blocks of a cluster, up to 16, read each other's shared memory.
  bool clusters = false;
};

/// The chips, oldest first.
llvm::ArrayRef<Chip> getChips();

/// The chip of a name, or null.
const Chip *lookupChip(llvm::StringRef name);

/// Shared memory that a thread block may use on the chip and, unless its code is specific, on every later one, where
/// the driver compiles the same PTX.
int64_t getPortableSharedBytes(const Chip &chip);

/// Shared memory that the system takes of each block; a multiprocessor has as much more than one block may use.
constexpr int64_t kReservedShared = 1024;

/// What a thread block may use of `sharedBytes`, those of a block on its own, where a multiprocessor holds `blocks`.
constexpr int64_t getSharedBytesOfBlock(int64_t sharedBytes, int64_t blocks) {
  return (sharedBytes + kReservedShared) / blocks - kReservedShared;
}

/// PTX versions (times ten) that the code generator knows, from the lowest with this target's instructions.
llvm::ArrayRef<int> getPtxVersions();

/// Lowest PTX version with `mma.sync` of bf16 and TF32, `ldmatrix` and `cp.async`.
constexpr int kMinPtxVersion = 70;

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_CHIPS_H
