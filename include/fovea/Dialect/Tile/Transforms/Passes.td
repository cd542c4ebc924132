//===- Passes.td - Passes of the attn_tile dialect ---------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define FOVEA_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // FOVEA_DIALECT_TILE_TRANSFORMS_PASSES_TD
