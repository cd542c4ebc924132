//===- CpuDevice.cpp - Runs on CPU threads -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <chrono>
#include <cstring>

namespace fovea::run {
namespace {

class CpuDevice : public Device {
public:
  explicit CpuDevice(int threads) : threads(threads ? threads : fovea_default_threads()) {}

  fovea_device getLaunchDevice() const override {
    fovea_device device = {};
    device.threads = threads;
    return device;
  }
  std::string getName() const override { return std::to_string(threads) + (threads == 1 ? " thread" : " threads"); }
  uint8_t *upload(const Memory &memory) override { return memory.data(); }
  uint8_t *allocate(uint64_t bytes) override {
    scratch.push_back(std::make_unique<Memory>(bytes));
    return scratch.back()->data();
  }
  void download(const Memory &) override {}
  void clear() override { scratch.clear(); }
  void synchronize() override {}

  std::vector<double> time(const std::function<void()> &launch, int64_t count, bool flush) override {
    std::vector<double> seconds;
    std::unique_ptr<Memory> cache = flush ? std::make_unique<Memory>(kCacheBytes) : nullptr;
    for (int64_t i = 0; i < count; ++i) {
      if (cache)
        std::memset(cache->data(), static_cast<int>(i), kCacheBytes);
      auto begin = std::chrono::steady_clock::now();
      launch();
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return seconds;
  }

private:
  /// More than the last cache of today's CPUs.
  static constexpr uint64_t kCacheBytes = 512u << 20;
  int threads;
  std::vector<std::unique_ptr<Memory>> scratch;
};

} // namespace

Device::~Device() = default;

std::unique_ptr<Device> makeCpu(int threads) { return std::make_unique<CpuDevice>(threads); }

} // namespace fovea::run
