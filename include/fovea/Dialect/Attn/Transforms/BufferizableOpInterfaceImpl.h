//===- BufferizableOpInterfaceImpl.h - Bufferization of attn ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fovea::attn {
/// Ops on tensors become ops on memrefs under one-shot bufferization; destinations are written in place where the
/// analysis finds no conflict, tensors that a region reads included.
void registerBufferizableOpInterfaceExternalModels(mlir::DialectRegistry &registry);
} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
