//===- Main.cpp - Runs the tests -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Test.h"

#include <cstdlib>

/// fovea-runtime-tests [PART]: tests whose name has PART in it.
int main(int argc, char **argv) {
  // The driver is opened once for the process: by the fake one there is CUDA everywhere.
  setenv("FOVEA_LIBCUDA", FOVEA_FAKE_CUDA, 1);
  int run = 0;
  for (const fovea::test::Case &test : fovea::test::getCases()) {
    if (argc > 1 && !std::strstr(test.name, argv[1]))
      continue;
    int before = fovea::test::getFailures();
    test.body();
    std::printf("%s %s\n", fovea::test::getFailures() == before ? "ok    " : "FAILED", test.name);
    ++run;
  }
  std::printf("%d tests, %d failures\n", run, fovea::test::getFailures());
  return fovea::test::getFailures() != 0 || run == 0;
}
