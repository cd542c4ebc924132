//===- Device.h - Where a run takes place -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_DEVICE_H
#define FOVEA_RUN_DEVICE_H

#include "Tensor.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fovea::run {

/// A device: memory, and a clock for launches on it.
class Device {
public:
  virtual ~Device();
  virtual fovea_device getLaunchDevice() const = 0;
  /// Name for reports, as `2 threads` or `NVIDIA H200, compute capability 9.0`.
  virtual std::string getName() const = 0;
  /// The address of a memory on this device; copies it there at the first call.
  virtual uint8_t *upload(const Memory &memory) = 0;
  /// Scratch memory on the device, aligned to 256 bytes.
  virtual uint8_t *allocate(uint64_t bytes) = 0;
  /// Waits for what was launched and copies a memory back.
  virtual void download(const Memory &memory) = 0;
  /// Frees all memory.
  virtual void clear() = 0;
  virtual void synchronize() = 0;
  /// Seconds of each of `count` launches.
  virtual std::vector<double> time(const std::function<void()> &launch, int64_t count, bool flush) = 0;
};

std::unique_ptr<Device> makeCpu(int threads);
/// Throws a failure where there is no such device.
std::unique_ptr<Device> makeCuda(int ordinal);

} // namespace fovea::run

#endif // FOVEA_RUN_DEVICE_H
