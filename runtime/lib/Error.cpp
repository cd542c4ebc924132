//===- Error.cpp - Status and message of a call -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace fovea::runtime {
namespace {
// Static thread-local memory comes out of a thread's stack, which may be 64 KiB: keep it small.
constexpr size_t kCapacity = 3072;
thread_local char message[kCapacity] = "";
} // namespace

fovea_status fail(fovea_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = std::vsnprintf(message, kCapacity, format, arguments);
  va_end(arguments);
  if (length >= static_cast<int>(kCapacity))
    std::strcpy(message + kCapacity - 4, "...");
  return status;
}

fovea_status failNull(const char *what) { return fail(FOVEA_INVALID_ARGUMENT, "%s is a null pointer", what); }

const char *lastError() { return message; }

} // namespace fovea::runtime

extern "C" {

const char *fovea_last_error(void) { return fovea::runtime::lastError(); }

const char *fovea_status_name(fovea_status status) {
  switch (status) {
  case FOVEA_OK:
    return "ok";
  case FOVEA_INVALID_ARGUMENT:
    return "invalid argument";
  case FOVEA_INVALID_ARTIFACT:
    return "invalid artifact";
  case FOVEA_UNSUPPORTED_VERSION:
    return "unsupported version";
  case FOVEA_NOT_FOUND:
    return "not found";
  case FOVEA_UNSUPPORTED:
    return "unsupported";
  case FOVEA_OUT_OF_MEMORY:
    return "out of memory";
  case FOVEA_IO:
    return "input/output error";
  case FOVEA_DRIVER:
    return "driver error";
  case FOVEA_OVERFLOW:
    return "overflow";
  }
  return "unknown status";
}
}
