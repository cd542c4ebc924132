//===- ScoreParts.h - How deep scores are summed up at once -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_SCOREPARTS_H
#define FOVEA_LIB_TARGET_NVPTX_SCOREPARTS_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::nvptx {

/// The `score_part` of a kernel of `op` whose products are those of `unit`; 0: one sum holds what it asks for. A matrix
/// instruction cuts off what it adds at the last bit of the largest addend, each step anew, so that the error of a
/// score grows with the square of the depth. Weights are rounded to 16 bits, so that it is LSE alone for which that
/// counts.
int64_t getScorePart(attn::AttentionOp op, attn::DotUnit unit);

/// `strategy` with the parts that `op` needs, unless it has some. A warpgroup then holds two accumulators of scores: a
/// block has as many keys as leave registers for them.
attn::StrategyAttr addScoreParts(attn::AttentionOp op, attn::StrategyAttr strategy);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_SCOREPARTS_H
