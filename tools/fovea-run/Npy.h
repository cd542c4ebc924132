//===- Npy.h - NumPy's file format -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_NPY_H
#define FOVEA_RUN_NPY_H

#include "Tensor.h"

#include <string>

namespace fovea::run {

/// Reads an .npy file (versions 1 to 3, little endian, either order) as a tensor of type `type`. The file must hold
/// that type; bf16 and f8 are read from f32 and rounded to nearest even, index from i64, i1 from bool.
Tensor readNpy(const std::string &path, fovea_type type);

/// Writes a tensor, contiguous; bf16 and f8 as f32.
void writeNpy(const std::string &path, const Tensor &tensor);

} // namespace fovea::run

#endif // FOVEA_RUN_NPY_H
