//===- FuzzReader.cpp - Fuzz target of the artifact reader -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReaderInput.h"

/// Build with -DFOVEA_BUILD_FUZZERS=ON (Clang); run as `fovea-fuzz-reader CORPUS`, where make-test-artifact made the
/// corpus.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fovea::test::readInput(data, size);
  return 0;
}
