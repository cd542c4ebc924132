//===- Captures.h - What the values of a function are -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_FOVEA_MASK_CAPTURES_H
#define FOVEA_TOOLS_FOVEA_MASK_CAPTURES_H

#include "PairEvaluator.h"

namespace fovea {

/// The sizes that a picture is of.
struct Sizes {
  int64_t queries = 0, keys = 0;
};

/// Values of the function around `op` from its `arguments` after Q, K and V in order (numbers, or npy files): scalars,
/// arrays, and what the function computes of them and of the sizes. Emits one error where an argument does not fit.
mlir::FailureOr<Environment> evaluateFunction(attn::AttentionOp op, const Sizes &sizes,
                                              llvm::ArrayRef<std::string> arguments);

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_MASK_CAPTURES_H
