//===- Report.h - What a run found -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_REPORT_H
#define FOVEA_RUN_REPORT_H

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace fovea::run {

/// One comparison with its bound; `ratio` is the largest error over its bound, NaN where a special value is wrong.
struct Comparison {
  std::string output, rule;
  double maxError = 0, bound = 0, ratio = 0;
  int64_t compared = 0, wrong = 0;
  /// Where the ratio is largest: row and column, and the two numbers.
  int64_t row = -1, column = -1;
  double got = 0, expected = 0;

  /// The error where the ratio is largest.
  double getWorstError() const { return row < 0 ? maxError : ratio == 0 ? 0 : std::fabs(got - expected); }
};

struct StepReport {
  std::string step, variant;
};

struct Report {
  std::string name, file, function, target, arch, device, signature, error;
  int threads = 0;
  std::vector<StepReport> steps;
  std::vector<Comparison> comparisons;
  double medianSeconds = 0, minSeconds = 0, loadSeconds = 0, teraflops = 0;
  int64_t iterations = 0, flops = -1;
  uint64_t workspaceBytes = 0;
  bool ok = false;
};

/// The report as one line of JSON.
std::string toJson(const Report &report);

/// The report for people.
std::string toText(const Report &report);

} // namespace fovea::run

#endif // FOVEA_RUN_REPORT_H
