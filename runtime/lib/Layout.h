//===- Layout.h - Addresses of strided tensors -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_LAYOUT_H
#define FOVEA_RUNTIME_LAYOUT_H

#include <cstdint>

namespace fovea::runtime {

/// A strided tensor with at least one element; strides and `elementSize` in bytes.
struct Layout {
  uint64_t base;
  int rank;
  int64_t sizes[8], strides[8];
  int64_t elementSize;
};

/// Addresses [begin, end) that a layout touches; false where they are not below 2^63.
bool getExtent(const Layout &layout, uint64_t *begin, uint64_t *end);

/// What a search for a common address found; Unknown where it was too long.
enum class Overlap { None, Some, Unknown };

/// Whether two different elements of a layout share a byte.
Overlap findSelfOverlap(const Layout &layout);

/// Whether an element of `a` and one of `b` share a byte.
Overlap findOverlap(const Layout &a, const Layout &b);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_LAYOUT_H
