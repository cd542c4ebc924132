//===- Passes.h - Passes of the NVPTX target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_NVPTX_PASSES_H
#define FOVEA_TARGET_NVPTX_PASSES_H

#include "mlir/Pass/Pass.h"

namespace fovea::nvptx {
#define GEN_PASS_DECL
#include "fovea/Target/NVPTX/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

#endif // FOVEA_TARGET_NVPTX_PASSES_H
