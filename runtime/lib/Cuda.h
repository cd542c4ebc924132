//===- Cuda.h - The CUDA driver, opened at run time -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_CUDA_H
#define FOVEA_RUNTIME_CUDA_H

#include "Error.h"
#include "Problem.h"
#include "TensorMaps.h"

namespace fovea::runtime {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;

/// Results and attributes that are used, with the numbers of cuda.h.
constexpr CUresult kCudaSuccess = 0, kCudaOutOfMemory = 2, kCudaNoBinary = 209, kCudaInvalidPtx = 218,
                   kCudaUnsupportedPtx = 222;
constexpr int kAttributeMultiprocessors = 16, kAttributeMajor = 75, kAttributeMinor = 76, kAttributeSharedOptin = 97;
constexpr int kPointerDeviceOrdinal = 9;
constexpr int kFunctionMaxDynamicShared = 8;
constexpr int kCaptureRelaxed = 2;
constexpr int kJitInfoLog = 3, kJitInfoLogSize = 4, kJitErrorLog = 5, kJitErrorLogSize = 6;

/// The driver's functions.
struct CudaDriver {
#define FOVEA_CUDA_SYMBOL(name, symbol, parameters) CUresult(*name) parameters = nullptr;
#include "CudaSymbols.def"
};

/// The driver, opened and initialised by the first call. `FOVEA_LIBCUDA` in the environment names another library.
fovea_status getCudaDriver(const CudaDriver **driver);

/// Fails with the name and text of a driver error; `what` is the function that reported it.
fovea_status failCuda(const CudaDriver &driver, CUresult result, const char *what);

/// Returns from the calling function where a driver call fails.
#define FOVEA_CUDA_TRY(driver, function, ...)                                                                          \
  do {                                                                                                                 \
    if (CUresult result_ = (driver).function(__VA_ARGS__); result_ != kCudaSuccess)                                    \
      return failCuda(driver, result_, #function);                                                                     \
  } while (false)

/// A context. Its address alone may come back after it was destroyed, so newer drivers give it a number.
struct CudaContextKey {
  CUcontext context = nullptr;
  unsigned long long id = 0;
  bool operator==(const CudaContextKey &other) const { return context == other.context && id == other.id; }
};

/// The current context; an error where there is none.
fovea_status getCurrentContext(const CudaDriver &driver, CudaContextKey *key);

/// The module of an image in one context, in the list of its code.
struct CudaModule {
  CudaContextKey key;
  int image;
  CUmodule module;
  std::unique_ptr<CudaModule> next;
  ~CudaModule();
};

/// What a function runs in one context, in the function's list. Kernels are loaded when they are first needed.
struct CudaBinding {
  CudaContextKey key;
  /// As asked for in `fovea_device.arch`; empty: the best.
  std::string arch;
  int implementation;
  /// Of the context's device.
  int multiprocessors;
  /// By `Kernel::ordinal`; null until the kernel is loaded. Written under the artifact's mutex, read without.
  std::unique_ptr<std::atomic<CUfunction>[]> functions;
  CudaBinding *next;
};

/// Compute capability times ten of the device of the current context.
fovea_status getComputeCapability(const CudaDriver &driver, int *capability);

/// Whether a device of this compute capability runs the code: a cubin of its major version that is not newer, or PTX
/// that is not newer; `sm_90a` runs on 9.0 alone. The larger the better, 0: it does not.
int rankCuda(const Code &code, int capability);

/// Finds or makes the binding of a function in the current context. Loads no code.
fovea_status bindCuda(const fovea_function &function, const fovea_device &device, const CudaDriver &driver,
                      const CudaBinding **binding);

/// Loads those kernels of a variant of the binding's implementation that are not loaded; the binding's context is
/// current. A capture of a stream, by this thread or another, goes on.
fovea_status loadKernels(const fovea_function &function, const CudaDriver &driver, const CudaBinding &binding,
                         const Variant &variant);

/// Multiprocessors of the device of the current context.
fovea_status getMultiprocessors(const CudaDriver &driver, int *count);

/// Enqueues one kernel; `maps` are its tensor maps.
fovea_status runCuda(const CudaDriver &driver, CUfunction entry, const Kernel &kernel, CUstream stream, int64_t grid,
                     uint64_t *words, int count, CUtensorMap *maps);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_CUDA_H
