//===- Cpu.h - Code for the CPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_CPU_H
#define FOVEA_RUNTIME_CPU_H

#include "Problem.h"

namespace fovea::runtime {

/// A loaded shared object.
struct CpuCode {
  void *handle = nullptr;
  ~CpuCode();
};

/// A CPU kernel; see `Kernel` of the artifact.
using CpuKernel = void (*)(const uint64_t *words, int64_t begin, int64_t end, void *scratch);

/// Picks the implementation that `device` asks for, or the one that this CPU runs and that needs most of it.
fovea_status chooseCpu(const fovea_function &function, const fovea_device &device, int *implementation);

/// Loads the code of an implementation and looks its kernels up; does nothing the second time.
fovea_status prepareCpu(const fovea_function &function, Implementation &implementation);

/// Loads the code of a reference.
fovea_status prepareReference(const fovea_function &function, Reference &reference);

/// Runs tasks [begin, end) of a kernel. `scratch` holds `threads` times the kernel's scratch memory.
void runCpu(CpuKernel entry, const Kernel &kernel, const fovea_device &device, int64_t threads, const uint64_t *words,
            int64_t begin, int64_t end, char *scratch);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_CPU_H
