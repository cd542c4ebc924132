//===- Error.h - Status and message of a call -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_ERROR_H
#define FOVEA_RUNTIME_ERROR_H

#include "fovea/runtime.h"

namespace fovea::runtime {

/// Stores a message for `fovea_last_error` of this thread, without allocation, and returns `status`. A message that is
/// too long for the buffer ends in "...".
fovea_status fail(fovea_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Refuses a null pointer for `what`.
fovea_status failNull(const char *what);

/// The message of this thread.
const char *lastError();

} // namespace fovea::runtime

/// Returns from the calling function where `expression` is not FOVEA_OK.
#define FOVEA_TRY(expression)                                                                                          \
  do {                                                                                                                 \
    if (fovea_status status_ = (expression); status_ != FOVEA_OK)                                                      \
      return status_;                                                                                                  \
  } while (false)

#endif // FOVEA_RUNTIME_ERROR_H
