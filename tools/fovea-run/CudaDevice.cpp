//===- CudaDevice.cpp - Runs on a CUDA device -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Failure.h"

// The runtime's table of the driver's functions.
#include "Cuda.h"

#include <cinttypes>
#include <unordered_map>

namespace fovea::run {
namespace {

using namespace fovea::runtime;

/// Throws a failure where a driver call fails.
#define REQUIRE_CUDA(function, ...)                                                                                    \
  do {                                                                                                                 \
    if (CUresult result_ = driver->function(__VA_ARGS__); result_ != kCudaSuccess)                                     \
      require(failCuda(*driver, result_, #function));                                                                  \
  } while (false)

class CudaDevice : public Device {
public:
  explicit CudaDevice(int ordinal) {
    require(getCudaDriver(&driver));
    int count;
    REQUIRE_CUDA(cuDeviceGetCount, &count);
    if (ordinal >= count)
      failWith("there is no CUDA device %d: there are %d", ordinal, count);
    REQUIRE_CUDA(cuDeviceGet, &device, ordinal);
    REQUIRE_CUDA(cuDevicePrimaryCtxRetain, &context, device);
    REQUIRE_CUDA(cuCtxSetCurrent, context);
    REQUIRE_CUDA(cuStreamCreate, &stream, 0);
  }

  ~CudaDevice() override {
    clear();
    driver->cuStreamDestroy(stream);
    driver->cuDevicePrimaryCtxRelease(device);
  }

  fovea_device getLaunchDevice() const override {
    fovea_device launch = {};
    launch.backend = FOVEA_CUDA;
    launch.stream = stream;
    return launch;
  }

  std::string getName() const override {
    char name[256] = "";
    int capability = 0;
    REQUIRE_CUDA(cuDeviceGetName, name, sizeof name - 1, device);
    require(getComputeCapability(*driver, &capability));
    return std::string(name) + ", compute capability " + std::to_string(capability / 10) + "." +
           std::to_string(capability % 10);
  }

  uint8_t *upload(const Memory &memory) override {
    auto [position, isNew] = uploaded.try_emplace(memory.data(), nullptr);
    if (!isNew)
      return position->second;
    uint8_t *address = allocate(memory.size());
    uploaded[memory.data()] = address;
    if (memory.size())
      REQUIRE_CUDA(cuMemcpyHtoD, toPointer(address), memory.data(), memory.size());
    return address;
  }

  uint8_t *allocate(uint64_t bytes) override {
    CUdeviceptr pointer;
    CUresult result = driver->cuMemAlloc(&pointer, bytes ? bytes : 1);
    size_t free = 0, all = 0;
    if (result == kCudaOutOfMemory && driver->cuMemGetInfo(&free, &all) == kCudaSuccess)
      failWith("the device has no room: %" PRIu64 " bytes were asked for, %zu of %zu are free", bytes, free, all);
    if (result != kCudaSuccess)
      require(failCuda(*driver, result, "cuMemAlloc"));
    auto *address = reinterpret_cast<uint8_t *>(static_cast<uintptr_t>(pointer));
    allocated.push_back(address);
    return address;
  }

  void download(const Memory &memory) override {
    synchronize();
    if (memory.size())
      REQUIRE_CUDA(cuMemcpyDtoH, memory.data(), toPointer(uploaded.at(memory.data())), memory.size());
  }

  void clear() override {
    for (uint8_t *address : allocated)
      driver->cuMemFree(toPointer(address));
    allocated.clear();
    uploaded.clear();
  }

  void synchronize() override { REQUIRE_CUDA(cuStreamSynchronize, stream); }

  std::vector<double> time(const std::function<void()> &launch, int64_t count, bool flush) override {
    std::vector<double> seconds;
    uint8_t *cache = flush ? allocate(kCacheBytes) : nullptr;
    Event begin(*driver), end(*driver);
    for (int64_t i = 0; i < count; ++i) {
      if (cache)
        REQUIRE_CUDA(cuMemsetD8Async, toPointer(cache), static_cast<unsigned char>(i), kCacheBytes, stream);
      REQUIRE_CUDA(cuEventRecord, begin.event, stream);
      launch();
      REQUIRE_CUDA(cuEventRecord, end.event, stream);
      REQUIRE_CUDA(cuEventSynchronize, end.event);
      float milliseconds;
      REQUIRE_CUDA(cuEventElapsedTime, &milliseconds, begin.event, end.event);
      seconds.push_back(milliseconds * 1e-3);
    }
    return seconds;
  }

private:
  /// More than the L2 cache of today's devices.
  static constexpr uint64_t kCacheBytes = 256u << 20;

  static CUdeviceptr toPointer(const uint8_t *address) { return reinterpret_cast<uintptr_t>(address); }

  struct Event {
    explicit Event(const CudaDriver &driver) : driver(driver) {
      if (CUresult result = driver.cuEventCreate(&event, 0); result != kCudaSuccess)
        require(failCuda(driver, result, "cuEventCreate"));
    }
    ~Event() { driver.cuEventDestroy(event); }
    const CudaDriver &driver;
    CUevent event;
  };

  const CudaDriver *driver;
  CUdevice device;
  CUcontext context;
  CUstream stream;
  std::vector<uint8_t *> allocated;
  std::unordered_map<const uint8_t *, uint8_t *> uploaded;
};

} // namespace

std::unique_ptr<Device> makeCuda(int ordinal) { return std::make_unique<CudaDevice>(ordinal); }

} // namespace fovea::run
