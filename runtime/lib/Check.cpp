//===- Check.cpp - Checks of a launch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checked.h"
#include "Error.h"
#include "Layout.h"
#include "Problem.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace fovea::runtime {
namespace {

/// Text of a value in messages: argument 1 ('key').
struct Label {
  Label(const char *kind, int index, const Value &value) {
    if (value.name.empty())
      std::snprintf(text, sizeof text, "%s %d", kind, index);
    else
      std::snprintf(text, sizeof text, "%s %d ('%.80s')", kind, index, value.name.c_str());
  }
  char text[112];
};

fovea_status checkType(const fovea_value &given, const Value &value, const char *label) {
  if (given.type != value.type)
    return fail(FOVEA_INVALID_ARGUMENT, "%s has type %s, expected %s", label, fovea_type_name(given.type),
                fovea_type_name(value.type));
  if (given.rank == value.rank && (value.rank <= 0 || given.sizes))
    return FOVEA_OK;
  if (given.rank == value.rank)
    return fail(FOVEA_INVALID_ARGUMENT, "%s has no sizes", label);
  if (value.rank < 0)
    return fail(FOVEA_INVALID_ARGUMENT, "%s is a tensor of rank %d, expected a scalar", label, given.rank);
  if (given.rank < 0)
    return fail(FOVEA_INVALID_ARGUMENT, "%s is a scalar, expected a tensor of rank %d", label, value.rank);
  return fail(FOVEA_INVALID_ARGUMENT, "%s has rank %d, expected %d", label, given.rank, value.rank);
}

fovea_status checkSizes(const fovea_value &given, const char *label) {
  for (int d = 0; d < given.rank; ++d)
    if (given.sizes[d] < 0)
      return fail(FOVEA_INVALID_ARGUMENT, "%s: size %d is %" PRId64 ", a size is at least 0", label, d, given.sizes[d]);
  return FOVEA_OK;
}

fovea_status checkDims(const Problem &problem, const fovea_value &given, const Value &value, const char *label) {
  for (int d = 0; d < value.rank; ++d) {
    if (value.dims[d].empty())
      continue;
    int64_t expected;
    FOVEA_TRY(evaluate(value.dims[d], problem, &expected));
    if (given.sizes[d] != expected)
      return fail(FOVEA_INVALID_ARGUMENT, "%s: dimension %d is %" PRId64 ", expected %" PRId64, label, d,
                  given.sizes[d], expected);
  }
  return FOVEA_OK;
}

/// Fails with the message of a constraint, its values filled in.
fovea_status failConstraint(const Constraint &constraint, const Problem &problem) {
  char text[512];
  size_t length = 0;
  for (const char *c = constraint.message.c_str(); *c && length + 24 < sizeof text; ++c) {
    size_t index = static_cast<size_t>(c[0] == '{' && c[1] >= '0' && c[1] <= '9' && c[2] == '}' ? c[1] - '0' : 10);
    if (index >= constraint.values.size()) {
      text[length++] = *c;
      continue;
    }
    int64_t value;
    FOVEA_TRY(evaluate(constraint.values[index], problem, &value));
    length += std::snprintf(text + length, 24, "%" PRId64, value);
    c += 2;
  }
  text[length] = 0;
  return fail(FOVEA_INVALID_ARGUMENT, "%s", text);
}

fovea_status computeResultSizes(Problem &problem) {
  const std::vector<Value> &results = problem.function->results;
  for (size_t i = 0; i < results.size(); ++i)
    for (int d = 0; d < results[i].rank; ++d) {
      FOVEA_TRY(evaluate(results[i].dims[d], problem, &problem.resultSizes[i][d]));
      if (problem.resultSizes[i][d] < 0)
        return fail(FOVEA_INVALID_ARGUMENT, "%s: dimension %d would be %" PRId64,
                    Label("result", static_cast<int>(i), results[i]).text, d, problem.resultSizes[i][d]);
    }
  return FOVEA_OK;
}

/// Sizes that do not overflow, and the layout in bytes; `hasElements` is false for an empty tensor, which has none.
fovea_status getLayout(const fovea_value &value, const char *label, Layout *layout, bool *hasElements) {
  *hasElements = true;
  int64_t elements = 1;
  for (int d = 0; d < value.rank; ++d)
    *hasElements &= value.sizes[d] > 0;
  if (!*hasElements)
    return FOVEA_OK;
  layout->base = reinterpret_cast<uint64_t>(value.data);
  layout->rank = value.rank;
  layout->elementSize = static_cast<int64_t>(fovea_type_size(value.type));
  bool fits = true;
  for (int d = value.rank; d-- > 0;) {
    layout->sizes[d] = value.sizes[d];
    fits &= multiply(value.strides ? value.strides[d] : elements, layout->elementSize, &layout->strides[d]);
    fits &= multiply(elements, value.sizes[d], &elements);
  }
  int64_t bytes;
  if (!fits || !multiply(elements, layout->elementSize, &bytes))
    return fail(FOVEA_OVERFLOW, "%s: sizes or strides do not fit in 64 bits", label);
  return FOVEA_OK;
}

fovea_status checkPointer(const fovea_value &value, const char *label, const Layout &layout) {
  if (!value.data)
    return failNull(label);
  if (layout.base % layout.elementSize)
    return fail(FOVEA_INVALID_ARGUMENT,
                "%s is at address 0x%" PRIx64 ", which is not aligned to its element size of %" PRId64 " bytes", label,
                layout.base, layout.elementSize);
  uint64_t begin, end;
  if (!getExtent(layout, &begin, &end))
    return fail(FOVEA_INVALID_ARGUMENT, "%s: sizes and strides reach outside of the address space", label);
  uint64_t buffer = reinterpret_cast<uint64_t>(value.buffer);
  if (value.buffer_bytes && (begin < buffer || end - buffer > value.buffer_bytes))
    return fail(FOVEA_INVALID_ARGUMENT,
                "%s: sizes and strides reach from byte %" PRId64 " to byte %" PRId64 " of a buffer of %" PRIu64
                " bytes",
                label, static_cast<int64_t>(begin - buffer), static_cast<int64_t>(end - buffer), value.buffer_bytes);
  return FOVEA_OK;
}

/// One tensor of a call.
struct Operand {
  const fovea_value *given;
  const Value *value;
  const char *kind;
  int index;
  bool output;
};

Operand getOperand(const Problem &problem, int i) {
  const std::vector<Value> &arguments = problem.function->arguments;
  int count = static_cast<int>(arguments.size());
  if (i < count)
    return {&problem.arguments[i], &arguments[i], "argument", i, arguments[i].written};
  return {&problem.results[i - count], &problem.function->results[i - count], "result", i - count, true};
}

fovea_status checkOutput(const Problem &problem, int i, const Layout &layout) {
  Operand output = getOperand(problem, i);
  Label label(output.kind, output.index, *output.value);
  if (findSelfOverlap(layout) != Overlap::None)
    return fail(FOVEA_INVALID_ARGUMENT, "%s is written, but its strides give two elements one address", label.text);
  int count = static_cast<int>(problem.function->arguments.size() + problem.function->results.size());
  for (int j = 0; j < count; ++j) {
    Operand other = getOperand(problem, j);
    // Two outputs meet once.
    if (j == i || other.value->rank < 0 || (other.output && j < i))
      continue;
    Label otherLabel(other.kind, other.index, *other.value);
    Layout otherLayout;
    bool hasElements;
    FOVEA_TRY(getLayout(*other.given, otherLabel.text, &otherLayout, &hasElements));
    if (!hasElements)
      continue;
    Overlap found = findOverlap(layout, otherLayout);
    if (found != Overlap::None)
      return fail(FOVEA_INVALID_ARGUMENT, "%s is written, but %s %s", label.text,
                  found == Overlap::Some ? "overlaps" : "cannot be shown not to overlap", otherLabel.text);
  }
  return FOVEA_OK;
}

} // namespace

fovea_status checkShapes(Problem &problem, int32_t argumentCount) {
  const std::vector<Value> &arguments = problem.function->arguments;
  if (argumentCount != static_cast<int32_t>(arguments.size()))
    return fail(FOVEA_INVALID_ARGUMENT, "function '%s' takes %zu arguments, %d were given",
                problem.function->name.c_str(), arguments.size(), argumentCount);
  if (argumentCount && !problem.arguments)
    return fail(FOVEA_INVALID_ARGUMENT, "the arguments are a null pointer");
  // Sizes of all arguments before any expression reads them.
  for (int i = 0; i < argumentCount; ++i) {
    Label label("argument", i, arguments[i]);
    FOVEA_TRY(checkType(problem.arguments[i], arguments[i], label.text));
    FOVEA_TRY(checkSizes(problem.arguments[i], label.text));
  }
  for (int i = 0; i < argumentCount; ++i)
    FOVEA_TRY(checkDims(problem, problem.arguments[i], arguments[i], Label("argument", i, arguments[i]).text));
  FOVEA_TRY(computeResultSizes(problem));
  for (const Constraint &constraint : problem.function->constraints) {
    int64_t holds;
    FOVEA_TRY(evaluate(constraint.expr, problem, &holds));
    if (!holds)
      return failConstraint(constraint, problem);
  }
  return FOVEA_OK;
}

fovea_status checkMemory(const Problem &problem, int32_t resultCount) {
  const std::vector<Value> &results = problem.function->results;
  if (resultCount != static_cast<int32_t>(results.size()))
    return fail(FOVEA_INVALID_ARGUMENT, "function '%s' has %zu results, %d were given", problem.function->name.c_str(),
                results.size(), resultCount);
  if (resultCount && !problem.results)
    return fail(FOVEA_INVALID_ARGUMENT, "the results are a null pointer");
  for (int i = 0; i < resultCount; ++i) {
    Label label("result", i, results[i]);
    FOVEA_TRY(checkType(problem.results[i], results[i], label.text));
    for (int d = 0; d < results[i].rank; ++d)
      if (problem.results[i].sizes[d] != problem.resultSizes[i][d])
        return fail(FOVEA_INVALID_ARGUMENT, "%s: dimension %d is %" PRId64 ", expected %" PRId64, label.text, d,
                    problem.results[i].sizes[d], problem.resultSizes[i][d]);
  }
  int count = static_cast<int>(problem.function->arguments.size()) + resultCount;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < count; ++i) {
      Operand operand = getOperand(problem, i);
      if (operand.value->rank < 0 || (pass == 1 && !operand.output))
        continue;
      Label label(operand.kind, operand.index, *operand.value);
      Layout layout;
      bool hasElements;
      FOVEA_TRY(getLayout(*operand.given, label.text, &layout, &hasElements));
      if (hasElements)
        FOVEA_TRY(pass == 0 ? checkPointer(*operand.given, label.text, layout) : checkOutput(problem, i, layout));
    }
  return FOVEA_OK;
}

} // namespace fovea::runtime
