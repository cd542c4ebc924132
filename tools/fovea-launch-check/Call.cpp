//===- Call.cpp - One call with its memory on a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Failure.h"

#include "Cuda.h"

#include <algorithm>

namespace fovea::run {
namespace {

/// Copies what `from` holds to the device's memory of `to`.
void copy(Device &device, const std::vector<CallValue> &from, const std::vector<CallValue> &to) {
  const runtime::CudaDriver *driver;
  require(runtime::getCudaDriver(&driver));
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i].scalar || !to[i].tensor.memory->size())
      continue;
    const Memory &source = *from[i].tensor.memory;
    auto address = reinterpret_cast<uintptr_t>(device.upload(*to[i].tensor.memory));
    if (int result = driver->cuMemcpyHtoD(address, source.data(), source.size()))
      require(runtime::failCuda(*driver, result, "cuMemcpyHtoD"));
  }
}

} // namespace

Call::Call(const fovea_function *function, const Options &options, int ordinal)
    : function(function), options(options), device(makeCuda(ordinal)), where(device->getLaunchDevice()) {
  arguments = makeArguments(function, options);
  results = makeResults(function, options, arguments);
  auto upload = [&](const Memory &memory) { return device->upload(memory); };
  boundArguments = bindValues(arguments, upload);
  boundResults = bindValues(results, upload);
  require(fovea_workspace_size(function, &where, boundArguments.data(), static_cast<int32_t>(arguments.size()),
                               &workspaceBytes));
  workspace = workspaceBytes ? device->allocate(workspaceBytes) : nullptr;
}

void Call::fill(int64_t seed) {
  Options changed = options;
  changed.seed = seed;
  std::vector<CallValue> inputs = makeArguments(function, changed);
  copy(*device, inputs, arguments);
  copy(*device, makeResults(function, changed, inputs), results);
}

void Call::launch() {
  require(fovea_launch(function, &where, boundArguments.data(), static_cast<int32_t>(arguments.size()),
                       boundResults.data(), static_cast<int32_t>(results.size()), workspace, workspaceBytes));
}

std::string Call::download() {
  std::string bytes;
  for (const CallValue *output : getOutputs(arguments, results)) {
    const Memory &memory = *output->tensor.memory;
    device->download(memory);
    bytes.append(reinterpret_cast<const char *>(memory.data()), memory.size());
  }
  return bytes;
}

bool Call::hasEmptyArgument() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const CallValue &value) { return !value.scalar && value.tensor.isEmpty(); });
}

std::string Call::getVariants() {
  std::string text;
  for (int step = 0, count = 1; step < count; ++step) {
    fovea_selection selection;
    require(fovea_select(function, &where, boundArguments.data(), static_cast<int32_t>(arguments.size()),
                         boundResults.data(), static_cast<int32_t>(results.size()), step, &selection));
    count = fovea_function_step_count(function, selection.implementation);
    text += (step ? ", " : "") + std::string(selection.variant);
  }
  return text;
}

} // namespace fovea::run
