//===- Upstream.h - What the pipelines need of MLIR -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_UPSTREAM_H
#define FOVEA_LIB_PIPELINES_UPSTREAM_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fovea {
/// Upstream's dialects that host functions and regions are made of, and the interface implementations by which the
/// pipelines bufferize, convert to the LLVM dialect and translate. Nothing is registered twice where a program has
/// registered all of upstream already.
void registerUpstreamDialects(mlir::DialectRegistry &registry);
} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_UPSTREAM_H
