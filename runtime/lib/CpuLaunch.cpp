//===- CpuLaunch.cpp - Runs a kernel on CPU threads -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"
#include "Pool.h"

#include <algorithm>
#include <atomic>

namespace fovea::runtime {
namespace {

/// What the workers of a launch share.
struct Work {
  CpuKernel entry;
  const uint64_t *words;
  std::atomic<int64_t> next;
  int64_t end, workers;
  char *scratch;
  int64_t scratchStride;
};

/// Takes tasks until none is left: large pieces first for locality, single ones last for balance.
void runWorker(void *closure, int32_t worker) {
  Work &work = *static_cast<Work *>(closure);
  char *scratch = work.scratch + worker * work.scratchStride;
  int64_t begin = work.next.load(std::memory_order_relaxed);
  while (begin < work.end) {
    int64_t size = std::max<int64_t>(1, (work.end - begin) / (4 * work.workers));
    if (!work.next.compare_exchange_weak(begin, begin + size, std::memory_order_relaxed))
      continue;
    work.entry(work.words, begin, begin + size, scratch);
    begin = work.next.load(std::memory_order_relaxed);
  }
}

} // namespace

void runCpu(CpuKernel entry, const Kernel &kernel, const fovea_device &device, int64_t threads, const uint64_t *words,
            int64_t begin, int64_t end, char *scratch) {
  int32_t workers = static_cast<int32_t>(std::min(threads, end - begin));
  Work work{entry, words, {begin}, end, workers, scratch, (kernel.scratchBytes + 127) & ~int64_t(127)};
  if (workers == 1 && !device.parallel_for)
    return entry(words, begin, end, scratch);
  auto parallelFor = device.parallel_for ? device.parallel_for : fovea_pool_run;
  parallelFor(device.parallel_context, workers, runWorker, &work);
}

} // namespace fovea::runtime
