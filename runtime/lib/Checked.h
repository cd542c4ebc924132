//===- Checked.h - Arithmetic that reports overflow -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_CHECKED_H
#define FOVEA_RUNTIME_CHECKED_H

#include <cstdint>

namespace fovea::runtime {

/// Each stores `a op b` in `*result` and returns false where it does not fit.
inline bool add(int64_t a, int64_t b, int64_t *result) { return !__builtin_add_overflow(a, b, result); }
inline bool subtract(int64_t a, int64_t b, int64_t *result) { return !__builtin_sub_overflow(a, b, result); }
inline bool multiply(int64_t a, int64_t b, int64_t *result) { return !__builtin_mul_overflow(a, b, result); }

/// Rounds towards minus infinity; `b` > 0.
inline int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }
/// Rounds towards plus infinity; `b` > 0.
inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b > 0); }
/// In [0, b); `b` > 0.
inline int64_t floorMod(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

/// Rounds a number of bytes up to a multiple of 128; false where it does not fit.
inline bool alignUp(int64_t bytes, int64_t *result) {
  if (!add(bytes, 127, result))
    return false;
  *result &= ~int64_t(127);
  return true;
}

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_CHECKED_H
