//===- Guard.h - Failed allocations as a status -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_GUARD_H
#define FOVEA_RUNTIME_GUARD_H

#include "Error.h"

#include <exception>
#include <new>

namespace fovea::runtime {

/// Runs `body`, which may allocate: no exception leaves the C API.
template <typename Body> fovea_status guard(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(FOVEA_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &exception) {
    return fail(FOVEA_UNSUPPORTED, "%s", exception.what());
  }
}

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_GUARD_H
