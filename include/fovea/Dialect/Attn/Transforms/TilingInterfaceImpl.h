//===- TilingInterfaceImpl.h - Tiling of attn ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_TILINGINTERFACEIMPL_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_TILINGINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fovea::attn {
/// Tiling over batch, query heads and queries; see the head of the implementation for what a tile is.
void registerTilingInterfaceExternalModels(mlir::DialectRegistry &registry);
} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_TILINGINTERFACEIMPL_H
