//===- Options.h - The command line of one run -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_OPTIONS_H
#define FOVEA_RUN_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::run {

/// SOURCE[,dims=a:b][,strides=a:b][,offset=N][,...]: where a value comes from and how it is viewed.
struct ValueSpec {
  std::string source;
  std::optional<std::vector<int64_t>> dims, strides;
  int64_t offset = 0;
  /// Of `--expect`.
  std::optional<double> atol, rtol;
  bool bits = false;
};

/// `--dim=N`, or `--dim=ARGUMENT.DIMENSION=N` with a name or number of the argument.
struct DimSpec {
  std::string argument;
  int dimension = -1;
  int64_t size;
};

struct Options {
  std::string file, function, target, json, dumpCode, caseName;
  std::vector<ValueSpec> arguments, outputs, expected;
  std::vector<DimSpec> dims;
  std::vector<std::string> compileOptions;
  bool random = false, check = false, guard = false, bench = false, describe = false, flush = false, help = false,
       withReference = false;
  int64_t sample = 0, iterations = 0, seed = 0, threads = 0, device = 0;
  double approx = 0;
  std::string cases;
};

/// The text of `--help`.
extern const char *const kUsage;

/// Parses the words after the program's name; throws a failure for a word that is wrong.
Options parseOptions(const std::vector<std::string> &words);

/// Splits a line of a case file into words at blanks; quotes ' and " keep blanks, # begins a comment.
std::vector<std::string> splitWords(const std::string &line);

} // namespace fovea::run

#endif // FOVEA_RUN_OPTIONS_H
