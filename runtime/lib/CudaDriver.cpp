//===- CudaDriver.cpp - The CUDA driver, opened at run time -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"

#include <cstdlib>
#include <dlfcn.h>

namespace fovea::runtime {
namespace {

/// The driver and why it is not there. Opened once for the process and never closed.
struct OpenDriver {
  CudaDriver driver;
  fovea_status status = FOVEA_OK;
  std::string message;

  OpenDriver() {
    status = open();
    if (status != FOVEA_OK)
      message = lastError();
  }

  fovea_status open() {
    const char *path = std::getenv("FOVEA_LIBCUDA");
    if (!path || !*path)
      path = "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return fail(FOVEA_UNSUPPORTED, "no CUDA driver: %s", dlerror());
#define FOVEA_CUDA_SYMBOL(name, symbol, parameters)                                                                    \
  if (!(driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, symbol))))                                \
    return fail(FOVEA_UNSUPPORTED, "the CUDA driver is too old: %s lacks %s", path, symbol);
#define FOVEA_CUDA_OPTIONAL(name, symbol, parameters)                                                                  \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, symbol));
#include "CudaSymbols.def"
    FOVEA_CUDA_TRY(driver, cuInit, 0);
    return FOVEA_OK;
  }
};

} // namespace

fovea_status getCudaDriver(const CudaDriver **driver) {
  static OpenDriver *const open = new OpenDriver();
  *driver = &open->driver;
  return open->status == FOVEA_OK ? FOVEA_OK : fail(open->status, "%s", open->message.c_str());
}

fovea_status failCuda(const CudaDriver &driver, CUresult result, const char *what) {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  return fail(result == kCudaOutOfMemory ? FOVEA_OUT_OF_MEMORY : FOVEA_DRIVER, "%s failed: %s (%d): %s", what,
              name ? name : "unknown error", result, text ? text : "no text");
}

fovea_status getCurrentContext(const CudaDriver &driver, CudaContextKey *key) {
  FOVEA_CUDA_TRY(driver, cuCtxGetCurrent, &key->context);
  if (!key->context)
    return fail(FOVEA_INVALID_ARGUMENT, "this thread has no current CUDA context");
  if (driver.cuCtxGetId)
    FOVEA_CUDA_TRY(driver, cuCtxGetId, key->context, &key->id);
  return FOVEA_OK;
}

fovea_status getComputeCapability(const CudaDriver &driver, int *capability) {
  CUdevice device;
  int major, minor;
  FOVEA_CUDA_TRY(driver, cuCtxGetDevice, &device);
  FOVEA_CUDA_TRY(driver, cuDeviceGetAttribute, &major, kAttributeMajor, device);
  FOVEA_CUDA_TRY(driver, cuDeviceGetAttribute, &minor, kAttributeMinor, device);
  *capability = 10 * major + minor;
  return FOVEA_OK;
}

fovea_status getMultiprocessors(const CudaDriver &driver, int *count) {
  CUdevice device;
  FOVEA_CUDA_TRY(driver, cuCtxGetDevice, &device);
  FOVEA_CUDA_TRY(driver, cuDeviceGetAttribute, count, kAttributeMultiprocessors, device);
  return FOVEA_OK;
}

} // namespace fovea::runtime
