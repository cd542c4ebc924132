//===- RaiseCalls.h - The example's own pass -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBED_RAISECALLS_H
#define EMBED_RAISECALLS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace embed {
/// `embed-raise-calls`: calls of the external function `@sdpa` become causal attention.
std::unique_ptr<mlir::Pass> createRaiseCalls();
/// Makes the pass known to command lines and `--pass-pipeline`.
void registerRaiseCalls();
} // namespace embed

#endif // EMBED_RAISECALLS_H
