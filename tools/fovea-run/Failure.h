//===- Failure.h - An error that ends one run -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_FAILURE_H
#define FOVEA_RUN_FAILURE_H

#include "fovea/runtime.h"

#include <string>

namespace fovea::run {

/// Thrown for everything a user can get wrong; the message is one line, in lower case and without a full stop.
struct Failure {
  std::string message;
  /// Another program has told the user already.
  bool isShown = false;
};

/// Throws a failure with a message in the style of printf.
[[noreturn]] void failWith(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Throws the runtime's message where a call failed.
void require(fovea_status status);

} // namespace fovea::run

#endif // FOVEA_RUN_FAILURE_H
