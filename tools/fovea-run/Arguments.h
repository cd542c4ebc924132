//===- Arguments.h - Makes the values of a call -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_ARGUMENTS_H
#define FOVEA_RUN_ARGUMENTS_H

#include "Options.h"
#include "Tensor.h"

#include <string>

namespace fovea::run {

/// Bytes before and after the elements of an output under `--guard`.
constexpr uint64_t kGuardBytes = 512;
/// The byte that fills memory which is to be written; repeated it is a large number in every float type.
constexpr uint8_t kPattern = 0x4E;

/// One argument or result.
struct CallValue {
  std::string name;
  bool scalar = false;
  bool written = false;
  uint64_t bits = 0;
  fovea_type type;
  Tensor tensor;
  /// Name or number for messages.
  std::string label;
};

/// Fills every element of a tensor by `value(linear index, indices)`.
void fill(const Tensor &tensor, const std::function<double(int64_t, const int64_t *)> &value);

/// The arguments as the options say.
std::vector<CallValue> makeArguments(const fovea_function *function, const Options &options);

/// Memory for the results of these sizes.
CallValue makeResult(const fovea_value_info &info, int index, const std::vector<int64_t> &dims, const ValueSpec *spec,
                     bool guard);

/// Memory for all results of a call.
std::vector<CallValue> makeResults(const fovea_function *function, const Options &options,
                                   const std::vector<CallValue> &arguments);

/// The results, then the written arguments.
std::vector<const CallValue *> getOutputs(const std::vector<CallValue> &arguments,
                                          const std::vector<CallValue> &results);

/// Reads `--expect`: a file or a formula of the shape of `like`.
Tensor makeExpected(const ValueSpec &spec, const Tensor &like);

/// The values as the runtime takes them. `data` gives the address of a memory on the device.
std::vector<fovea_value> bindValues(const std::vector<CallValue> &values,
                                    const std::function<uint8_t *(const Memory &)> &data);

/// Text of a type and sizes, as 2x8x128x64xbf16.
std::string describe(const CallValue &value);

} // namespace fovea::run

#endif // FOVEA_RUN_ARGUMENTS_H
