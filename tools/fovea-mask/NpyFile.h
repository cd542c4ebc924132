//===- NpyFile.h - Captured data from npy files -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_FOVEA_MASK_NPYFILE_H
#define FOVEA_TOOLS_FOVEA_MASK_NPYFILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

/// An array in row-major order; integers up to 2^53 are exact.
struct Array {
  std::vector<int64_t> dims;
  std::vector<double> values;
};

/// Reads `path` as elements of `type` (i1, i32, f32, ...). Returns a message, empty where it was read.
std::string readNpyFile(const std::string &path, const std::string &type, Array &array);

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_MASK_NPYFILE_H
