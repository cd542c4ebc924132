//===- Test.h - A few lines of test framework -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_TEST_TEST_H
#define FOVEA_RUNTIME_TEST_TEST_H

#include "fovea/runtime.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace fovea::test {

/// A test by name; they run in the order of their files.
struct Case {
  const char *name;
  void (*body)();
};
inline std::vector<Case> &getCases() {
  static std::vector<Case> cases;
  return cases;
}
inline int &getFailures() {
  static int failures = 0;
  return failures;
}
struct Registration {
  Registration(const char *name, void (*body)()) { getCases().push_back({name, body}); }
};

inline void fail(const char *file, int line, const std::string &text) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, text.c_str());
  ++getFailures();
}

/// Checks the status of a call and that its message holds `text`.
inline void checkStatus(fovea_status status, fovea_status expected, const char *text, const char *file, int line) {
  if (status != expected)
    fail(file, line,
         std::string("status ") + fovea_status_name(status) + ", expected " + fovea_status_name(expected) +
             "; message: " + (status == FOVEA_OK ? "" : fovea_last_error()));
  else if (status != FOVEA_OK && !std::strstr(fovea_last_error(), text))
    fail(file, line, std::string("the message is '") + fovea_last_error() + "', expected one with '" + text + "'");
}

} // namespace fovea::test

#define TEST(name)                                                                                                     \
  static void name();                                                                                                  \
  static fovea::test::Registration register##name(#name, name);                                                        \
  static void name()
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      fovea::test::fail(__FILE__, __LINE__, "failed: " #condition);                                                    \
  } while (false)
#define CHECK_OK(call) fovea::test::checkStatus(call, FOVEA_OK, "", __FILE__, __LINE__)
#define CHECK_FAILS(call, status, text) fovea::test::checkStatus(call, status, text, __FILE__, __LINE__)

#endif // FOVEA_RUNTIME_TEST_TEST_H
