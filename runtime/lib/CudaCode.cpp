//===- CudaCode.cpp - Modules and kernels of each CUDA context -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"
#include "Guard.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace fovea::runtime {
namespace {

/// The CUDA version (times ten) whose driver first reads a PTX version (times ten).
struct PtxRelease {
  int ptx, cuda;
};
constexpr PtxRelease kPtxReleases[] = {
    {70, 110}, {71, 111}, {72, 112}, {73, 113}, {74, 114}, {75, 115}, {76, 116}, {77, 117}, {78, 118}, {80, 120},
    {81, 121}, {82, 122}, {83, 123}, {84, 124}, {85, 125}, {86, 127}, {87, 128}, {88, 129}, {90, 130}, {91, 131},
};

fovea_status failOldDriver(const CudaDriver &driver, const Code &code) {
  int version = 0;
  driver.cuDriverGetVersion(&version);
  int cuda = 10 * (version / 1000) + version % 1000 / 10, needed = 0, supported = 0;
  for (const PtxRelease &release : kPtxReleases) {
    if (release.ptx >= code.ptxVersion && !needed)
      needed = release.cuda;
    if (release.cuda <= cuda)
      supported = release.ptx;
  }
  return fail(
      FOVEA_UNSUPPORTED,
      "the driver is older than the PTX: PTX version %d.%d needs a driver of CUDA %d.%d or newer, this one is of "
      "CUDA %d.%d; update the driver, or compile with --ptx-version=%d.%d or lower, or to a cubin",
      code.ptxVersion / 10, code.ptxVersion % 10, needed / 10, needed % 10, cuda / 10, cuda % 10, supported / 10,
      supported % 10);
}

fovea_status failModule(const CudaDriver &driver, const Code &code, CUresult result, const char *log) {
  if (result == kCudaUnsupportedPtx)
    return failOldDriver(driver, code);
  fovea_status status = failCuda(driver, result, "cuModuleLoadDataEx");
  if (!*log)
    return status;
  std::string text = lastError();
  return fail(status, "%s; log of the driver for %s: %s", text.c_str(), code.arch.c_str(), log);
}

/// Loading is refused to threads while a stream is captured, unless they ask for it: it may allocate and synchronise,
/// but never on the captured stream.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const CudaDriver &driver)
      : driver(driver), changed(driver.cuThreadExchangeStreamCaptureMode(&mode) == kCudaSuccess) {}
  ~RelaxedCapture() {
    if (changed)
      driver.cuThreadExchangeStreamCaptureMode(&mode);
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const CudaDriver &driver;
  int mode = kCaptureRelaxed;
  bool changed;
};

fovea_status loadModule(const CudaDriver &driver, const Code &code, const Image &source, CUmodule *module) {
  char log[2048] = "";
  int options[] = {kJitErrorLog, kJitErrorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(static_cast<uintptr_t>(sizeof log - 1))};
  // The driver reads PTX as a C string.
  std::string text;
  if (code.kind == CodeKind::PTX)
    text.assign(reinterpret_cast<const char *>(source.bytes), source.size);
  const void *image = code.kind == CodeKind::PTX ? static_cast<const void *>(text.c_str()) : source.bytes;
  CUresult result = driver.cuModuleLoadDataEx(module, image, 2, options, values);
  return result == kCudaSuccess ? FOVEA_OK : failModule(driver, code, result, log);
}

/// The module of an image in a context, loaded once; the artifact's mutex is held.
fovea_status getModule(const CudaDriver &driver, Code &code, int image, const CudaContextKey &key, CUmodule *module) {
  for (CudaModule *candidate = code.modules.get(); candidate; candidate = candidate->next.get())
    if (candidate->key == key && candidate->image == image) {
      *module = candidate->module;
      return FOVEA_OK;
    }
  FOVEA_TRY(loadModule(driver, code, code.images[image], module));
  code.modules = std::unique_ptr<CudaModule>(new CudaModule{key, image, *module, std::move(code.modules)});
  return FOVEA_OK;
}

/// Allows shared memory beyond the 48 KiB that every kernel may have.
fovea_status setSharedMemory(const CudaDriver &driver, CUfunction function, const Kernel &kernel) {
  if (kernel.sharedBytes <= 48 * 1024)
    return FOVEA_OK;
  CUdevice device;
  int limit;
  FOVEA_CUDA_TRY(driver, cuCtxGetDevice, &device);
  FOVEA_CUDA_TRY(driver, cuDeviceGetAttribute, &limit, kAttributeSharedOptin, device);
  if (kernel.sharedBytes > limit)
    return fail(FOVEA_UNSUPPORTED, "kernel '%s' needs %d bytes of shared memory in a thread block, this device has %d",
                kernel.symbol.c_str(), kernel.sharedBytes, limit);
  FOVEA_CUDA_TRY(driver, cuFuncSetAttribute, function, kFunctionMaxDynamicShared, kernel.sharedBytes);
  return FOVEA_OK;
}

fovea_status getFunction(const CudaDriver &driver, CUmodule module, const Kernel &kernel, CUfunction *function) {
  if (CUresult result = driver.cuModuleGetFunction(function, module, kernel.symbol.c_str()); result != kCudaSuccess) {
    fovea_status status = failCuda(driver, result, "cuModuleGetFunction");
    std::string text = lastError();
    return fail(status, "kernel '%s': %s", kernel.symbol.c_str(), text.c_str());
  }
  // Without it a driver that loads lazily would allocate at the first launch.
  if (driver.cuFuncLoad)
    FOVEA_CUDA_TRY(driver, cuFuncLoad, *function);
  return setSharedMemory(driver, *function, kernel);
}

fovea_status choose(const fovea_function &function, const fovea_device &device, int capability, int *implementation) {
  *implementation = -1;
  int best = 0;
  std::string names;
  for (size_t i = 0; i < function.implementations.size(); ++i) {
    const Code &code = *function.artifact->codes[function.implementations[i]->code];
    if (code.kind == CodeKind::SharedObject)
      continue;
    names += (names.empty() ? "" : ", ") + code.arch;
    int rank = device.arch && code.arch != device.arch ? 0 : rankCuda(code, capability);
    if (rank > best) {
      best = rank;
      *implementation = static_cast<int>(i);
    }
  }
  if (best)
    return FOVEA_OK;
  if (names.empty())
    return fail(FOVEA_NOT_FOUND, "function '%s' has no code for CUDA", function.name.c_str());
  return fail(FOVEA_UNSUPPORTED, "function '%s' has code for %s; this device is of compute capability %d.%d%s%s",
              function.name.c_str(), names.c_str(), capability / 10, capability % 10,
              device.arch ? ", and the code asked for is " : "", device.arch ? device.arch : "");
}

const CudaBinding *find(const fovea_function &function, const fovea_device &device, const CudaContextKey &key) {
  const char *arch = device.arch ? device.arch : "";
  for (const CudaBinding *binding = function.cudaBindings.load(std::memory_order_acquire); binding;
       binding = binding->next)
    if (binding->key == key && binding->arch == arch)
      return binding;
  return nullptr;
}

/// Makes a binding; the artifact's mutex is held.
fovea_status bind(const fovea_function &function, const fovea_device &device, const CudaDriver &driver,
                  const CudaContextKey &key, CudaBinding &binding) {
  int capability;
  FOVEA_TRY(getComputeCapability(driver, &capability));
  FOVEA_TRY(choose(function, device, capability, &binding.implementation));
  FOVEA_TRY(getMultiprocessors(driver, &binding.multiprocessors));
  const Implementation &implementation = *function.implementations[binding.implementation];
  binding.key = key;
  binding.arch = device.arch ? device.arch : "";
  binding.functions = std::make_unique<std::atomic<CUfunction>[]>(implementation.kernelCount);
  return FOVEA_OK;
}

/// Loads a kernel; the artifact's mutex is held. One that fails is tried again by the next launch.
fovea_status loadKernel(const CudaDriver &driver, Code &code, const CudaBinding &binding, const Kernel &kernel) {
  std::atomic<CUfunction> &slot = binding.functions[kernel.ordinal];
  if (slot.load(std::memory_order_relaxed))
    return FOVEA_OK;
  CUmodule module;
  CUfunction entry;
  FOVEA_TRY(getModule(driver, code, kernel.image, binding.key, &module));
  FOVEA_TRY(getFunction(driver, module, kernel, &entry));
  slot.store(entry, std::memory_order_release);
  return FOVEA_OK;
}

} // namespace

CudaModule::~CudaModule() {
  const CudaDriver *driver;
  if (getCudaDriver(&driver) != FOVEA_OK || driver->cuCtxPushCurrent(key.context) != kCudaSuccess)
    return;
  driver->cuModuleUnload(module);
  driver->cuCtxPopCurrent(&key.context);
}

int rankCuda(const Code &code, int capability) {
  if (code.arch.compare(0, 3, "sm_") != 0)
    return 0;
  char *suffix;
  int arch = static_cast<int>(std::strtol(code.arch.c_str() + 3, &suffix, 10));
  bool cubin = code.kind == CodeKind::Cubin;
  bool sameMajor = arch / 10 == capability / 10;
  // `a` runs on its own device alone, `f` within its family.
  bool runs = *suffix == 'a' ? arch == capability : arch <= capability && (sameMajor || (!cubin && *suffix != 'f'));
  return arch > 0 && runs ? 4 * arch + 2 * (*suffix != 0) + cubin : 0;
}

fovea_status bindCuda(const fovea_function &function, const fovea_device &device, const CudaDriver &driver,
                      const CudaBinding **binding) {
  CudaContextKey key;
  FOVEA_TRY(getCurrentContext(driver, &key));
  if ((*binding = find(function, device, key)))
    return FOVEA_OK;
  std::lock_guard<std::mutex> lock(function.artifact->mutex);
  if ((*binding = find(function, device, key)))
    return FOVEA_OK;
  auto made = std::make_unique<CudaBinding>();
  FOVEA_TRY(bind(function, device, driver, key, *made));
  made->next = function.cudaBindings.load(std::memory_order_relaxed);
  auto &bindings = const_cast<fovea_function &>(function).cudaBindings;
  bindings.store(made.get(), std::memory_order_release);
  *binding = made.release();
  return FOVEA_OK;
}

fovea_status loadKernels(const fovea_function &function, const CudaDriver &driver, const CudaBinding &binding,
                         const Variant &variant) {
  if (std::all_of(variant.kernels.begin(), variant.kernels.end(), [&](const Kernel &kernel) {
        return binding.functions[kernel.ordinal].load(std::memory_order_acquire) != nullptr;
      }))
    return FOVEA_OK;
  Code &code = *function.artifact->codes[function.implementations[binding.implementation]->code];
  return guard([&] {
    std::lock_guard<std::mutex> lock(function.artifact->mutex);
    RelaxedCapture relaxed(driver);
    for (const Kernel &kernel : variant.kernels)
      FOVEA_TRY(loadKernel(driver, code, binding, kernel));
    return FOVEA_OK;
  });
}

fovea_status runCuda(const CudaDriver &driver, CUfunction entry, const Kernel &kernel, CUstream stream, int64_t grid,
                     uint64_t *words, int count, CUtensorMap *maps) {
  void *parameters[kMaxWords];
  for (int i = 0; i < count; ++i)
    parameters[i] = &words[i];
  // The reader has seen to it that all fit.
  for (size_t i = 0; i < kernel.tensorMaps.size(); ++i)
    parameters[count++] = &maps[i];
  FOVEA_CUDA_TRY(driver, cuLaunchKernel, entry, static_cast<unsigned>(grid), 1, 1, static_cast<unsigned>(kernel.block),
                 1, 1, static_cast<unsigned>(kernel.sharedBytes), stream, parameters, nullptr);
  return FOVEA_OK;
}

} // namespace fovea::runtime
