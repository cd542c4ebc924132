//===- File.h - Files of the C library -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_FILE_H
#define FOVEA_RUN_FILE_H

#include <cstdio>
#include <memory>

namespace fovea::run {

struct FileCloser {
  void operator()(FILE *file) const { std::fclose(file); }
};
/// An open file, closed at the end of its life.
using File = std::unique_ptr<FILE, FileCloser>;

} // namespace fovea::run

#endif // FOVEA_RUN_FILE_H
