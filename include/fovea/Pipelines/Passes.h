//===- Passes.h - Passes that use the whole compiler -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PIPELINES_PASSES_H
#define FOVEA_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace fovea::pipelines {
#define GEN_PASS_DECL
#include "fovea/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fovea/Pipelines/Passes.h.inc"
} // namespace fovea::pipelines

#endif // FOVEA_PIPELINES_PASSES_H
