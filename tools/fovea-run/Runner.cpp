//===- Runner.cpp - One run after the other -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "Compare.h"
#include "Compile.h"
#include "Failure.h"
#include "Npy.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstring>

namespace fovea::run {
namespace {

bool isChip(const std::string &target) { return target.compare(0, 3, "sm_") == 0; }

std::vector<fovea_implementation_info> getImplementations(const fovea_function *function) {
  std::vector<fovea_implementation_info> infos(fovea_function_implementation_count(function));
  for (size_t i = 0; i < infos.size(); ++i)
    require(fovea_function_implementation(function, static_cast<int>(i), &infos[i]));
  return infos;
}

std::string getSignature(const std::vector<CallValue> &arguments, const std::vector<CallValue> &results) {
  auto list = [](const std::vector<CallValue> &values) {
    std::string text;
    for (const CallValue &value : values)
      text += (text.empty() ? "" : ", ") + (value.name.empty() ? "" : value.name + ": ") + describe(value);
    return "(" + text + ")";
  };
  return list(arguments) + " -> " + list(results);
}

/// Seconds of the call, by the host's clock.
double timeOnce(const std::function<void()> &call) {
  auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Number of timed runs: as asked for, or half a second's worth.
std::vector<double> measure(Device &device, const Options &options, const std::function<void()> &launch) {
  device.time(launch, 1, false);
  if (options.iterations)
    return device.time(launch, options.iterations, options.flush);
  double first = device.time(launch, 1, options.flush)[0];
  int64_t count = std::clamp<int64_t>(static_cast<int64_t>(0.5 / std::max(first, 1e-6)), 5, 1000);
  return device.time(launch, count, options.flush);
}

void checkOutputs(const std::vector<const CallValue *> &outputs, const Options &options, Report &report) {
  if (options.guard)
    for (const CallValue *output : outputs)
      if (output->tensor.base)
        checkGuard(*output);
  if (options.outputs.size() > outputs.size() || options.expected.size() > outputs.size())
    failWith("there are %zu outputs; --out was given %zu times, --expect %zu times", outputs.size(),
             options.outputs.size(), options.expected.size());
  for (size_t i = 0; i < options.outputs.size(); ++i)
    if (!options.outputs[i].source.empty())
      writeNpy(options.outputs[i].source, outputs[i]->tensor);
  for (size_t i = 0; i < options.expected.size(); ++i)
    if (options.expected[i].source != "none")
      report.comparisons.push_back(compareExpected(*outputs[i], options.expected[i]));
}

void requireCorrect(const Report &report) {
  for (const Comparison &c : report.comparisons)
    if (c.wrong && c.row >= 0)
      failWith("%s: %" PRId64 " of %" PRId64 " elements are wrong (%s); the worst in row %" PRId64 ", column %" PRId64
               ": %.9g, expected %.9g within %.3g",
               c.output.c_str(), c.wrong, c.compared, c.rule.c_str(), c.row, c.column, c.got, c.expected, c.bound);
    else if (c.wrong)
      failWith("%s: the %s of the error is %.4g, allowed are %.4g", c.output.c_str(), c.rule.c_str(), c.maxError,
               c.bound);
}

} // namespace

Runner::~Runner() {
  // Modules before their contexts.
  for (auto &entry : artifacts)
    fovea_artifact_destroy(entry.second);
}

const fovea_artifact *Runner::load(const Options &options) {
  if (options.file.empty())
    failWith("no file was given; see --help");
  std::string key = options.file;
  if (!isArtifact(options.file)) {
    key += "\n" + options.target + (options.check ? "\nreference" : "");
    for (const std::string &option : options.compileOptions)
      key += "\n" + option;
  }
  fovea_artifact *&artifact = artifacts[key];
  if (artifact)
    return artifact;
  if (isArtifact(options.file))
    require(fovea_artifact_load_file(options.file.c_str(), &artifact));
  else
    artifact = compile(options);
  return artifact;
}

const fovea_function *Runner::find(const Options &options) {
  const fovea_artifact *artifact = load(options);
  const fovea_function *function = nullptr;
  if (!options.function.empty()) {
    require(fovea_artifact_find(artifact, options.function.c_str(), &function));
    return function;
  }
  if (fovea_artifact_function_count(artifact) != 1)
    failWith("%s has %d functions: choose one with --function", options.file.c_str(),
             fovea_artifact_function_count(artifact));
  return fovea_artifact_function(artifact, 0);
}

Device &Runner::getDevice(const Options &options, const fovea_function *function, Report &report) {
  std::string target = options.target;
  if (target.empty()) {
    bool hasCuda = false, hasCpu = false;
    for (const fovea_implementation_info &info : getImplementations(function))
      (std::strcmp(info.backend, "cpu") == 0 ? hasCpu : hasCuda) = true;
    // Where both are there, the GPU if it can be had.
    target = hasCuda && (!hasCpu || hasCudaDevice()) ? "cuda" : "cpu";
  }
  bool cuda = target == "cuda" || isChip(target);
  if (!cuda) {
    bool known = target == "cpu";
    for (const fovea_implementation_info &info : getImplementations(function))
      known |= target == info.arch;
    if (!known && isArtifact(options.file))
      failWith("unknown target '%s': expected cpu, cuda, or an architecture of the artifact", target.c_str());
  }
  report.target = cuda ? "cuda" : "cpu";
  std::string key = report.target + std::to_string(cuda ? options.device : options.threads);
  std::unique_ptr<Device> &device = devices[key];
  if (!device)
    device = cuda ? makeCuda(static_cast<int>(options.device)) : makeCpu(static_cast<int>(options.threads));
  report.device = device->getName();
  return *device;
}

void Runner::launch(const Options &options, const fovea_function *function, Device &device, Report &report) {
  std::vector<CallValue> arguments = makeArguments(function, options);
  std::vector<CallValue> results = makeResults(function, options, arguments);
  report.signature = getSignature(arguments, results);
  auto upload = [&](const Memory &memory) { return device.upload(memory); };
  std::vector<fovea_value> boundArguments = bindValues(arguments, upload), boundResults = bindValues(results, upload);
  int32_t argumentCount = static_cast<int32_t>(arguments.size()), resultCount = static_cast<int32_t>(results.size());
  fovea_device where = device.getLaunchDevice();
  bool named =
      !options.target.empty() && options.target != "cpu" && options.target != "cuda" && isArtifact(options.file);
  where.arch = named ? options.target.c_str() : nullptr;
  require(fovea_workspace_size(function, &where, boundArguments.data(), argumentCount, &report.workspaceBytes));
  uint8_t *workspace = report.workspaceBytes ? device.allocate(report.workspaceBytes) : nullptr;
  report.flops = 0;
  for (int step = 0, count = 1; step < count; ++step) {
    fovea_selection selection;
    require(fovea_select(function, &where, boundArguments.data(), argumentCount, boundResults.data(), resultCount, step,
                         &selection));
    count = fovea_function_step_count(function, selection.implementation);
    report.steps.push_back({selection.step, selection.variant});
    report.flops = selection.flops < 0 || report.flops < 0 ? -1 : report.flops + selection.flops;
    report.arch = getImplementations(function)[selection.implementation].arch;
  }
  auto launchOnce = [&] {
    require(fovea_launch(function, &where, boundArguments.data(), argumentCount, boundResults.data(), resultCount,
                         workspace, report.workspaceBytes));
  };
  report.loadSeconds = timeOnce([&] {
    require(
        fovea_prepare_launch(function, &where, boundArguments.data(), argumentCount, boundResults.data(), resultCount));
  });
  launchOnce();
  std::vector<const CallValue *> outputs = getOutputs(arguments, results);
  for (const CallValue *output : outputs)
    device.download(*output->tensor.memory);
  device.synchronize();
  checkOutputs(outputs, options, report);
  if (options.check)
    check(function, options, arguments, results, report);
  if (options.bench) {
    std::vector<double> seconds = measure(device, options, launchOnce);
    std::sort(seconds.begin(), seconds.end());
    report.iterations = static_cast<int64_t>(seconds.size());
    report.minSeconds = seconds[0];
    report.medianSeconds = seconds[seconds.size() / 2];
    report.teraflops = report.flops > 0 ? static_cast<double>(report.flops) / report.medianSeconds * 1e-12 : 0;
  }
}

void Runner::run(const Options &options, Report &report) {
  report.name = options.caseName;
  report.file = options.file;
  const fovea_function *function = find(options);
  report.function = fovea_function_name(function);
  report.threads = static_cast<int>(options.threads ? options.threads : fovea_default_threads());
  Device &device = getDevice(options, function, report);
  struct Cleaner {
    Device &device;
    ~Cleaner() { device.clear(); }
  } cleaner{device};
  launch(options, function, device, report);
  requireCorrect(report);
  report.ok = true;
}

bool Runner::isDeviceLost() {
  try {
    for (auto &entry : devices)
      if (entry.second)
        entry.second->synchronize();
    return false;
  } catch (const Failure &) {
    return true;
  }
}

std::string Runner::describe(const Options &options) {
  const fovea_artifact *artifact = load(options);
  std::string text = "producer  " + std::string(fovea_artifact_producer(artifact)) + "\n";
  for (int f = 0; f < fovea_artifact_function_count(artifact); ++f) {
    const fovea_function *function = fovea_artifact_function(artifact, f);
    text += "function  " + std::string(fovea_function_name(function)) + "\n";
    text += describeFunction(function, options.dumpCode);
  }
  return text;
}

} // namespace fovea::run
