//===- Reference.cpp - Runs the judge -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checked.h"
#include "Cpu.h"
#include "Guard.h"
#include "Launch.h"

#include <cinttypes>
#include <cstring>

namespace fovea::runtime {
namespace {

fovea_status getReference(const fovea_function *function, int32_t index, Reference **reference) {
  if (!function)
    return failNull("the function");
  if (index < 0 || index >= static_cast<int32_t>(function->references.size()))
    return fail(FOVEA_NOT_FOUND,
                "function '%s' has %zu references, there is none of index %d: compile it with "
                "--with-reference",
                function->name.c_str(), function->references.size(), index);
  *reference = function->references[index].get();
  return FOVEA_OK;
}

/// Positions of a reference's buffers in the workspace: its five outputs are the caller's and take no room there.
fovea_status placeReference(const Reference &reference, const Problem &problem, Placement *placement) {
  FOVEA_TRY(place(reference.temporaries, problem, 0, placement));
  size_t count = reference.temporaries.size();
  int64_t outputsEnd = count > 5 ? placement->offsets[5] : placement->end;
  for (size_t i = 5; i < count; ++i)
    placement->offsets[i] -= outputsEnd;
  placement->end -= outputsEnd;
  return FOVEA_OK;
}

fovea_status getWorkspace(const Reference &reference, const Problem &problem, const Placement &placement,
                          uint64_t *bytes) {
  int64_t scratch;
  if (!alignUp(reference.kernel.scratchBytes, &scratch) || !multiply(scratch, problem.threads, &scratch) ||
      !add(scratch, placement.end, &scratch))
    return fail(FOVEA_OVERFLOW, "the workspace of this problem does not fit in 64 bits");
  *bytes = static_cast<uint64_t>(scratch);
  return FOVEA_OK;
}

fovea_status checkSameSizes(const Reference &reference, const Problem &problem, const fovea_reference_sizes &sizes) {
  for (int i = 0; i < 5; ++i)
    for (size_t d = 0; d < reference.temporaries[i].dims.size(); ++d) {
      int64_t size;
      FOVEA_TRY(evaluate(reference.temporaries[i].dims[d], problem, &size));
      if (size != sizes.output[d])
        return fail(FOVEA_INVALID_ARTIFACT,
                    "output %d of the reference has %" PRId64 " in dimension %zu, the checked one %" PRId64, i, size, d,
                    sizes.output[d]);
    }
  return FOVEA_OK;
}

fovea_status getSizes(const Reference &reference, Problem &problem, fovea_reference_sizes *sizes) {
  const Value &output =
      (reference.inArguments ? problem.function->arguments : problem.function->results)[reference.output];
  const int64_t *from =
      reference.inArguments ? problem.arguments[reference.output].sizes : problem.resultSizes[reference.output];
  *sizes = {};
  sizes->rank = output.rank;
  std::memcpy(sizes->output, from, sizeof(int64_t) * output.rank);
  sizes->kv_length = -1;
  if (!reference.kvLength.empty())
    FOVEA_TRY(evaluate(reference.kvLength, problem, &sizes->kv_length));
  FOVEA_TRY(evaluate(reference.kernel.grid, problem, &sizes->tasks));
  FOVEA_TRY(checkSameSizes(reference, problem, *sizes));
  Placement placement;
  FOVEA_TRY(placeReference(reference, problem, &placement));
  return getWorkspace(reference, problem, placement, &sizes->workspace_bytes);
}

fovea_status runReference(Reference &reference, Problem &problem, const fovea_device &device, int64_t begin,
                          int64_t end, const fovea_reference_outputs &outputs, char *workspace,
                          uint64_t workspaceBytes) {
  fovea_reference_sizes sizes;
  FOVEA_TRY(getSizes(reference, problem, &sizes));
  if (begin < 0 || end < begin || end > sizes.tasks)
    return fail(FOVEA_INVALID_ARGUMENT, "tasks [%" PRId64 ", %" PRId64 ") of %" PRId64, begin, end, sizes.tasks);
  if (workspaceBytes < sizes.workspace_bytes || (sizes.workspace_bytes && !workspace))
    return fail(FOVEA_OUT_OF_MEMORY, "the reference needs %" PRIu64 " bytes of workspace, %" PRIu64 " were given",
                sizes.workspace_bytes, workspaceBytes);
  Placement placement;
  FOVEA_TRY(placeReference(reference, problem, &placement));
  double *const buffers[] = {outputs.o, outputs.lse, outputs.a, outputs.smax, outputs.rounded};
  static const char *const kNames[] = {"the output o", "the output lse", "the output a", "the output smax",
                                       "the output rounded"};
  for (int i = 0; i < 5; ++i) {
    if (!buffers[i] && begin < end)
      return failNull(kNames[i]);
    placement.offsets[i] =
        static_cast<int64_t>(reinterpret_cast<intptr_t>(buffers[i]) - reinterpret_cast<intptr_t>(workspace));
  }
  uint64_t words[kMaxWords];
  int count;
  FOVEA_TRY(pack(reference.kernel, problem, {}, {&reference.temporaries, &placement}, workspace, words, &count));
  if (begin < end)
    runCpu(reinterpret_cast<CpuKernel>(reference.entry.load()), reference.kernel, device, problem.threads, words, begin,
           end, workspace + placement.end);
  return FOVEA_OK;
}

fovea_status setUp(const fovea_function *function, int32_t index, const fovea_device *device,
                   const fovea_value *arguments, int32_t argumentCount, Reference **reference, Problem &problem) {
  FOVEA_TRY(getReference(function, index, reference));
  if (!device || device->backend != FOVEA_CPU)
    return fail(FOVEA_INVALID_ARGUMENT, "a reference runs on the CPU alone");
  FOVEA_TRY(checkDevice(*device));
  problem.function = function;
  problem.arguments = arguments;
  problem.threads = getWorkers(*device);
  return checkShapes(problem, argumentCount);
}

} // namespace
} // namespace fovea::runtime

using namespace fovea::runtime;

extern "C" {

int32_t fovea_function_reference_count(const fovea_function *function) {
  return function ? static_cast<int32_t>(function->references.size()) : 0;
}

fovea_status fovea_function_reference(const fovea_function *function, int32_t index, fovea_reference_info *info) {
  Reference *reference;
  FOVEA_TRY(getReference(function, index, &reference));
  if (!info)
    return failNull("the result");
  *info = {reference->inArguments, reference->output,    reference->lse,        reference->kvLengths,
           reference->pType,       reference->allowTF32, reference->allowApprox};
  return FOVEA_OK;
}

fovea_status fovea_reference_size(const fovea_function *function, int32_t index, const fovea_device *device,
                                  const fovea_value *arguments, int32_t argument_count, fovea_reference_sizes *sizes) {
  Reference *reference;
  Problem problem;
  FOVEA_TRY(setUp(function, index, device, arguments, argument_count, &reference, problem));
  if (!sizes)
    return failNull("the result");
  return getSizes(*reference, problem, sizes);
}

fovea_status fovea_reference_run(const fovea_function *function, int32_t index, const fovea_device *device,
                                 const fovea_value *arguments, int32_t argument_count, const fovea_value *results,
                                 int32_t result_count, int64_t begin, int64_t end,
                                 const fovea_reference_outputs *outputs, void *workspace, uint64_t workspace_bytes) {
  Reference *reference;
  Problem problem;
  FOVEA_TRY(setUp(function, index, device, arguments, argument_count, &reference, problem));
  if (!outputs)
    return failNull("the list of outputs");
  problem.results = results;
  FOVEA_TRY(checkMemory(problem, result_count));
  FOVEA_TRY(guard([&] { return prepareReference(*function, *reference); }));
  return runReference(*reference, problem, *device, begin, end, *outputs, static_cast<char *>(workspace),
                      workspace_bytes);
}
}
