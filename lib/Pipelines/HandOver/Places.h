//===- Places.h - Where attention can become launches -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_HANDOVER_PLACES_H
#define FOVEA_LIB_PIPELINES_HANDOVER_PLACES_H

#include "mlir/IR/BuiltinOps.h"

namespace fovea {

/// An op around attention in whose regions it cannot become launches, and why as the end of a message.
struct Obstacle {
  mlir::Operation *around;
  std::string reason;
};

/// The innermost obstacle between `op` and the module that holds it, if there is one.
std::optional<Obstacle> findObstacle(mlir::Operation *op);

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_HANDOVER_PLACES_H
