//===- Compare.cpp - How close is close -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "Failure.h"
#include "Random.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>

namespace fovea::run {
namespace {

/// Unit roundoff of a type.
double getRoundoff(fovea_type type) {
  switch (type) {
  case FOVEA_BF16:
    return 0x1p-8;
  case FOVEA_F16:
    return 0x1p-11;
  case FOVEA_F8E4M3FN:
    return 0x1p-4;
  case FOVEA_F8E5M2:
    return 0x1p-3;
  case FOVEA_F64:
    return 0x1p-53;
  case FOVEA_F32:
    return 0x1p-24;
  default:
    return 0;
  }
}

/// The smallest positive number of a type, by which those too small for a full significand are apart.
double getSmallest(fovea_type type) {
  switch (type) {
  case FOVEA_BF16:
    return 0x1p-133;
  case FOVEA_F16:
    return 0x1p-24;
  case FOVEA_F8E4M3FN:
    return 0x1p-9;
  case FOVEA_F8E5M2:
    return 0x1p-16;
  case FOVEA_F32:
    return 0x1p-149;
  default:
    return 0;
  }
}

/// Compares one number: NaN with NaN, infinities and zeros of `bits` exactly, others by `bound`.
void compareNumber(Comparison &comparison, double got, double expected, double bound, int64_t row, int64_t column,
                   bool bits = false) {
  ++comparison.compared;
  double error, ratio;
  // Where the rule has no number to give, nothing is allowed.
  if (!std::isfinite(bound) || !std::isfinite(expected))
    bound = 0;
  if (bits || !std::isfinite(expected) || !std::isfinite(got)) {
    bool sameSign = !bits || std::signbit(got) == std::signbit(expected);
    bool same = std::isnan(expected) ? std::isnan(got) : got == expected && sameSign;
    error = ratio = same ? 0 : INFINITY;
  } else {
    error = std::fabs(got - expected);
    ratio = error == 0 ? 0 : bound > 0 ? error / bound : INFINITY;
  }
  comparison.wrong += !(ratio <= 1);
  comparison.maxError = std::max(comparison.maxError, error);
  if (comparison.row >= 0 && ratio <= comparison.ratio)
    return;
  comparison.row = row;
  comparison.column = column;
  comparison.ratio = ratio;
  comparison.bound = bound;
  comparison.got = got;
  comparison.expected = expected;
}

void merge(Comparison &into, const Comparison &part) {
  into.compared += part.compared;
  into.wrong += part.wrong;
  into.maxError = std::max(into.maxError, part.maxError);
  if (part.row < 0 || (into.row >= 0 && part.ratio <= into.ratio))
    return;
  into.row = part.row;
  into.column = part.column;
  into.ratio = part.ratio;
  into.bound = part.bound;
  into.got = part.got;
  into.expected = part.expected;
}

/// Squared norms of the third rule.
struct Norms {
  double error = 0, roundedError = 0, reference = 0;
};

/// One reference and the outputs it judges.
class Judge {
public:
  Judge(const fovea_function *function, int index, const Options &options, const std::vector<CallValue> &arguments,
        const std::vector<CallValue> &results)
      : function(function), index(index), options(options), arguments(arguments) {
    device.threads = static_cast<int32_t>(options.threads);
    require(fovea_function_reference(function, index, &info));
    auto host = [](const Memory &memory) { return memory.data(); };
    boundArguments = bindValues(arguments, host);
    boundResults = bindValues(results, host);
    require(fovea_reference_size(function, index, &device, boundArguments.data(), count(boundArguments), &sizes));
    const std::vector<CallValue> &outputs = info.in_arguments ? arguments : results;
    output = &outputs[info.output];
    lse = info.lse >= 0 ? &outputs[info.lse] : nullptr;
  }

  void judge(Report &report) {
    run();
    compare(report);
  }

private:
  static int32_t count(const std::vector<fovea_value> &values) { return static_cast<int32_t>(values.size()); }

  /// Runs all tasks, or some of them; rows that no task made keep the mark.
  void run() {
    rows = output->tensor.getNumRows();
    length = output->tensor.getRowLength();
    uint64_t elements = static_cast<uint64_t>(output->tensor.getNumElements());
    memory = std::make_unique<Memory>((3 * elements + 2 * static_cast<uint64_t>(rows)) * sizeof(double));
    auto *next = reinterpret_cast<double *>(memory->data());
    o = next;
    a = o + elements;
    rounded = a + elements;
    l = rounded + elements;
    smax = l + rows;
    std::fill_n(smax, rows, kMark);
    Memory workspace(sizes.workspace_bytes);
    if (!options.sample || options.sample >= sizes.tasks)
      return runTasks(0, sizes.tasks, workspace);
    std::set<int64_t> tasks;
    for (int64_t i = 0; i < options.sample; ++i)
      tasks.insert(getInteger(options.seed, 1000000 + index, i, 0, sizes.tasks - 1));
    for (int64_t task : tasks)
      runTasks(task, task + 1, workspace);
  }

  void runTasks(int64_t begin, int64_t end, const Memory &workspace) {
    fovea_reference_outputs outputs = {o, l, a, smax, rounded};
    require(fovea_reference_run(function, index, &device, boundArguments.data(), count(boundArguments),
                                boundResults.data(), count(boundResults), begin, end, &outputs, workspace.data(),
                                workspace.size()));
  }

  /// Valid keys of a batch entry.
  double getKeys(int64_t row) const {
    double keys = static_cast<double>(std::max<int64_t>(sizes.kv_length, 0));
    if (info.kv_lengths < 0)
      return keys;
    const Tensor &lengths = arguments[info.kv_lengths].tensor;
    int64_t batch = row / std::max<int64_t>(1, rows / output->tensor.dims[0]);
    int64_t size = static_cast<int64_t>(fovea_type_size(lengths.type));
    double given = readElement(lengths.type, lengths.data() + batch * lengths.strides[0] * size);
    return std::min(std::max(given, 0.0), keys);
  }

  void compareRows(int64_t begin, int64_t end) {
    Comparison outputs, lses;
    Norms norms;
    int64_t unmade = 0;
    std::vector<double> got(length);
    double inner = (info.p_type == FOVEA_F32 || info.p_type == FOVEA_F64 ? 0 : getRoundoff(info.p_type)) +
                   (info.allow_approx ? options.approx : 0);
    for (int64_t row = begin; row < end; ++row) {
      if (std::memcmp(&smax[row], &kMark, sizeof kMark) == 0) {
        ++unmade;
        continue;
      }
      // An empty row has no largest score.
      double score = std::isfinite(smax[row]) ? smax[row] : 0;
      double factor = 0x1p-24 * (8 + 8 * score + std::sqrt(getKeys(row)));
      if (info.allow_tf32)
        factor += 0x1p-10 * (1 + score);
      readRow(output->tensor, row, got.data());
      for (int64_t i = 0; i < length; ++i) {
        int64_t at = row * length + i;
        double rounding = std::max(getRoundoff(output->type) * a[at], getSmallest(output->type) / 2);
        compareNumber(outputs, got[i], o[at], (inner + factor) * a[at] + rounding, row, i);
        if (!std::isfinite(got[i]) || !std::isfinite(o[at]) || !std::isfinite(rounded[at]))
          continue;
        norms.error += (got[i] - o[at]) * (got[i] - o[at]);
        norms.roundedError += (rounded[at] - o[at]) * (rounded[at] - o[at]);
        norms.reference += o[at] * o[at];
      }
      if (lse)
        compareNumber(lses, readLse(row), l[row], factor, row, 0);
    }
    std::lock_guard<std::mutex> lock(mutex);
    merge(outputComparison, outputs);
    merge(lseComparison, lses);
    total.error += norms.error;
    total.roundedError += norms.roundedError;
    total.reference += norms.reference;
    unmadeRows += unmade;
  }

  double readLse(int64_t row) const {
    const Tensor &tensor = lse->tensor;
    int64_t last = tensor.getRowLength();
    const uint8_t *address = tensor.memory->data() + tensor.getRowOffset(row / last);
    int64_t step = tensor.getRowStride() * static_cast<int64_t>(fovea_type_size(tensor.type));
    return readElement(tensor.type, address + row % last * step);
  }

  void compare(Report &report) {
    outputComparison.output = output->name.empty() ? output->label : output->name;
    outputComparison.rule = "near";
    if (!output->tensor.isEmpty())
      parallelFor(rows, [this](int64_t begin, int64_t end) { compareRows(begin, end); });
    if (unmadeRows && (!options.sample || unmadeRows == rows))
      failWith("the reference left %" PRId64 " of %" PRId64 " rows of %s unwritten", unmadeRows, rows,
               output->label.c_str());
    report.comparisons.push_back(outputComparison);
    if (lse) {
      lseComparison.output = lse->name.empty() ? lse->label : lse->name;
      lseComparison.rule = "near";
      report.comparisons.push_back(lseComparison);
    }
    if (output->type == FOVEA_F16 || output->type == FOVEA_BF16)
      report.comparisons.push_back(compareNorms());
  }

  Comparison compareNorms() const {
    Comparison comparison;
    comparison.output = outputComparison.output;
    comparison.rule = "norm";
    comparison.compared = outputComparison.compared;
    double scale = total.reference > 0 ? 1 / std::sqrt(total.reference) : 0;
    comparison.maxError = std::sqrt(total.error) * scale;
    comparison.bound = std::max(1.3 * std::sqrt(total.roundedError) * scale, 1e-4);
    comparison.ratio = comparison.maxError / comparison.bound;
    comparison.wrong = !(comparison.ratio <= 1);
    comparison.got = comparison.maxError;
    comparison.expected = comparison.bound;
    return comparison;
  }

  /// A NaN that no computation makes.
  static double makeMark() {
    uint64_t bits = 0x7ff8f07eaf07ea01;
    double mark;
    std::memcpy(&mark, &bits, sizeof mark);
    return mark;
  }
  inline static const double kMark = makeMark();

  const fovea_function *function;
  int index;
  const Options &options;
  const std::vector<CallValue> &arguments;
  fovea_device device = {};
  fovea_reference_info info;
  fovea_reference_sizes sizes;
  std::vector<fovea_value> boundArguments, boundResults;
  const CallValue *output, *lse;
  int64_t rows = 0, length = 0, unmadeRows = 0;
  std::unique_ptr<Memory> memory;
  double *o, *a, *rounded, *l, *smax;
  std::mutex mutex;
  Comparison outputComparison, lseComparison;
  Norms total;
};

} // namespace

void check(const fovea_function *function, const Options &options, const std::vector<CallValue> &arguments,
           const std::vector<CallValue> &results, Report &report) {
  int count = fovea_function_reference_count(function);
  if (count == 0)
    failWith("function '%s' has no reference: compile it with --with-reference, whose remarks "
             "name the ops that can have none",
             fovea_function_name(function));
  for (int i = 0; i < count; ++i)
    Judge(function, i, options, arguments, results).judge(report);
}

Comparison compareExpected(const CallValue &output, const ValueSpec &spec) {
  Tensor expected = makeExpected(spec, output.tensor);
  Comparison comparison;
  comparison.output = output.name.empty() ? output.label : output.name;
  comparison.rule = spec.bits ? "bits" : "expected";
  if (output.tensor.isEmpty())
    return comparison;
  int64_t rows = output.tensor.getNumRows(), length = output.tensor.getRowLength();
  std::vector<double> got(length), want(length);
  double largest = 0;
  for (int64_t row = 0; !spec.atol && row < rows; ++row) {
    readRow(expected, row, want.data());
    for (double value : want)
      largest = std::isfinite(value) ? std::max(largest, std::fabs(value)) : largest;
  }
  double roundoff = 4 * getRoundoff(output.type);
  double absolute = spec.bits ? 0 : spec.atol.value_or(roundoff * largest);
  double relative = spec.bits ? 0 : spec.rtol.value_or(roundoff);
  for (int64_t row = 0; row < rows; ++row) {
    readRow(output.tensor, row, got.data());
    readRow(expected, row, want.data());
    for (int64_t i = 0; i < length; ++i)
      compareNumber(comparison, got[i], want[i], absolute + relative * std::fabs(want[i]), row, i, spec.bits);
  }
  return comparison;
}

void checkGuard(const CallValue &output) {
  const Tensor &tensor = output.tensor;
  std::vector<bool> owned(tensor.memory->size(), false);
  int64_t size = static_cast<int64_t>(fovea_type_size(tensor.type));
  for (int64_t row = 0; !tensor.isEmpty() && row < tensor.getNumRows(); ++row)
    for (int64_t i = 0, at = tensor.getRowOffset(row); i < tensor.getRowLength();
         ++i, at += tensor.getRowStride() * size)
      std::fill_n(owned.begin() + at, size, true);
  for (uint64_t i = 0; i < tensor.memory->size(); ++i)
    if (!owned[i] && tensor.memory->data()[i] != kPattern)
      failWith("%s: the guard byte at %" PRId64 " from its first element was overwritten", output.label.c_str(),
               static_cast<int64_t>(i) - (tensor.data() - tensor.memory->data()));
}

} // namespace fovea::run
