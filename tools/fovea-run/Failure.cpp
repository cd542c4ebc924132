//===- Failure.cpp - An error that ends one run -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"

#include <cstdarg>
#include <cstdio>

namespace fovea::run {

void failWith(const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw Failure{text};
}

void require(fovea_status status) {
  if (status != FOVEA_OK)
    throw Failure{fovea_last_error()};
}

} // namespace fovea::run
