//===- Arguments.cpp - Makes the values of a call -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "../common/Numbers.h"
#include "ArgumentNumbers.h"
#include "Expression.h"
#include "Failure.h"
#include "Npy.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>

namespace fovea::run {
namespace {

bool startsWith(const std::string &text, const char *prefix) {
  return text.compare(0, std::strlen(prefix), prefix) == 0;
}

std::string getLabel(const char *kind, int index, const char *name) {
  std::string label = kind + std::string(" ") + std::to_string(index);
  return *name ? label + " ('" + name + "')" : label;
}

/// Makes the memory of a view that is generated: from the lowest to the highest element that it reaches, or from
/// element 0 where an offset says where that is.
void allocate(Tensor &tensor, const ValueSpec *spec, uint64_t guardBytes, uint8_t pattern, const std::string &label) {
  tensor.strides = spec && spec->strides ? *spec->strides : getContiguousStrides(tensor.dims);
  tensor.offset = spec ? spec->offset : 0;
  if (tensor.strides.size() != tensor.dims.size())
    failWith("%s: %zu strides for %zu dimensions", label.c_str(), tensor.strides.size(), tensor.dims.size());
  std::pair<int64_t, int64_t> reach =
      tensor.isEmpty() ? std::make_pair<int64_t, int64_t>(0, -1) : getReach(tensor.dims, tensor.strides);
  if (tensor.offset < 0)
    failWith("%s: offset %" PRId64 " is before the memory", label.c_str(), tensor.offset);
  // Negative strides reach below element [0, ..., 0].
  tensor.offset += -std::min<int64_t>(reach.first, 0);
  uint64_t elements = static_cast<uint64_t>(tensor.offset + reach.second + 1);
  tensor.base = guardBytes;
  tensor.memory = std::make_shared<Memory>(elements * fovea_type_size(tensor.type) + 2 * guardBytes);
  std::memset(tensor.memory->data(), pattern, tensor.memory->size());
}

/// Views a tensor that was read from a file, or another argument's memory.
void view(Tensor &tensor, const ValueSpec &spec, const std::string &label) {
  int64_t elements = static_cast<int64_t>((tensor.memory->size() - 2 * tensor.base) / fovea_type_size(tensor.type));
  if (spec.dims) {
    tensor.dims = *spec.dims;
    tensor.strides = getContiguousStrides(tensor.dims);
  }
  if (spec.strides)
    tensor.strides = *spec.strides;
  if (tensor.strides.size() != tensor.dims.size())
    failWith("%s: %zu strides for %zu dimensions", label.c_str(), tensor.strides.size(), tensor.dims.size());
  tensor.offset = spec.offset;
  if (tensor.isEmpty())
    return;
  std::pair<int64_t, int64_t> reach = getReach(tensor.dims, tensor.strides);
  if (tensor.offset + reach.first < 0 || tensor.offset + reach.second >= elements)
    failWith("%s: the view reaches from element %" PRId64 " to %" PRId64 " of a buffer of %" PRId64, label.c_str(),
             tensor.offset + reach.first, tensor.offset + reach.second, elements);
}

class Maker {
public:
  Maker(const fovea_function *function, const Options &options) : function(function), options(options) {
    infos.resize(fovea_function_argument_count(function));
    for (size_t i = 0; i < infos.size(); ++i)
      require(fovea_function_argument(function, static_cast<int>(i), &infos[i]));
    values.resize(infos.size());
    specs.resize(infos.size());
  }

  std::vector<CallValue> make() {
    if (options.arguments.size() > infos.size())
      failWith("function '%s' takes %zu arguments, %zu were given", fovea_function_name(function), infos.size(),
               options.arguments.size());
    for (size_t i = 0; i < infos.size(); ++i)
      start(static_cast<int>(i));
    resolveDims();
    int64_t limit = 0;
    for (const CallValue &value : values)
      if (!value.scalar && value.tensor.dims.size() >= 3)
        limit = std::max(limit, value.tensor.dims[2]);
    for (size_t i = 0; i < infos.size(); ++i)
      generate(static_cast<int>(i), limit);
    return std::move(values);
  }

private:
  /// Reads what has its own shape: files. Others wait for the sizes.
  void start(int i) {
    CallValue &value = values[i];
    const fovea_value_info &info = infos[i];
    value.name = info.name;
    value.label = getLabel("argument", i, info.name);
    value.type = info.type;
    value.scalar = info.rank < 0;
    value.written = info.written;
    value.tensor.type = info.type;
    if (i < static_cast<int>(options.arguments.size()))
      specs[i] = options.arguments[i];
    else if (info.written)
      specs[i].source = "out";
    else if (options.random)
      specs[i].source = "random";
    else
      failWith("%s is missing: give --arg, or --random", value.label.c_str());
    if (specs[i].source.empty())
      failWith("%s: --arg is empty; see --help for what it may be", value.label.c_str());
    if (!value.scalar && isFile(specs[i].source)) {
      value.tensor = readNpy(specs[i].source, info.type);
      view(value.tensor, specs[i], value.label);
    } else if (specs[i].dims) {
      value.tensor.dims = *specs[i].dims;
    } else if (!value.scalar) {
      value.tensor.dims.assign(info.dims, info.dims + info.rank);
    }
    if (!value.scalar && value.tensor.dims.size() != static_cast<size_t>(info.rank))
      failWith("%s has rank %d, %zu sizes were given", value.label.c_str(), info.rank, value.tensor.dims.size());
  }

  static bool isFile(const std::string &source) {
    return source != "out" && source != "random" && !startsWith(source, "random:") && !startsWith(source, "expr:") &&
           source[0] != '@' && !isNumber(source);
  }

  int findArgument(const std::string &name) {
    for (size_t i = 0; i < infos.size(); ++i)
      if (name == infos[i].name || name == std::to_string(i))
        return static_cast<int>(i);
    failWith("--dim names argument '%s', which does not exist", name.c_str());
  }

  /// Gives every dimension its size: from `--dim`, from one that must be equal, or from the next positional `--dim`.
  void resolveDims() {
    size_t next = 0;
    std::vector<int64_t> positional;
    for (const DimSpec &spec : options.dims) {
      if (spec.dimension < 0) {
        positional.push_back(spec.size);
        continue;
      }
      CallValue &value = values[findArgument(spec.argument)];
      if (value.scalar || spec.dimension >= static_cast<int>(value.tensor.dims.size()))
        failWith("--dim names dimension %d of %s, which does not exist", spec.dimension, value.label.c_str());
      if (value.tensor.memory)
        failWith("--dim names a dimension of %s, whose sizes are those of its file", value.label.c_str());
      value.tensor.dims[spec.dimension] = spec.size;
    }
    propagate();
    fillDims(1, SIZE_MAX, [&](CallValue &value, size_t d) {
      if (next < positional.size())
        return positional[next++];
      if (!options.random)
        failWith("%s: the size of dimension %zu is not known: give --dim=%zu.%zu=N", value.label.c_str(), d,
                 static_cast<size_t>(&value - values.data()), d);
      return int64_t(-1);
    });
    if (next < positional.size())
      failWith("%zu positional --dim were given, %zu are needed", positional.size(), next);
    if (!options.random)
      return;
    // Tensors of a problem first: they say how far a region may read in the others.
    fillDims(3, SIZE_MAX, [&](CallValue &value, size_t d) { return getProblemSize(value, d); });
    int64_t largest = getLargestSize();
    fillDims(1, 2, [&](CallValue &, size_t) { return largest; });
  }

  /// Asks `getSize` for each size that is not known, of tensors of these ranks; -1 leaves it open.
  template <typename GetSize> void fillDims(size_t minRank, size_t maxRank, GetSize getSize) {
    for (CallValue &value : values) {
      size_t rank = value.tensor.dims.size();
      for (size_t d = 0; rank >= minRank && rank <= maxRank && d < rank; ++d) {
        if (value.tensor.dims[d] >= 0)
          continue;
        value.tensor.dims[d] = getSize(value, d);
        propagate();
      }
    }
  }

  /// A size under `--random` that nothing else fixes: that of the first tensor of this rank, or 1 x 8 x 512 x 64.
  int64_t getProblemSize(const CallValue &value, size_t dim) const {
    size_t rank = value.tensor.dims.size();
    for (const CallValue &other : values)
      if (other.tensor.dims.size() == rank && other.tensor.dims[dim] >= 0)
        return other.tensor.dims[dim];
    static constexpr int64_t kSizes[] = {1, 8, 512, 64};
    size_t position = dim + (rank < 4 ? 4 - rank : 0);
    return position < 4 ? kSizes[position] : 1;
  }

  /// What regions read besides the problem, vectors and matrices, is indexed by heads, queries or keys: each may be as
  /// large as the largest of these.
  int64_t getLargestSize() const {
    int64_t largest = 1;
    for (const CallValue &value : values)
      for (size_t d = 0; value.tensor.dims.size() >= 3 && d + 1 < value.tensor.dims.size(); ++d)
        largest = std::max(largest, value.tensor.dims[d]);
    return largest;
  }

  /// Copies known sizes to dimensions that must be equal, both ways.
  void propagate() {
    for (int pass = 0; pass < 2; ++pass)
      for (size_t i = 0; i < infos.size(); ++i)
        for (int d = 0; d < infos[i].rank; ++d) {
          if (infos[i].same_argument[d] < 0)
            continue;
          int64_t &mine = values[i].tensor.dims[d];
          int64_t &first = values[infos[i].same_argument[d]].tensor.dims[infos[i].same_dim[d]];
          if (mine < 0)
            mine = first;
          else if (first < 0)
            first = mine;
        }
  }

  void generateScalar(CallValue &value, const std::string &source, int i, int64_t limit) {
    double number;
    if (source == "random" || startsWith(source, "random:")) {
      number = getRandom(value.type, readRange(source, value), limit, options.seed, i, 0);
    } else {
      if (!isNumber(source))
        failWith("%s is a scalar of type %s, '%s' is no number", value.label.c_str(), fovea_type_name(value.type),
                 source.c_str());
      // All 64 bits of an integer, of which a double has 53.
      int64_t integer;
      if ((value.type == FOVEA_I64 || value.type == FOVEA_INDEX) &&
          parseInteger(source, integer) == NumberFault::None) {
        value.bits = static_cast<uint64_t>(integer);
        return;
      }
      number = getNumber(source, value);
    }
    uint8_t bytes[8] = {};
    writeElement(value.type, bytes, number);
    std::memcpy(&value.bits, bytes, 8);
  }

  void generate(int i, int64_t limit) {
    CallValue &value = values[i];
    const ValueSpec &spec = specs[i];
    const std::string &source = spec.source;
    if (value.scalar)
      return generateScalar(value, source, i, limit);
    if (value.tensor.memory)
      return;
    if (source[0] == '@')
      return alias(i);
    bool written = value.written || source == "out";
    // Storage between elements is never data: NaN for floats, -1 for integers; i1 has no such value.
    uint8_t gap = written ? kPattern : value.type == FOVEA_I1 ? 0 : 0xff;
    allocate(value.tensor, &spec, options.guard && written ? kGuardBytes : 0, gap, value.label);
    if (source == "out")
      return;
    if (startsWith(source, "expr:")) {
      Expression expression(source.substr(5));
      return fill(value.tensor, [&](int64_t, const int64_t *indices) {
        double number = expression.evaluate(indices);
        if (isInteger(value.type) && value.type != FOVEA_I1)
          requireFits(std::trunc(number), value.type, source, value.label);
        return number;
      });
    }
    if (isNumber(source)) {
      double number = getNumber(source, value);
      return fill(value.tensor, [&](int64_t, const int64_t *) { return number; });
    }
    RandomRange range = readRange(source, value);
    fill(value.tensor, [&](int64_t position, const int64_t *) {
      return getRandom(value.type, range, limit, options.seed, i, position);
    });
  }

  void alias(int i) {
    int64_t other;
    if (parseInteger(specs[i].source.substr(1), other) != NumberFault::None || other < 0 || other >= i ||
        values[other].scalar)
      failWith("--arg=%s: expected @N with N a tensor argument before this one", specs[i].source.c_str());
    if (values[other].type != values[i].type)
      failWith("--arg=%s: its type is %s, %s has type %s", specs[i].source.c_str(), fovea_type_name(values[other].type),
               values[i].label.c_str(), fovea_type_name(values[i].type));
    std::vector<int64_t> dims = values[i].tensor.dims;
    values[i].tensor = values[other].tensor;
    ValueSpec spec = specs[i];
    if (!spec.dims && !spec.strides && spec.offset == 0 && dims == values[other].tensor.dims)
      return;
    spec.dims = dims;
    view(values[i].tensor, spec, values[i].label);
  }

  const fovea_function *function;
  const Options &options;
  std::vector<fovea_value_info> infos;
  std::vector<CallValue> values;
  std::vector<ValueSpec> specs;
};

} // namespace

void fill(const Tensor &tensor, const std::function<double(int64_t, const int64_t *)> &value) {
  if (tensor.isEmpty())
    return;
  size_t rank = tensor.dims.size();
  int64_t length = tensor.getRowLength(), size = static_cast<int64_t>(fovea_type_size(tensor.type));
  // With a stride of 0 several elements share an address: one thread, so that the last one wins everywhere.
  bool shared = std::find(tensor.strides.begin(), tensor.strides.end(), 0) != tensor.strides.end();
  auto fillRows = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t indices[FOVEA_MAX_RANK] = {};
      for (int64_t rest = row, d = static_cast<int64_t>(rank) - 2; d >= 0; --d) {
        indices[d] = rest % tensor.dims[d];
        rest /= tensor.dims[d];
      }
      uint8_t *address = tensor.memory->data() + tensor.getRowOffset(row);
      for (int64_t i = 0; i < length; ++i) {
        if (rank)
          indices[rank - 1] = i;
        writeElement(tensor.type, address + i * tensor.getRowStride() * size, value(row * length + i, indices));
      }
    }
  };
  if (shared || tensor.getNumElements() < 4096)
    fillRows(0, tensor.getNumRows());
  else
    parallelFor(tensor.getNumRows(), fillRows);
}

std::vector<CallValue> makeArguments(const fovea_function *function, const Options &options) {
  return Maker(function, options).make();
}

CallValue makeResult(const fovea_value_info &info, int index, const std::vector<int64_t> &dims, const ValueSpec *spec,
                     bool guard) {
  CallValue value;
  value.name = info.name;
  value.label = getLabel("result", index, info.name);
  value.type = value.tensor.type = info.type;
  value.written = true;
  value.tensor.dims = dims;
  allocate(value.tensor, spec, guard ? kGuardBytes : 0, kPattern, value.label);
  return value;
}

std::vector<CallValue> makeResults(const fovea_function *function, const Options &options,
                                   const std::vector<CallValue> &arguments) {
  std::vector<fovea_value> bound = bindValues(arguments, [](const Memory &memory) { return memory.data(); });
  std::vector<CallValue> results;
  for (int i = 0; i < fovea_function_result_count(function); ++i) {
    fovea_value_info info;
    require(fovea_function_result(function, i, &info));
    std::vector<int64_t> dims(info.rank);
    require(fovea_result_sizes(function, bound.data(), static_cast<int32_t>(bound.size()), i, dims.data()));
    const ValueSpec *spec = i < static_cast<int>(options.outputs.size()) ? &options.outputs[i] : nullptr;
    results.push_back(makeResult(info, i, dims, spec, options.guard));
  }
  return results;
}

std::vector<const CallValue *> getOutputs(const std::vector<CallValue> &arguments,
                                          const std::vector<CallValue> &results) {
  std::vector<const CallValue *> outputs;
  for (const CallValue &value : results)
    outputs.push_back(&value);
  for (const CallValue &value : arguments)
    if (value.written)
      outputs.push_back(&value);
  return outputs;
}

Tensor makeExpected(const ValueSpec &spec, const Tensor &like) {
  Tensor tensor;
  if (!startsWith(spec.source, "expr:")) {
    tensor = readNpy(spec.source, like.type);
    if (tensor.dims != like.dims)
      failWith("%s has other sizes than the result it is compared with", spec.source.c_str());
    return tensor;
  }
  Expression expression(spec.source.substr(5));
  // A formula is compared as it is, not rounded to the result's type.
  tensor.type = spec.bits ? like.type : FOVEA_F64;
  tensor.dims = like.dims;
  allocate(tensor, nullptr, 0, 0, "the expected value");
  fill(tensor, [&](int64_t, const int64_t *indices) { return expression.evaluate(indices); });
  return tensor;
}

std::vector<fovea_value> bindValues(const std::vector<CallValue> &values,
                                    const std::function<uint8_t *(const Memory &)> &data) {
  std::vector<fovea_value> bound(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const CallValue &value = values[i];
    if (value.scalar) {
      bound[i] = fovea_integer(value.type, 0);
      bound[i].scalar = value.bits;
      continue;
    }
    const Tensor &tensor = value.tensor;
    uint8_t *memory = data(*tensor.memory);
    uint8_t *first = memory + (tensor.data() - tensor.memory->data());
    bound[i] = fovea_tensor(value.type, tensor.isEmpty() ? nullptr : first, static_cast<int32_t>(tensor.dims.size()),
                            tensor.dims.data(), tensor.strides.data());
    bound[i].buffer = memory;
    bound[i].buffer_bytes = tensor.memory->size();
  }
  return bound;
}

std::string describe(const CallValue &value) {
  std::string text;
  if (!value.scalar)
    for (int64_t dim : value.tensor.dims)
      text += std::to_string(dim) + "x";
  return text + fovea_type_name(value.type);
}

} // namespace fovea::run
