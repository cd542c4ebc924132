//===- ScoreCost.h - What a score function costs each pair -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_SCORECOST_H
#define FOVEA_LIB_TARGET_NVPTX_SCORECOST_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::nvptx {

/// Whether the scores of `op` are linear in the product of a query with a key and in the key's position, in most blocks
/// of pairs: the lowering (`LinearForm`) makes them one or two operations a pair. True without a score region.
bool hasLinearScore(attn::AttentionOp op);

/// Whether `op` has no bias, or one whose type says that it is the same for all queries: a table of the keys.
bool hasLinearBias(attn::AttentionOp op);

/// Whether linear scores have addends from memory, tables or such a bias: a register for each second pair, and another
/// operation. (Where a mask operand is read too that one decides.)
bool readsTables(attn::AttentionOp op);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_SCORECOST_H
