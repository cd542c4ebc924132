//===- Report.cpp - What a run found -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace fovea::run {
namespace {

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char *pattern, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string quote(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (static_cast<unsigned char>(c) < 32)
      quoted += format("\\u%04x", c);
    else
      quoted += c;
  }
  return quoted + '"';
}

/// JSON has no NaN and no infinity: they are strings.
std::string number(double value) { return std::isfinite(value) ? format("%.9g", value) : quote(format("%g", value)); }

class Object {
public:
  Object &add(const char *key, const std::string &json) {
    text += (text.size() > 1 ? ", " : "") + quote(key) + ": " + json;
    return *this;
  }
  std::string finish() { return text + "}"; }

private:
  std::string text = "{";
};

template <typename T, typename F> std::string array(const std::vector<T> &items, F toItem) {
  std::string text = "[";
  for (const T &item : items)
    text += (text.size() > 1 ? ", " : "") + toItem(item);
  return text + "]";
}

std::string comparisonToJson(const Comparison &c) {
  Object object;
  object.add("output", quote(c.output)).add("rule", quote(c.rule)).add("max_error", number(c.maxError));
  object.add("bound", number(c.bound)).add("ratio", number(c.ratio)).add("compared", std::to_string(c.compared));
  object.add("wrong", std::to_string(c.wrong));
  return object.finish();
}

} // namespace

std::string toJson(const Report &report) {
  Object object;
  if (!report.name.empty())
    object.add("name", quote(report.name));
  object.add("ok", report.ok ? "true" : "false");
  if (!report.error.empty())
    object.add("error", quote(report.error));
  object.add("file", quote(report.file)).add("function", quote(report.function)).add("target", quote(report.target));
  object.add("arch", quote(report.arch)).add("device", quote(report.device));
  object.add("threads", std::to_string(report.threads)).add("signature", quote(report.signature));
  object.add("steps", array(report.steps, [](const StepReport &s) {
               return Object().add("step", quote(s.step)).add("variant", quote(s.variant)).finish();
             }));
  object.add("workspace_bytes", std::to_string(report.workspaceBytes));
  object.add("comparisons", array(report.comparisons, comparisonToJson));
  if (report.iterations)
    object.add("load_us", number(report.loadSeconds * 1e6))
        .add("median_us", number(report.medianSeconds * 1e6))
        .add("min_us", number(report.minSeconds * 1e6))
        .add("iterations", std::to_string(report.iterations))
        .add("flops", std::to_string(report.flops))
        .add("tflops", number(report.teraflops));
  return object.finish();
}

std::string toText(const Report &report) {
  std::string text =
      "target    " + report.target + (report.arch.empty() ? "" : " " + report.arch) + ", " + report.device + "\n";
  text += "function  " + report.function + report.signature + "\n";
  for (const StepReport &step : report.steps)
    text += "variant   " + step.step + ": " + step.variant + "\n";
  for (const Comparison &c : report.comparisons) {
    // The largest error and that which is largest for its bound can be at different elements.
    text += format("%s  %s %s: %" PRId64 " elements, the worst off by %.3g where %.3g is allowed (ratio %.3g), "
                   "none by more than %.3g\n",
                   c.wrong ? "WRONG   " : "correct ", c.output.c_str(), c.rule.c_str(), c.compared, c.getWorstError(),
                   c.bound, c.ratio, c.maxError);
  }
  if (report.iterations) {
    text += format("load      %.3f ms\n", report.loadSeconds * 1e3);
    text += format("time      %.3f ms (median of %" PRId64 ", least %.3f ms)\n", report.medianSeconds * 1e3,
                   report.iterations, report.minSeconds * 1e3);
    if (report.flops >= 0)
      text +=
          format("rate      %.4g TFLOP/s (%.4g GFLOP)\n", report.teraflops, static_cast<double>(report.flops) * 1e-9);
  }
  return text;
}

} // namespace fovea::run
