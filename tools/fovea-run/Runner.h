//===- Runner.h - One run after the other -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_RUNNER_H
#define FOVEA_RUN_RUNNER_H

#include "Arguments.h"
#include "Device.h"
#include "Report.h"

#include <map>

namespace fovea::run {

/// Runs command lines; keeps artifacts and devices for the next ones.
class Runner {
public:
  Runner() = default;
  ~Runner();
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Fills `report` as far as it comes; throws a failure where something is wrong.
  void run(const Options &options, Report &report);
  /// Whether a device is of no more use to this process, as after an illegal address.
  bool isDeviceLost();
  /// Text of `--describe`.
  std::string describe(const Options &options);

private:
  /// What a file holds; MLIR is compiled first.
  const fovea_artifact *load(const Options &options);
  const fovea_function *find(const Options &options);
  Device &getDevice(const Options &options, const fovea_function *function, Report &report);
  void launch(const Options &options, const fovea_function *function, Device &device, Report &report);

  std::map<std::string, fovea_artifact *> artifacts;
  std::map<std::string, std::unique_ptr<Device>> devices;
};

} // namespace fovea::run

#endif // FOVEA_RUN_RUNNER_H
