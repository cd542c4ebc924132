//===- InitAll.h - Registers every dialect, pass and target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_INITALL_H
#define FOVEA_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace fovea {
/// Fovea's dialects with their interface implementations (bufferization, tiling) and targets, and what the pipelines
/// need of upstream's: a program needs no other registration to compile a module.
void registerAllDialects(mlir::DialectRegistry &registry);
/// Fovea's passes and pipelines, for `--pass-pipeline` and command lines.
void registerAllPasses();
} // namespace fovea

#endif // FOVEA_INITALL_H
