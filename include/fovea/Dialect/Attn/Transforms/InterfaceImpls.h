//===- InterfaceImpls.h - External models of interfaces for attn ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_INTERFACEIMPLS_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_INTERFACEIMPLS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fovea::attn {
/// Bufferization in place of the destinations, which are overwritten and never read.
void registerBufferizableOpInterfaceExternalModels(mlir::DialectRegistry &registry);
/// Tiling over batch, query heads and queries.
void registerTilingInterfaceExternalModels(mlir::DialectRegistry &registry);
/// Partial reductions over the keys of attn.attention, merged by attn.combine; after the tiling interface.
void registerPartialReductionExternalModels(mlir::DialectRegistry &registry);
} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_INTERFACEIMPLS_H
