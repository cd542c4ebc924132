//===- KnownDims.h - What is known of dimensions before a launch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_KNOWNDIMS_H
#define FOVEA_RUNTIME_KNOWNDIMS_H

#include "Model.h"

namespace fovea::runtime {

/// Fills `Value::same` from the equalities among the arguments' dimensions and constraints.
void findEqualDims(fovea_function &function);

/// Fills `Value::known` from constant dimensions and from constraints that say the same; after `findEqualDims`.
void findKnownDims(fovea_function &function);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_KNOWNDIMS_H
