//===- Passes.h - Pass declarations -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TILE_TRANSFORMS_PASSES_H
#define FOVEA_TILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace fovea::tile {
#define GEN_PASS_DECL
#include "fovea/Dialect/Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fovea/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fovea::tile

#endif // FOVEA_TILE_TRANSFORMS_PASSES_H
