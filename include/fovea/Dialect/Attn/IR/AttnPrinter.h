//===- AttnPrinter.h - Words of attention ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNPRINTER_H
#define FOVEA_DIALECT_ATTN_IR_ATTNPRINTER_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// Prints the clauses of the band that an op keeps, ` causal(top_left) window(127, *)`, each behind a space, and
/// nothing where it has none. `printDiagonal` prints the diagonal.
void printBand(llvm::raw_ostream &os, AttentionOp op, llvm::function_ref<void()> printDiagonal);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_IR_ATTNPRINTER_H
