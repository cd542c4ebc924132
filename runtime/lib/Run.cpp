//===- Run.cpp - Launches with a workspace of their own -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"

#include <cstdio>
#include <cstdlib>

namespace fovea::runtime {
namespace {

/// What is launched: a function of an embedded artifact with its values.
struct Call {
  const fovea_function *function;
  const fovea_device &device;
  const fovea_value *arguments;
  int32_t argumentCount;
  const fovea_value *results;
  int32_t resultCount;

  fovea_status getWorkspaceSize(uint64_t *bytes) const {
    return fovea_workspace_size(function, &device, arguments, argumentCount, bytes);
  }
  fovea_status launch(void *workspace, uint64_t bytes) const {
    return fovea_launch(function, &device, arguments, argumentCount, results, resultCount, workspace, bytes);
  }
};

fovea_status runOnCpu(const Call &call) {
  uint64_t bytes;
  FOVEA_TRY(call.getWorkspaceSize(&bytes));
  void *workspace = nullptr;
  if (bytes && posix_memalign(&workspace, FOVEA_WORKSPACE_ALIGNMENT, bytes))
    return fail(FOVEA_OUT_OF_MEMORY, "no memory for %llu bytes of workspace", static_cast<unsigned long long>(bytes));
  fovea_status status = call.launch(workspace, bytes);
  std::free(workspace);
  return status;
}

fovea_status runInContext(const Call &call, const CudaDriver &driver) {
  uint64_t bytes;
  FOVEA_TRY(call.getWorkspaceSize(&bytes));
  CUdeviceptr workspace = 0;
  if (bytes)
    FOVEA_CUDA_TRY(driver, cuMemAlloc, &workspace, bytes);
  fovea_status status = call.launch(reinterpret_cast<void *>(workspace), bytes);
  CUresult result = driver.cuStreamSynchronize(static_cast<CUstream>(call.device.stream));
  if (status == FOVEA_OK && result != kCudaSuccess)
    status = failCuda(driver, result, "cuStreamSynchronize");
  if (bytes)
    driver.cuMemFree(workspace);
  return status;
}

/// The device that holds the first argument or result in memory; 0 where there is none.
fovea_status getDeviceOfValues(const Call &call, const CudaDriver &driver, CUdevice *device) {
  *device = 0;
  auto find = [&](const fovea_value *values, int32_t count) -> const void * {
    for (int32_t i = 0; i < count; ++i)
      if (values[i].rank >= 0 && values[i].data)
        return values[i].data;
    return nullptr;
  };
  const void *data = find(call.arguments, call.argumentCount);
  if (!data && !(data = find(call.results, call.resultCount)))
    return FOVEA_OK;
  FOVEA_CUDA_TRY(driver, cuPointerGetAttribute, device, kPointerDeviceOrdinal, reinterpret_cast<CUdeviceptr>(data));
  return FOVEA_OK;
}

fovea_status runOnCuda(const Call &call) {
  const CudaDriver *driver;
  FOVEA_TRY(getCudaDriver(&driver));
  CUcontext context;
  FOVEA_CUDA_TRY(*driver, cuCtxGetCurrent, &context);
  if (context)
    return runInContext(call, *driver);
  CUdevice device;
  FOVEA_TRY(getDeviceOfValues(call, *driver, &device));
  // It is not released: the code that is loaded there stays for the next call.
  FOVEA_CUDA_TRY(*driver, cuDevicePrimaryCtxRetain, &context, device);
  FOVEA_CUDA_TRY(*driver, cuCtxPushCurrent, context);
  fovea_status status = runInContext(call, *driver);
  driver->cuCtxPopCurrent(&context);
  return status;
}

const fovea_device kDefaultDevice = {};

} // namespace
} // namespace fovea::runtime

using namespace fovea::runtime;

extern "C" {

fovea_status fovea_embedded_run(fovea_embedded *embedded, const char *name, const fovea_device *device,
                                const fovea_value *arguments, int32_t argument_count, const fovea_value *results,
                                int32_t result_count) {
  const fovea_function *function;
  FOVEA_TRY(fovea_embedded_find(embedded, name, &function));
  if ((argument_count > 0 && !arguments) || (result_count > 0 && !results))
    return fail(FOVEA_INVALID_ARGUMENT, "the %s are a null pointer", arguments ? "results" : "arguments");
  Call call = {function, device ? *device : kDefaultDevice, arguments, argument_count, results, result_count};
  return call.device.backend == FOVEA_CUDA ? runOnCuda(call) : runOnCpu(call);
}

void fovea_embedded_run_or_abort(fovea_embedded *embedded, const char *name, const fovea_device *device,
                                 const fovea_value *arguments, int32_t argument_count) {
  if (fovea_embedded_run(embedded, name, device, arguments, argument_count, nullptr, 0) == FOVEA_OK)
    return;
  std::fprintf(stderr, "fovea: %s: %s\n", name ? name : "?", fovea_last_error());
  std::abort();
}
}
