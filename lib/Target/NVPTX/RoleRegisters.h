//===- RoleRegisters.h - Registers of the roles of a kernel -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_ROLEREGISTERS_H
#define FOVEA_LIB_TARGET_NVPTX_ROLEREGISTERS_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::nvptx {

/// Registers of a thread of each role; 0: as many as at the start. The pool of a multiprocessor is 65536, and what the
/// roles take together must not exceed what the block had at its start.
struct RoleRegisters {
  int64_t compute, copy;

  /// With `numWarpgroups` computing warpgroups; of one alone a multiprocessor holds `minBlocks` thread blocks, whose
  /// threads start with 128, 80 or 64 registers where there are 2, 3 or 4.
  static RoleRegisters get(int64_t numWarpgroups, int64_t minBlocks) {
    switch (minBlocks) {
    case 2:
      return {216, 40};
    case 3:
      return {136, 24};
    case 4:
      return {104, 24};
    }
    if (numWarpgroups == 2)
      return {240, 24};
    if (numWarpgroups == 3)
      return {160, 32};
    return {0, 0};
  }

  /// What kernels are planned for: one warpgroup alone has no more tiles than one of two.
  static int64_t getOfCompute(int64_t numWarpgroups, int64_t minBlocks) {
    RoleRegisters registers = get(numWarpgroups, minBlocks);
    return registers.compute ? registers.compute : get(/*numWarpgroups=*/2, minBlocks).compute;
  }
};

/// One instruction of a product of `strategy`, which computes 64 rows of some of the product's columns. The assembler
/// takes none that needs more registers than a thread has at the start of its block, whatever the roles exchange later.
struct ProductInstruction {
  int64_t columns, registers, atStart;

  bool fits() const { return registers <= atStart; }

  /// An instruction for `columns` columns, or, where that does not fit, for a panel of them.
  static ProductInstruction get(attn::StrategyAttr strategy, int64_t columns, bool lhsInRegisters);
  /// The one that needs the most registers, at a V of `vDepth` columns.
  static ProductInstruction getWidest(attn::StrategyAttr strategy, int64_t vDepth);
};

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_ROLEREGISTERS_H
