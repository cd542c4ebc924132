//===- Registration.h - What the developer tools know -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_COMMON_REGISTRATION_H
#define FOVEA_TOOLS_COMMON_REGISTRATION_H

#include "fovea/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

namespace fovea {
/// Upstream's dialects and extensions beside Fovea's.
inline void registerToolDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  fovea::registerAllDialects(registry);
}

/// Upstream's passes beside Fovea's.
inline void registerToolPasses() {
  mlir::registerAllPasses();
  fovea::registerAllPasses();
}
} // namespace fovea

#endif // FOVEA_TOOLS_COMMON_REGISTRATION_H
