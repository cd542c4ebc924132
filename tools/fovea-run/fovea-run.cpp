//===- fovea-run.cpp - Runs compiled attention -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"
#include "Runner.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <new>

using namespace fovea::run;

namespace {

/// Runs `body`; a failure with a message where it fails, one without otherwise.
template <typename Body> Failure guard(Body body) {
  try {
    body();
    return {};
  } catch (const Failure &failure) {
    return failure.message.empty() ? Failure{"failed"} : failure;
  } catch (const std::bad_alloc &) {
    return {"out of memory"};
  } catch (const std::exception &exception) {
    return {exception.what()};
  }
}

void write(const std::string &path, const std::string &text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  std::ofstream file(path);
  if (!(file << text << std::flush))
    failWith("cannot write %s: %s", path.c_str(), std::strerror(errno));
}

void runOne(Runner &runner, const Options &options) {
  if (options.describe || !options.dumpCode.empty()) {
    std::cout << runner.describe(options);
    if (options.describe)
      return;
  }
  Report report;
  Failure failure = guard([&] { runner.run(options, report); });
  report.error = failure.message;
  if (!options.json.empty())
    write(options.json, toJson(report) + "\n");
  if (options.json != "-" && !report.signature.empty())
    std::cout << toText(report);
  if (!report.ok)
    throw Failure(failure);
}

/// The line of a case: for scripts and people.
std::string toLine(int number, const Report &report) {
  std::string line = "case " + std::to_string(number) + (report.ok ? ": ok" : ": failed: " + report.error);
  for (const StepReport &step : report.steps)
    line += " variant=" + step.variant;
  if (!report.ok)
    return line;
  char text[64];
  for (const Comparison &comparison : report.comparisons) {
    std::snprintf(text, sizeof text, "=%.3g", comparison.ratio);
    line += " " + comparison.output + "." + comparison.rule + text;
  }
  if (report.iterations) {
    std::snprintf(text, sizeof text, " time_us=%.3f tflops=%.4g", report.medianSeconds * 1e6, report.teraflops);
    line += text;
  }
  return line;
}

/// One line for each case of the file; the options of the program come first on each.
void runCases(Runner &runner, const Options &options, std::vector<std::string> common) {
  std::ifstream file(options.cases);
  if (!file)
    failWith("cannot open %s: %s", options.cases.c_str(), std::strerror(errno));
  std::ofstream out;
  if (!options.json.empty() && options.json != "-")
    out.open(options.json);
  if (!options.json.empty() && options.json != "-" && !out)
    failWith("cannot write %s: %s", options.json.c_str(), std::strerror(errno));
  int failed = 0, count = 0;
  for (std::string line; std::getline(file, line);) {
    Report report;
    bool empty = false;
    report.name = std::to_string(count);
    Failure failure = guard([&] {
      std::vector<std::string> words = splitWords(line);
      if ((empty = words.empty()))
        return;
      words.insert(words.begin(), common.begin(), common.end());
      Options one = parseOptions(words);
      if (one.caseName.empty())
        one.caseName = report.name;
      report.name = one.caseName;
      runner.run(one, report);
    });
    report.error = failure.message;
    if (empty && report.error.empty())
      continue;
    // The cases that follow would fail for nothing: end here, so that a caller can go on in a new process.
    if (!report.ok && runner.isDeviceLost())
      failWith("case %d lost the device: %s", count, report.error.c_str());
    std::cout << (options.json == "-" ? toJson(report) : toLine(count, report)) << std::endl;
    if (out.is_open() && !(out << toJson(report) << std::endl))
      failWith("cannot write %s: %s", options.json.c_str(), std::strerror(errno));
    ++count;
    failed += !report.ok;
  }
  if (count == 0)
    failWith("%s has no cases", options.cases.c_str());
  if (failed)
    failWith("%d of %d cases failed", failed, count);
}

void runAll(const std::vector<std::string> &words) {
  Options options = parseOptions(words);
  if (options.help) {
    std::cout << kUsage;
    return;
  }
  Runner runner;
  if (options.cases.empty())
    return runOne(runner, options);
  std::vector<std::string> common;
  for (const std::string &word : words)
    if (word.compare(0, 8, "--cases=") != 0 && word.compare(0, 7, "--json=") != 0)
      common.push_back(word);
  runCases(runner, options, common);
}

} // namespace

int main(int argc, char **argv) {
  Failure failure = guard([&] { runAll(std::vector<std::string>(argv + (argc > 0), argv + argc)); });
  // What a script never reads has not been said.
  if (!(std::cout << std::flush) && failure.message.empty())
    failure.message = std::string("cannot write standard output: ") + std::strerror(errno);
  if (failure.message.empty())
    return 0;
  if (!failure.isShown)
    std::cerr << "fovea-run: error: " << failure.message << "\n";
  return 1;
}
