//===- FakeCuda.cpp - A CUDA driver without a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A library with the functions of libcuda that the runtime uses. Memory is the host's. A launch of `attention` runs the
// kernel of kernel.c, so that even results can be checked.

#include "FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Context {
  int device;
  unsigned long long id;
};
struct Module {
  Context *context;
  std::string image;
};
struct Function {
  Module *module;
  std::string name;
};
/// A launch of `attention` that a graph holds: the words of its parameters.
struct Node {
  uint64_t words[54];
  unsigned grid;
};
using Graph = std::vector<Node>;

FakeState state = {0, 0, 0, 0, 0, 0, 0, 0, 0, 13000, {}, 0, 0, 0, {}, "", 0};
std::mutex mutex;
// Of the stream that is captured, one at a time.
void *capturedStream = nullptr;
Graph captured;
thread_local Context *current = nullptr, *pushed = nullptr;
thread_local int captureMode = 0;
Context primary[2] = {{0, 1}, {1, 2}};
unsigned long long nextId = 3;
// As in a driver, handles live until the end.
std::deque<Context> contexts;
std::deque<Function> functions;

/// The result of a function: the one that a test asked for, once.
int enter(const char *function) {
  std::lock_guard<std::mutex> lock(mutex);
  if (std::strcmp(state.failing, function) != 0)
    return 0;
  state.failing[0] = 0;
  return state.result;
}

/// Whether the thread may load code now: in relaxed mode (2), or while no stream is captured. The mutex is held.
bool mayLoad() {
  if (captureMode == 2 || !capturedStream)
    return true;
  ++state.forbidden;
  return false;
}

/// Whether an image has a kernel: one that names kernels, as PTX does, has no others.
bool mayHave(const std::string &image, const std::string &kernel) {
  return image.find("entry ") == std::string::npos || image.find("entry " + kernel + "(") != std::string::npos;
}

/// A launch of `attention` of kernel.c.
Node makeNode(void **parameters, unsigned grid) {
  Node node = {{}, grid};
  for (int i = 0; i < 53; ++i)
    std::memcpy(&node.words[i], parameters[i], 8);
  // A scalar is passed in its own size.
  std::memcpy(&node.words[53], parameters[53], 4);
  return node;
}

void run(const Node &node) {
  static void *library = dlopen(FOVEA_TEST_KERNEL, RTLD_NOW);
  auto kernel = reinterpret_cast<void (*)(const uint64_t *, int64_t, int64_t, void *)>(dlsym(library, "attention"));
  double scratch[16];
  kernel(node.words, 0, node.grid, scratch);
}

} // namespace

#define ENTER(function)                                                                                                \
  if (int result_ = enter(function))                                                                                   \
  return result_

extern "C" {

FakeState *fake_state(void) { return &state; }
void *fake_context(int device) {
  std::lock_guard<std::mutex> lock(mutex);
  return &contexts.emplace_back(Context{device, nextId++});
}

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *version) {
  *version = state.driverVersion;
  return 0;
}
int cuGetErrorName(int result, const char **name) {
  *name = result == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
                          : "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int result, const char **text) {
  *text = result == 2 ? "out of memory" : "a fake error";
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = 2;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int length, int device) {
  std::strncpy(name, device ? "Fake 9" : "Fake 8", length);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75   ? 8 + device
           : attribute == 76 ? 0
           : attribute == 97 ? (device ? 227 : 163) * 1024
           : attribute == 16 ? 4 + 2 * device
                             : 1;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &primary[device];
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxGetCurrent(void **context) {
  ENTER("cuCtxGetCurrent");
  *context = current;
  return 0;
}
int cuCtxSetCurrent(void *context) {
  current = static_cast<Context *>(context);
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  pushed = current;
  current = static_cast<Context *>(context);
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  *context = current;
  current = pushed;
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = current->device;
  return 0;
}
/// All memory is device 1's.
int cuPointerGetAttribute(void *value, int attribute, unsigned long long) {
  ENTER("cuPointerGetAttribute");
  if (attribute != 9)
    return 1;
  *static_cast<int *>(value) = 1;
  return 0;
}
int cuCtxGetId(void *context, unsigned long long *id) {
  *id = static_cast<Context *>(context)->id;
  return 0;
}
int cuThreadExchangeStreamCaptureMode(int *mode) {
  ENTER("cuThreadExchangeStreamCaptureMode");
  std::swap(*mode, captureMode);
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  ENTER("cuModuleLoadDataEx");
  std::lock_guard<std::mutex> lock(mutex);
  if (!mayLoad())
    return 900;
  std::string text = static_cast<const char *>(image);
  if (text.find("too new") != std::string::npos)
    return 222;
  if (text.find("wrong") != std::string::npos) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "line 7: unknown instruction");
    return 218;
  }
  ++state.loads;
  *module = new Module{current, text};
  return 0;
}
int cuModuleUnload(void *module) {
  std::lock_guard<std::mutex> lock(mutex);
  state.unloads += static_cast<Module *>(module)->context == current;
  delete static_cast<Module *>(module);
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  ENTER("cuModuleGetFunction");
  std::lock_guard<std::mutex> lock(mutex);
  if (!mayHave(static_cast<Module *>(module)->image, name))
    return 500;
  ++state.functions;
  *function = &functions.emplace_back(Function{static_cast<Module *>(module), name});
  return 0;
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  ENTER("cuFuncSetAttribute");
  if (attribute == 8)
    state.maxDynamicShared = value;
  return 0;
}
int cuFuncLoad(void *) { return 0; }
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned shared, void *stream, void **parameters, void **) {
  ENTER("cuLaunchKernel");
  auto *f = static_cast<Function *>(function);
  std::lock_guard<std::mutex> lock(mutex);
  // A function belongs to the context of its module.
  if (f->module->context != current)
    return 201;
  ++state.launches;
  state.last = {"", {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared, stream, current};
  std::strncpy(state.last.kernel, f->name.c_str(), sizeof state.last.kernel - 1);
  for (int i = 0; i < state.mapCount; ++i) {
    if (reinterpret_cast<uintptr_t>(parameters[state.firstMap + i]) % 64)
      return 1;
    std::memcpy(&state.maps[i], parameters[state.firstMap + i], sizeof(FakeTensorMap));
  }
  if (f->name != "attention")
    return 0;
  Node node = makeNode(parameters, gridX);
  if (stream && stream == capturedStream)
    captured.push_back(node);
  else
    run(node);
  return 0;
}
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill) {
  ENTER("cuTensorMapEncodeTiled");
  if (reinterpret_cast<uintptr_t>(map) % 64 || reinterpret_cast<uintptr_t>(address) % 16 || rank > 5)
    return 1;
  FakeTensorMap made = {};
  made.address = reinterpret_cast<uintptr_t>(address);
  for (unsigned i = 0; i < rank; ++i) {
    made.sizes[i] = sizes[i];
    made.box[i] = box[i];
    made.steps[i] = steps[i];
    if (!sizes[i] || !box[i])
      return 1;
  }
  for (unsigned i = 0; i + 1 < rank; ++i) {
    made.strides[i] = strides[i];
    if (strides[i] % 16 || !strides[i] || strides[i] >> 40)
      return 1;
  }
  made.type = type, made.rank = rank, made.interleave = interleave;
  made.swizzle = swizzle, made.promotion = promotion, made.fill = fill;
  std::memset(map, 0, 128);
  std::memcpy(map, &made, sizeof made);
  std::lock_guard<std::mutex> lock(mutex);
  ++state.encodes;
  return 0;
}
int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  ENTER("cuMemAlloc");
  if (const char *room = std::getenv("FAKE_CUDA_ROOM"); room && bytes > std::strtoull(room, nullptr, 10))
    return 2; // CUDA_ERROR_OUT_OF_MEMORY
  ++state.allocations;
  *pointer = reinterpret_cast<uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return 0;
}
int cuMemFree_v2(unsigned long long pointer) {
  ++state.frees;
  std::free(reinterpret_cast<void *>(pointer));
  return 0;
}
int cuMemGetInfo_v2(size_t *free, size_t *all) {
  *free = 1000;
  *all = 2000;
  return 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemsetD8Async(unsigned long long, unsigned char, size_t, void *) { return 0; }
int cuStreamCreate(void **stream, unsigned) {
  *stream = new char;
  return 0;
}
int cuStreamSynchronize(void *) {
  ENTER("cuStreamSynchronize");
  // For fovea-run: the device is lost from this launch on.
  if (const char *launch = std::getenv("FAKE_CUDA_LOST"); launch && state.launches >= std::atoi(launch))
    return 700;
  ++state.synchronisations;
  return 0;
}
int cuStreamDestroy_v2(void *stream) {
  delete static_cast<char *>(stream);
  return 0;
}
int cuStreamBeginCapture_v2(void *stream, int) {
  std::lock_guard<std::mutex> lock(mutex);
  capturedStream = stream;
  captured.clear();
  return 0;
}
int cuStreamEndCapture(void *, void **graph) {
  std::lock_guard<std::mutex> lock(mutex);
  capturedStream = nullptr;
  *graph = nullptr;
  if (std::exchange(state.forbidden, 0))
    return 901;
  *graph = new Graph(captured);
  return 0;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
  *executable = new Graph(*static_cast<Graph *>(graph));
  return 0;
}
int cuGraphLaunch(void *executable, void *) {
  ENTER("cuGraphLaunch");
  std::lock_guard<std::mutex> lock(mutex);
  // For fovea-launch-check: a graph that does not run.
  if (!std::getenv("FAKE_CUDA_IDLE_GRAPH"))
    for (const Node &node : *static_cast<Graph *>(executable))
      run(node);
  return 0;
}
int cuGraphExecDestroy(void *executable) {
  delete static_cast<Graph *>(executable);
  return 0;
}
int cuGraphDestroy(void *graph) {
  delete static_cast<Graph *>(graph);
  return 0;
}
int cuEventCreate(void **event, unsigned) {
  *event = new char;
  return 0;
}
int cuEventRecord(void *, void *) { return 0; }
int cuEventSynchronize(void *) { return 0; }
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 2;
  return 0;
}
int cuEventDestroy_v2(void *event) {
  delete static_cast<char *>(event);
  return 0;
}
}
