//===- Problem.cpp - Workspace, variants and parameters of a launch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include "Checked.h"
#include "Error.h"

#include <algorithm>
#include <cstring>

namespace fovea::runtime {

fovea_status place(const std::vector<Buffer> &buffers, const Problem &problem, int64_t begin, Placement *placement) {
  int64_t end = begin;
  for (size_t i = 0; i < buffers.size(); ++i) {
    int64_t bytes = static_cast<int64_t>(fovea_type_size(buffers[i].type));
    for (const Expr &dim : buffers[i].dims) {
      int64_t size;
      FOVEA_TRY(evaluate(dim, problem, &size));
      if (size < 0 || !multiply(bytes, size, &bytes))
        return fail(FOVEA_OVERFLOW, "a temporary of this problem does not fit in 64 bits");
    }
    placement->offsets[i] = end;
    if (!add(end, bytes, &end) || !alignUp(end, &end))
      return fail(FOVEA_OVERFLOW, "the workspace of this problem does not fit in 64 bits");
  }
  placement->end = end;
  return FOVEA_OK;
}

fovea_status findNextVariant(const Step &step, const Problem &problem, const Variant *&variant) {
  const Variant *end = step.variants.data() + step.variants.size();
  for (variant = variant ? variant + 1 : step.variants.data(); variant != end; ++variant) {
    // A condition may rely on those before it, as on a number of tasks that keeps its products small.
    int64_t holds = 1;
    for (const Expr &condition : variant->when) {
      FOVEA_TRY(evaluate(condition, problem, &holds));
      if (!holds)
        break;
    }
    if (holds)
      return FOVEA_OK;
  }
  variant = nullptr;
  return FOVEA_OK;
}

fovea_status getVariantEnd(const Variant &variant, const Problem &problem, int64_t begin, Placement *placement,
                           int64_t *end) {
  FOVEA_TRY(place(variant.temporaries, problem, begin, placement));
  *end = placement->end;
  for (const Kernel &kernel : variant.kernels) {
    int64_t scratch;
    if (!alignUp(kernel.scratchBytes, &scratch) || !multiply(scratch, problem.threads, &scratch) ||
        !add(scratch, placement->end, &scratch))
      return fail(FOVEA_OVERFLOW, "the workspace of this problem does not fit in 64 bits");
    *end = std::max(*end, scratch);
  }
  return FOVEA_OK;
}

namespace {

void setContiguous(int rank, const int64_t *sizes, int64_t *strides) {
  // Kernels never go past the sizes, so a product that wraps is one of an empty tensor.
  uint64_t stride = 1;
  for (int d = rank; d-- > 0;) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(sizes[d]);
  }
}

void viewValue(const fovea_value &value, View *view) {
  view->data = static_cast<const char *>(value.data);
  std::copy_n(value.sizes, std::max(value.rank, 0), view->sizes);
  if (value.strides)
    std::copy_n(value.strides, std::max(value.rank, 0), view->strides);
  else
    setContiguous(value.rank, view->sizes, view->strides);
}

fovea_status viewTemporary(const Temporaries &temporaries, int index, const Problem &problem, const char *workspace,
                           View *view) {
  const Buffer &buffer = (*temporaries.buffers)[index];
  view->data = workspace + temporaries.placement->offsets[index];
  for (size_t d = 0; d < buffer.dims.size(); ++d)
    FOVEA_TRY(evaluate(buffer.dims[d], problem, &view->sizes[d]));
  setContiguous(static_cast<int>(buffer.dims.size()), view->sizes, view->strides);
  return FOVEA_OK;
}

/// The word of a scalar: integers with their sign, i1 as 0 or 1, floats as their bits.
uint64_t getScalarWord(const fovea_value &scalar) {
  if (scalar.type >= FOVEA_I1)
    return static_cast<uint64_t>(getInteger(scalar));
  size_t size = fovea_type_size(scalar.type);
  return size == 8 ? scalar.scalar : scalar.scalar & ((uint64_t(1) << (8 * size)) - 1);
}

int64_t getLargestPowerOfTwo(int64_t alignment, uint64_t bytes) {
  while (bytes % static_cast<uint64_t>(alignment))
    alignment /= 2;
  return alignment;
}

} // namespace

int64_t getAlignment(const Step &step, const Problem &problem, const Implementation &implementation,
                     const Placement &placement, const char *workspace) {
  int64_t alignment = 128;
  for (const Binding &binding : step.alignedOperands) {
    View view;
    Temporaries function{&implementation.temporaries, &placement};
    // A temporary's sizes were evaluated when it was placed.
    if (getView(binding, problem, function, {}, workspace, &view) != FOVEA_OK)
      return 1;
    int64_t elementSize = static_cast<int64_t>(fovea_type_size(binding.type));
    alignment = getLargestPowerOfTwo(alignment, reinterpret_cast<uint64_t>(view.data));
    for (int d = 0; d < binding.rank; ++d) {
      // The stride of a dimension with one element is never used.
      if (view.sizes[d] <= 1)
        continue;
      if (d != binding.rank - 1)
        alignment = getLargestPowerOfTwo(alignment, static_cast<uint64_t>(view.strides[d]) * elementSize);
      else if (view.strides[d] != 1)
        alignment = std::min(alignment, elementSize);
    }
  }
  return alignment;
}

fovea_status getView(const Binding &binding, const Problem &problem, const Temporaries &function,
                     const Temporaries &variant, const char *workspace, View *view) {
  switch (binding.kind) {
  case BindingKind::Argument:
    viewValue(problem.arguments[binding.index], view);
    return FOVEA_OK;
  case BindingKind::Result:
    viewValue(problem.results[binding.index], view);
    return FOVEA_OK;
  case BindingKind::Temporary:
    return viewTemporary(function, binding.index, problem, workspace, view);
  default:
    return viewTemporary(variant, binding.index, problem, workspace, view);
  }
}

int packView(const View &view, int rank, uint64_t *words) {
  words[0] = words[1] = reinterpret_cast<uint64_t>(view.data);
  words[2] = 0;
  for (int d = 0; d < rank; ++d) {
    words[3 + d] = static_cast<uint64_t>(view.sizes[d]);
    words[3 + rank + d] = static_cast<uint64_t>(view.strides[d]);
  }
  return 3 + 2 * rank;
}

fovea_status pack(const Kernel &kernel, const Problem &problem, const Temporaries &function, const Temporaries &variant,
                  const char *workspace, uint64_t *words, int *count) {
  uint64_t *next = words;
  for (const Binding &binding : kernel.bindings) {
    if (binding.rank >= 0) {
      View view;
      FOVEA_TRY(getView(binding, problem, function, variant, workspace, &view));
      next += packView(view, binding.rank, next);
      continue;
    }
    fovea_value scalar = {};
    scalar.type = binding.type;
    scalar.scalar = binding.bits;
    if (binding.kind == BindingKind::Argument)
      scalar.scalar = problem.arguments[binding.index].scalar;
    if (binding.kind == BindingKind::Expression) {
      int64_t value;
      FOVEA_TRY(evaluate(binding.expr, problem, &value));
      scalar.scalar = static_cast<uint64_t>(value);
    }
    *next++ = getScalarWord(scalar);
  }
  *count = static_cast<int>(next - words);
  return FOVEA_OK;
}

} // namespace fovea::runtime
