//===- Runtime.cpp - The C API -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checked.h"
#include "Cpu.h"
#include "Cuda.h"
#include "Guard.h"
#include "Launch.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

using namespace fovea::runtime;

Code::Code() = default;
Code::~Code() = default;
fovea_function::fovea_function() = default;
fovea_function::~fovea_function() {
  for (CudaBinding *binding = cudaBindings.load(); binding;) {
    CudaBinding *next = binding->next;
    delete binding;
    binding = next;
  }
}
fovea_artifact::fovea_artifact() = default;
fovea_artifact::~fovea_artifact() = default;

namespace {

struct FileCloser {
  void operator()(FILE *file) const { std::fclose(file); }
};

fovea_status readFile(const char *path, std::vector<uint64_t> &words, size_t *size) {
  std::unique_ptr<FILE, FileCloser> file(std::fopen(path, "rbe"));
  struct stat status;
  if (!file || fstat(fileno(file.get()), &status) != 0)
    return fail(errno == ENOENT ? FOVEA_NOT_FOUND : FOVEA_IO, "cannot read %s: %s", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return fail(FOVEA_IO, "cannot read %s: it is no file", path);
  *size = static_cast<size_t>(status.st_size);
  words.resize(*size / 8 + 1);
  if (std::fread(words.data(), 1, *size, file.get()) != *size)
    return fail(FOVEA_IO, "cannot read %s: it is shorter than it was", path);
  return FOVEA_OK;
}

/// Hands the artifact out once it is read.
fovea_status publish(std::unique_ptr<fovea_artifact> artifact, const uint8_t *bytes, size_t size,
                     fovea_artifact **out) {
  FOVEA_TRY(readArtifact(bytes, size, *artifact));
  *out = artifact.release();
  return FOVEA_OK;
}

fovea_status describe(const std::vector<Value> &values, const char *what, int32_t index, fovea_value_info *info) {
  if (index < 0 || index >= static_cast<int32_t>(values.size()))
    return fail(FOVEA_INVALID_ARGUMENT, "there is no %s %d: there are %zu", what, index, values.size());
  const Value &value = values[index];
  *info = {value.name.c_str(), value.type, value.rank, {}, value.written, {}, {}};
  for (int d = 0; d < value.rank; ++d) {
    info->dims[d] = value.known[d];
    info->same_argument[d] = value.same[d].first;
    info->same_dim[d] = value.same[d].second;
  }
  return FOVEA_OK;
}

fovea_status setUp(const fovea_function *function, const fovea_device *device, const fovea_value *arguments,
                   Problem &problem) {
  if (!function || !device)
    return failNull(function ? "the device" : "the function");
  FOVEA_TRY(checkDevice(*device));
  problem.function = function;
  problem.arguments = arguments;
  return FOVEA_OK;
}

template <typename T> fovea_value makeScalar(fovea_type type, T value) {
  fovea_value result = {};
  result.type = type;
  result.rank = -1;
  std::memcpy(&result.scalar, &value, sizeof value);
  return result;
}

/// Where there is no workspace, an address as it may have: tensor maps of temporaries must not fail.
const char *const kNoWorkspace = reinterpret_cast<const char *>(static_cast<uintptr_t>(FOVEA_WORKSPACE_ALIGNMENT));

/// Sets up a problem and chooses its implementation. A query without results passes null.
fovea_status prepare(const fovea_function *function, const fovea_device *device, const fovea_value *arguments,
                     const fovea_value *results, Problem &problem, Selected &selected) {
  FOVEA_TRY(setUp(function, device, arguments, problem));
  problem.results = results;
  FOVEA_TRY(guard([&] { return select(*function, *device, selected); }));
  problem.threads = selected.threads;
  return FOVEA_OK;
}

/// The operations of a step; unknown where 64 bits don't hold their number, which keeps nothing from running. Where the
/// artifact has no rule they are those of all pairs of Q, K and V.
fovea_status getFlops(const Step &step, const Problem &problem, const Temporaries &function, const char *workspace,
                      int64_t *flops) {
  *flops = -1;
  if (!step.flops.empty()) {
    if (evaluate(step.flops, problem, flops) != FOVEA_OK)
      *flops = -1;
    return FOVEA_OK;
  }
  if (step.alignedOperands.size() < 3)
    return FOVEA_OK;
  View q, k, v;
  FOVEA_TRY(getView(step.alignedOperands[0], problem, function, {}, workspace, &q));
  FOVEA_TRY(getView(step.alignedOperands[1], problem, function, {}, workspace, &k));
  FOVEA_TRY(getView(step.alignedOperands[2], problem, function, {}, workspace, &v));
  if (step.alignedOperands[0].rank != 4 || step.alignedOperands[1].rank != 4 || step.alignedOperands[2].rank != 4)
    return FOVEA_OK;
  int64_t product;
  bool fits = add(q.sizes[3], v.sizes[3], &product);
  for (int64_t factor : {q.sizes[0], q.sizes[1], q.sizes[2], k.sizes[2], int64_t(2)})
    fits = fits && multiply(product, factor, &product);
  *flops = fits ? product : -1;
  return FOVEA_OK;
}

} // namespace

extern "C" {

int32_t fovea_api_version(void) { return FOVEA_API_VERSION; }

const char *fovea_type_name(fovea_type type) {
  static const char *const kNames[] = {"f32", "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2",
                                       "i1",  "i8",  "i16",  "i32", "i64",      "index"};
  return static_cast<unsigned>(type) < std::size(kNames) ? kNames[type] : "?";
}

size_t fovea_type_size(fovea_type type) {
  static const uint8_t kSizes[] = {4, 2, 2, 8, 1, 1, 1, 1, 2, 4, 8, 8};
  return static_cast<unsigned>(type) < std::size(kSizes) ? kSizes[type] : 0;
}

fovea_status fovea_artifact_load_file(const char *path, fovea_artifact **artifact) {
  if (!path || !artifact)
    return failNull(path ? "the result" : "the path");
  *artifact = nullptr;
  return guard([&] {
    auto loaded = std::make_unique<fovea_artifact>();
    size_t size;
    FOVEA_TRY(readFile(path, loaded->storage, &size));
    auto *bytes = reinterpret_cast<const uint8_t *>(loaded->storage.data());
    fovea_status status = publish(std::move(loaded), bytes, size, artifact);
    if (status == FOVEA_OK)
      return status;
    std::string text = lastError();
    return fail(status, "%s: %s", path, text.c_str());
  });
}

fovea_status fovea_artifact_load_memory(const void *bytes, size_t size, uint32_t flags, fovea_artifact **artifact) {
  if (!bytes || !artifact)
    return failNull(bytes ? "the result" : "the artifact");
  *artifact = nullptr;
  if (flags & ~static_cast<uint32_t>(FOVEA_PIN))
    return fail(FOVEA_INVALID_ARGUMENT, "unknown flags 0x%x", flags);
  if ((flags & FOVEA_PIN) && reinterpret_cast<uintptr_t>(bytes) % 8)
    return fail(FOVEA_INVALID_ARGUMENT, "pinned bytes of an artifact must be aligned to 8");
  return guard([&] {
    auto loaded = std::make_unique<fovea_artifact>();
    auto *source = static_cast<const uint8_t *>(bytes);
    if (!(flags & FOVEA_PIN)) {
      loaded->storage.resize(size / 8 + 1);
      std::memcpy(loaded->storage.data(), bytes, size);
      source = reinterpret_cast<const uint8_t *>(loaded->storage.data());
    }
    return publish(std::move(loaded), source, size, artifact);
  });
}

void fovea_artifact_destroy(fovea_artifact *artifact) { delete artifact; }

const char *fovea_artifact_producer(const fovea_artifact *artifact) {
  return artifact ? artifact->producer.c_str() : "";
}

int32_t fovea_artifact_function_count(const fovea_artifact *artifact) {
  return artifact ? static_cast<int32_t>(artifact->functions.size()) : 0;
}

const fovea_function *fovea_artifact_function(const fovea_artifact *artifact, int32_t index) {
  return index >= 0 && index < fovea_artifact_function_count(artifact) ? artifact->functions[index].get() : nullptr;
}

fovea_status fovea_artifact_find(const fovea_artifact *artifact, const char *name, const fovea_function **function) {
  if (!artifact || !name || !function)
    return failNull(!artifact ? "the artifact" : !name ? "the name" : "the result");
  return guard([&] {
    std::string names;
    for (const auto &candidate : artifact->functions) {
      if (candidate->name == name) {
        *function = candidate.get();
        return FOVEA_OK;
      }
      names += (names.empty() ? "" : ", ") + candidate->name;
    }
    return fail(FOVEA_NOT_FOUND, "the artifact has no function '%s', it has: %s", name, names.c_str());
  });
}

const char *fovea_function_name(const fovea_function *function) { return function ? function->name.c_str() : ""; }

int32_t fovea_function_argument_count(const fovea_function *function) {
  return function ? static_cast<int32_t>(function->arguments.size()) : 0;
}

int32_t fovea_function_result_count(const fovea_function *function) {
  return function ? static_cast<int32_t>(function->results.size()) : 0;
}

int32_t fovea_function_implementation_count(const fovea_function *function) {
  return function ? static_cast<int32_t>(function->implementations.size()) : 0;
}

int32_t fovea_function_step_count(const fovea_function *function, int32_t implementation) {
  if (implementation < 0 || implementation >= fovea_function_implementation_count(function))
    return 0;
  return static_cast<int32_t>(function->implementations[implementation]->steps.size());
}

fovea_status fovea_function_argument(const fovea_function *function, int32_t index, fovea_value_info *info) {
  if (!function || !info)
    return failNull(function ? "the result" : "the function");
  return describe(function->arguments, "argument", index, info);
}

fovea_status fovea_function_result(const fovea_function *function, int32_t index, fovea_value_info *info) {
  if (!function || !info)
    return failNull(function ? "the result" : "the function");
  return describe(function->results, "result", index, info);
}

fovea_status fovea_function_implementation(const fovea_function *function, int32_t index,
                                           fovea_implementation_info *info) {
  if (!function || !info)
    return failNull(function ? "the result" : "the function");
  if (index < 0 || index >= fovea_function_implementation_count(function))
    return fail(FOVEA_INVALID_ARGUMENT, "function '%s' has no implementation %d", function->name.c_str(), index);
  static const char *const kKinds[] = {"shared object", "ptx", "cubin"};
  const Code &code = *function->artifact->codes[function->implementations[index]->code];
  *info = {code.backend.c_str(),
           code.arch.c_str(),
           code.features.c_str(),
           kKinds[static_cast<int>(code.kind)],
           code.ptxVersion,
           code.bytes,
           code.size};
  return FOVEA_OK;
}

int32_t fovea_function_kernel_count(const fovea_function *function, int32_t implementation) {
  if (implementation < 0 || implementation >= fovea_function_implementation_count(function))
    return 0;
  return function->implementations[implementation]->kernelCount;
}

fovea_status fovea_function_kernel(const fovea_function *function, int32_t implementation, int32_t index,
                                   fovea_kernel_info *info) {
  if (!function || !info)
    return failNull(function ? "the result" : "the function");
  if (index >= 0 && index < fovea_function_kernel_count(function, implementation))
    for (const Step &step : function->implementations[implementation]->steps)
      for (const Variant &variant : step.variants)
        for (const Kernel &kernel : variant.kernels)
          if (kernel.ordinal == index) {
            const Code &code = *function->artifact->codes[function->implementations[implementation]->code];
            const Image &image = code.images[kernel.image];
            *info = {kernel.symbol.c_str(), step.name.c_str(), variant.name.c_str(), image.bytes, image.size};
            return FOVEA_OK;
          }
  return fail(FOVEA_INVALID_ARGUMENT, "implementation %d of function '%s' has no kernel %d", implementation,
              function->name.c_str(), index);
}

fovea_value fovea_float(float value) { return makeScalar(FOVEA_F32, value); }

fovea_value fovea_double(double value) { return makeScalar(FOVEA_F64, value); }

fovea_value fovea_integer(fovea_type type, int64_t value) { return makeScalar(type, value); }

fovea_value fovea_tensor(fovea_type type, void *data, int32_t rank, const int64_t *sizes, const int64_t *strides) {
  fovea_value result = {};
  result.type = type;
  result.rank = rank;
  result.data = data;
  result.sizes = sizes;
  result.strides = strides;
  return result;
}

fovea_status fovea_result_sizes(const fovea_function *function, const fovea_value *arguments, int32_t argument_count,
                                int32_t result, int64_t *sizes) {
  fovea_device device = {};
  Problem problem;
  FOVEA_TRY(setUp(function, &device, arguments, problem));
  if (!sizes)
    return failNull("the result");
  if (result < 0 || result >= fovea_function_result_count(function))
    return fail(FOVEA_INVALID_ARGUMENT, "there is no result %d", result);
  FOVEA_TRY(checkShapes(problem, argument_count));
  std::memcpy(sizes, problem.resultSizes[result], sizeof(int64_t) * function->results[result].rank);
  return FOVEA_OK;
}

fovea_status fovea_workspace_size(const fovea_function *function, const fovea_device *device,
                                  const fovea_value *arguments, int32_t argument_count, uint64_t *bytes) {
  if (!bytes)
    return failNull("the result");
  Problem problem;
  Selected selected;
  FOVEA_TRY(prepare(function, device, arguments, /*results=*/nullptr, problem, selected));
  FOVEA_TRY(checkShapes(problem, argument_count));
  int64_t size;
  FOVEA_TRY(getWorkspaceSize(problem, *selected.implementation, &size));
  *bytes = static_cast<uint64_t>(size);
  return FOVEA_OK;
}

fovea_status fovea_prepare(const fovea_function *function, const fovea_device *device) {
  if (!function || !device)
    return failNull(function ? "the device" : "the function");
  Selected selected;
  FOVEA_TRY(guard([&] { return select(*function, *device, selected); }));
  return loadAll(*function, selected);
}

fovea_status fovea_prepare_launch(const fovea_function *function, const fovea_device *device,
                                  const fovea_value *arguments, int32_t argument_count, const fovea_value *results,
                                  int32_t result_count) {
  Problem problem;
  Selected selected;
  FOVEA_TRY(prepare(function, device, arguments, results, problem, selected));
  Plan plan;
  FOVEA_TRY(planLaunch(problem, argument_count, result_count, selected, kNoWorkspace, INT64_MAX, plan));
  return loadPlan(*function, selected, plan);
}

fovea_status fovea_launch(const fovea_function *function, const fovea_device *device, const fovea_value *arguments,
                          int32_t argument_count, const fovea_value *results, int32_t result_count, void *workspace,
                          uint64_t workspace_bytes) {
  Problem problem;
  Selected selected;
  FOVEA_TRY(prepare(function, device, arguments, results, problem, selected));
  return launch(problem, argument_count, result_count, selected, *device, static_cast<char *>(workspace),
                workspace_bytes);
}

fovea_status fovea_select(const fovea_function *function, const fovea_device *device, const fovea_value *arguments,
                          int32_t argument_count, const fovea_value *results, int32_t result_count, int32_t step,
                          fovea_selection *selection) {
  if (!selection)
    return failNull("the selection");
  Problem problem;
  Selected selected;
  FOVEA_TRY(prepare(function, device, arguments, results, problem, selected));
  if (step < 0 || step >= static_cast<int32_t>(selected.implementation->steps.size()))
    return fail(FOVEA_INVALID_ARGUMENT, "there is no step %d", step);
  Plan plan;
  FOVEA_TRY(planLaunch(problem, argument_count, result_count, selected, kNoWorkspace, INT64_MAX, plan));
  const Step &chosen = selected.implementation->steps[step];
  Temporaries functionTemporaries{&selected.implementation->temporaries, &plan.temporaries};
  *selection = {selected.index, chosen.name.c_str(), plan.variants[step]->name.c_str(), -1};
  return getFlops(chosen, problem, functionTemporaries, nullptr, &selection->flops);
}
}
