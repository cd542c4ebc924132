//===- Launch.cpp - Plans and runs a function -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Checked.h"
#include "Cpu.h"
#include "Cuda.h"

#include <algorithm>
#include <cinttypes>

namespace fovea::runtime {
namespace {

constexpr int64_t kMaxCudaGrid = 2147483647;

fovea_status checkGrid(const Kernel &kernel, bool cuda, int64_t grid) {
  if (grid < 0)
    return fail(FOVEA_OVERFLOW, "the grid of kernel '%s' would be %" PRId64, kernel.symbol.c_str(), grid);
  if (cuda && grid > kMaxCudaGrid)
    return fail(FOVEA_UNSUPPORTED,
                "kernel '%s' needs %" PRId64 " thread blocks, CUDA launches at most %" PRId64
                " at once: split the batch or the heads",
                kernel.symbol.c_str(), grid, kMaxCudaGrid);
  return FOVEA_OK;
}

fovea_status failNoVariant(const Step &step) {
  return fail(FOVEA_UNSUPPORTED, "no variant of step '%s' fits this problem", step.name.c_str());
}

/// The first variant that fits, with its tensor maps in the plan, and the end of its workspace.
fovea_status chooseVariant(const Step &step, const Problem &problem, const Selected &selected, const char *workspace,
                           Plan &plan, const Variant *&variant, int64_t *end) {
  Temporaries function{&selected.implementation->temporaries, &plan.temporaries};
  variant = nullptr;
  // Where tensor maps are why no variant fits, the last one's trouble is the error.
  for (fovea_status status = FOVEA_OK;;) {
    FOVEA_TRY(findNextVariant(step, problem, variant));
    if (!variant)
      return status == FOVEA_OK ? failNoVariant(step) : status;
    Placement placement;
    FOVEA_TRY(getVariantEnd(*variant, problem, plan.temporaries.end, &placement, end));
    status = addTensorMaps(selected.driver, *variant, problem, function, {&variant->temporaries, &placement}, workspace,
                           plan.maps);
    if (status == FOVEA_OK)
      return FOVEA_OK;
  }
}

/// End of the workspace of whichever variant a step may run.
fovea_status getLargestEnd(const Step &step, const Problem &problem, int64_t begin, int64_t *largest) {
  const Variant *variant = nullptr;
  FOVEA_TRY(findNextVariant(step, problem, variant));
  if (!variant)
    return failNoVariant(step);
  for (*largest = begin; variant;) {
    Placement placement;
    int64_t end;
    FOVEA_TRY(getVariantEnd(*variant, problem, begin, &placement, &end));
    *largest = std::max(*largest, end);
    // One with tensor maps may turn out not to fit: then the next one runs.
    if (!hasTensorMaps(*variant))
      break;
    FOVEA_TRY(findNextVariant(step, problem, variant));
  }
  return FOVEA_OK;
}

/// Chooses the variants and checks grids and workspace, so that nothing is launched where a later step would fail.
fovea_status plan(Problem &problem, const Selected &selected, const char *workspace, uint64_t workspaceBytes,
                  Plan &plan) {
  const Implementation &implementation = *selected.implementation;
  FOVEA_TRY(place(implementation.temporaries, problem, 0, &plan.temporaries));
  int64_t end = plan.temporaries.end;
  for (size_t i = 0; i < implementation.steps.size(); ++i) {
    const Step &step = implementation.steps[i];
    plan.alignments[i] = problem.alignment = getAlignment(step, problem, implementation, plan.temporaries, workspace);
    int64_t variantEnd;
    FOVEA_TRY(chooseVariant(step, problem, selected, workspace, plan, plan.variants[i], &variantEnd));
    end = std::max(end, variantEnd);
    for (const Kernel &kernel : plan.variants[i]->kernels) {
      int64_t grid;
      FOVEA_TRY(evaluate(kernel.grid, problem, &grid));
      FOVEA_TRY(checkGrid(kernel, selected.driver != nullptr, grid));
    }
  }
  if (static_cast<uint64_t>(end) > workspaceBytes)
    return fail(FOVEA_OUT_OF_MEMORY, "this launch needs %" PRId64 " bytes of workspace, %" PRIu64 " were given", end,
                workspaceBytes);
  return FOVEA_OK;
}

fovea_status runKernel(const Kernel &kernel, const Problem &problem, const Selected &selected,
                       const fovea_device &device, uint64_t *words, int count, CUtensorMap *maps, char *scratch) {
  int64_t grid;
  FOVEA_TRY(evaluate(kernel.grid, problem, &grid));
  if (grid == 0)
    return FOVEA_OK;
  if (selected.driver)
    return runCuda(*selected.driver, selected.binding->functions[kernel.ordinal].load(std::memory_order_acquire),
                   kernel, static_cast<CUstream>(device.stream), grid, words, count, maps);
  auto entry = reinterpret_cast<CpuKernel>(selected.implementation->entries[kernel.ordinal]);
  runCpu(entry, kernel, device, problem.threads, words, 0, grid, scratch);
  return FOVEA_OK;
}

fovea_status checkWorkspace(const void *workspace, uint64_t bytes) {
  if (bytes && !workspace)
    return failNull("the workspace");
  if (reinterpret_cast<uintptr_t>(workspace) % FOVEA_WORKSPACE_ALIGNMENT)
    return fail(FOVEA_INVALID_ARGUMENT, "the workspace is not aligned to %d bytes", FOVEA_WORKSPACE_ALIGNMENT);
  return FOVEA_OK;
}

} // namespace

fovea_status checkDevice(const fovea_device &device) {
  if (device.backend != FOVEA_CPU && device.backend != FOVEA_CUDA)
    return fail(FOVEA_INVALID_ARGUMENT, "unknown backend %d", static_cast<int>(device.backend));
  if (device.threads < 0 || device.threads > 65536)
    return fail(FOVEA_INVALID_ARGUMENT, "%d threads: expected 0 to 65536", device.threads);
  return FOVEA_OK;
}

int64_t getWorkers(const fovea_device &device) {
  return device.threads ? device.threads : std::max(1, fovea_default_threads());
}

fovea_status select(const fovea_function &function, const fovea_device &device, Selected &selected) {
  FOVEA_TRY(checkDevice(device));
  if (device.backend == FOVEA_CUDA) {
    FOVEA_TRY(getCudaDriver(&selected.driver));
    FOVEA_TRY(bindCuda(function, device, *selected.driver, &selected.binding));
    selected.index = selected.binding->implementation;
    selected.threads = selected.binding->multiprocessors;
  } else {
    FOVEA_TRY(chooseCpu(function, device, &selected.index));
    selected.threads = getWorkers(device);
    FOVEA_TRY(prepareCpu(function, *function.implementations[selected.index]));
  }
  selected.implementation = function.implementations[selected.index].get();
  return FOVEA_OK;
}

fovea_status getWorkspaceSize(Problem &problem, const Implementation &implementation, int64_t *bytes) {
  Placement temporaries;
  FOVEA_TRY(place(implementation.temporaries, problem, 0, &temporaries));
  *bytes = temporaries.end;
  for (const Step &step : implementation.steps)
    for (problem.alignment = 1; problem.alignment <= 128; problem.alignment *= 2) {
      int64_t end;
      FOVEA_TRY(getLargestEnd(step, problem, temporaries.end, &end));
      *bytes = std::max(*bytes, end);
    }
  return FOVEA_OK;
}

fovea_status planLaunch(Problem &problem, int32_t argumentCount, int32_t resultCount, const Selected &selected,
                        const char *workspace, uint64_t workspaceBytes, Plan &result) {
  FOVEA_TRY(checkShapes(problem, argumentCount));
  FOVEA_TRY(checkMemory(problem, resultCount));
  return plan(problem, selected, workspace, workspaceBytes, result);
}

fovea_status loadPlan(const fovea_function &function, const Selected &selected, const Plan &plan) {
  for (size_t i = 0; selected.driver && i < selected.implementation->steps.size(); ++i)
    FOVEA_TRY(loadKernels(function, *selected.driver, *selected.binding, *plan.variants[i]));
  return FOVEA_OK;
}

fovea_status loadAll(const fovea_function &function, const Selected &selected) {
  if (selected.driver)
    for (const Step &step : selected.implementation->steps)
      for (const Variant &variant : step.variants)
        FOVEA_TRY(loadKernels(function, *selected.driver, *selected.binding, variant));
  return FOVEA_OK;
}

fovea_status launch(Problem &problem, int32_t argumentCount, int32_t resultCount, const Selected &selected,
                    const fovea_device &device, char *workspace, uint64_t workspaceBytes) {
  FOVEA_TRY(checkWorkspace(workspace, workspaceBytes));
  Plan plan;
  FOVEA_TRY(planLaunch(problem, argumentCount, resultCount, selected, workspace, workspaceBytes, plan));
  FOVEA_TRY(loadPlan(*problem.function, selected, plan));
  Temporaries function{&selected.implementation->temporaries, &plan.temporaries};
  CUtensorMap *maps = plan.maps.maps;
  for (size_t i = 0; i < selected.implementation->steps.size(); ++i) {
    const Variant &variant = *plan.variants[i];
    problem.alignment = plan.alignments[i];
    Placement placement;
    FOVEA_TRY(place(variant.temporaries, problem, plan.temporaries.end, &placement));
    for (const Kernel &kernel : variant.kernels) {
      uint64_t words[kMaxWords];
      int count;
      FOVEA_TRY(pack(kernel, problem, function, {&variant.temporaries, &placement}, workspace, words, &count));
      FOVEA_TRY(runKernel(kernel, problem, selected, device, words, count, maps, workspace + placement.end));
      maps += kernel.tensorMaps.size();
    }
  }
  return FOVEA_OK;
}

} // namespace fovea::runtime
