//===- Launch.h - Plans and runs a function -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_LAUNCH_H
#define FOVEA_RUNTIME_LAUNCH_H

#include "Problem.h"
#include "TensorMaps.h"

namespace fovea::runtime {

struct CudaDriver;
struct CudaBinding;

/// The implementation that a device runs; on the CPU its code is loaded. `driver` is null on the CPU.
struct Selected {
  int index = -1;
  Implementation *implementation = nullptr;
  const CudaDriver *driver = nullptr;
  const CudaBinding *binding = nullptr;
  /// Workers (CPU), or multiprocessors of the device.
  int64_t threads = 1;
};

/// What a launch will do: the variant of each step, its tensor maps, and where temporaries lie.
struct Plan {
  Placement temporaries;
  const Variant *variants[kMaxSteps];
  int64_t alignments[kMaxSteps];
  TensorMaps maps;
};

fovea_status checkDevice(const fovea_device &device);

/// Workers of a launch on the CPU.
int64_t getWorkers(const fovea_device &device);

/// Chooses an implementation, and on the CPU loads it.
fovea_status select(const fovea_function &function, const fovea_device &device, Selected &selected);

/// Bytes of workspace whatever the alignment of the operands.
fovea_status getWorkspaceSize(Problem &problem, const Implementation &implementation, int64_t *bytes);

/// Checks everything and chooses the variants.
fovea_status planLaunch(Problem &problem, int32_t argumentCount, int32_t resultCount, const Selected &selected,
                        const char *workspace, uint64_t workspaceBytes, Plan &result);

/// Loads the CUDA kernels that a launch by `plan` runs, or all of the implementation's.
fovea_status loadPlan(const fovea_function &function, const Selected &selected, const Plan &plan);
fovea_status loadAll(const fovea_function &function, const Selected &selected);

/// Checks everything, loads what is not loaded, then runs the steps.
fovea_status launch(Problem &problem, int32_t argumentCount, int32_t resultCount, const Selected &selected,
                    const fovea_device &device, char *workspace, uint64_t workspaceBytes);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_LAUNCH_H
