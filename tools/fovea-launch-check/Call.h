//===- Call.h - One call with its memory on a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LAUNCH_CHECK_CALL_H
#define FOVEA_LAUNCH_CHECK_CALL_H

#include "Arguments.h"
#include "Device.h"

#include <string>
#include <vector>

namespace fovea::run {

/// A call of a function on a CUDA device whose context the constructor makes current. The first launch loads what it
/// runs. Addresses and scalars stay; what
/// is in the memory changes.
class Call {
public:
  Call(const fovea_function *function, const Options &options, int ordinal);

  /// Fills the inputs from a seed, and the outputs with a pattern.
  void fill(int64_t seed);
  /// Enqueues a launch on `stream()`.
  void launch();
  /// Waits, and returns the bytes of all outputs.
  std::string download();

  void *stream() const { return where.stream; }
  bool hasEmptyArgument() const;
  /// Names of the variants that a launch runs, as `a, b`.
  std::string getVariants();

private:
  const fovea_function *function;
  Options options;
  std::unique_ptr<Device> device;
  fovea_device where;
  std::vector<CallValue> arguments, results;
  std::vector<fovea_value> boundArguments, boundResults;
  uint64_t workspaceBytes = 0;
  uint8_t *workspace = nullptr;
};

} // namespace fovea::run

#endif // FOVEA_LAUNCH_CHECK_CALL_H
