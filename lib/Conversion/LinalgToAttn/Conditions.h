//===- Conditions.h - Which pairs of query and key are kept -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_CONDITIONS_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_CONDITIONS_H

#include "AttentionMatcher.h"

namespace fovea::conversion {

/// The conditions whose conjunction `conditions` is: conjunctions are taken apart, negated comparisons turned round,
/// constant matrices that keep a band along the diagonal are comparisons of positions, and what is always true is left
/// out.
llvm::SmallVector<Condition> splitConditions(Expressions &expressions, llvm::ArrayRef<Condition> conditions);

/// Whether a split condition is certainly true at all positions.
bool holdsEverywhere(Expressions &expressions, const Condition &condition);

/// Whether it is certain that in each row some key fulfils all conditions (given that there is a key). The conditions
/// are split ones.
bool everyRowKeepsKey(Expressions &expressions, llvm::ArrayRef<Condition> conditions, const AttentionMatch &match);

/// Adds the loops whose index a term computes with.
void collectIndexLoops(Expressions &expressions, Expr term, llvm::SetVector<LoopId> &loops);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_CONDITIONS_H
