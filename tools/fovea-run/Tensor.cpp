//===- Tensor.cpp - Tensors in host memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "Failure.h"
#include "Floats.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

namespace fovea::run {

Memory::Memory(uint64_t size) : length(size) {
  // Linux hands out more than there is and kills whoever uses it: refuse first.
  uint64_t physical = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  void *pointer = nullptr;
  if (size > physical || posix_memalign(&pointer, 256, size ? size : 1) != 0)
    failWith("%" PRIu64 " bytes of memory were asked for, this machine has %" PRIu64, size, physical);
  bytes = static_cast<uint8_t *>(pointer);
}

Memory::~Memory() { std::free(bytes); }

int64_t multiplyDims(const std::vector<int64_t> &dims) {
  int64_t product = 1;
  bool overflow = false;
  for (int64_t dim : dims)
    overflow |= __builtin_mul_overflow(product, dim, &product);
  if (std::find(dims.begin(), dims.end(), 0) != dims.end())
    return 0;
  if (overflow || product > INT64_MAX / 16)
    failWith("the sizes of a tensor do not fit in 64 bits");
  return product;
}

std::vector<int64_t> getContiguousStrides(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = stride;
    // Only beside a size of 0 can the others be so large; then no stride is used.
    if (__builtin_mul_overflow(stride, std::max<int64_t>(dims[d], 1), &stride))
      stride = 1;
  }
  return strides;
}

std::pair<int64_t, int64_t> getReach(const std::vector<int64_t> &dims, const std::vector<int64_t> &strides) {
  __int128 low = 0, high = 0;
  for (size_t d = 0; d < dims.size(); ++d)
    (strides[d] < 0 ? low : high) += static_cast<__int128>(dims[d] - 1) * strides[d];
  if (low < -(INT64_MAX / 64) || high > INT64_MAX / 64)
    failWith("the strides of a tensor do not fit in 64 bits");
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

int64_t Tensor::getNumElements() const { return multiplyDims(dims); }

int64_t Tensor::getNumRows() const {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < dims.size(); ++d)
    rows *= dims[d];
  return rows;
}

int64_t Tensor::getRowOffset(int64_t row) const {
  int64_t position = offset;
  for (size_t d = dims.size(); d-- > 1;) {
    position += row % dims[d - 1] * strides[d - 1];
    row /= dims[d - 1];
  }
  return static_cast<int64_t>(base) + position * static_cast<int64_t>(fovea_type_size(type));
}

double readElement(fovea_type type, const uint8_t *address) {
  auto read = [&](auto value) {
    std::memcpy(&value, address, sizeof value);
    return value;
  };
  switch (type) {
  case FOVEA_F32:
    return read(float());
  case FOVEA_F64:
    return read(double());
  case FOVEA_F16:
    return decode(kF16, read(uint16_t()));
  case FOVEA_BF16:
    return decode(kBF16, read(uint16_t()));
  case FOVEA_F8E4M3FN:
    return decode(kF8E4M3FN, read(uint8_t()));
  case FOVEA_F8E5M2:
    return decode(kF8E5M2, read(uint8_t()));
  case FOVEA_I1:
    return read(uint8_t()) != 0;
  case FOVEA_I8:
    return read(int8_t());
  case FOVEA_I16:
    return read(int16_t());
  case FOVEA_I32:
    return read(int32_t());
  default:
    return static_cast<double>(read(int64_t()));
  }
}

void writeElement(fovea_type type, uint8_t *address, double value) {
  auto write = [&](auto converted) { std::memcpy(address, &converted, sizeof converted); };
  auto toInteger = [&] { return std::isfinite(value) && std::fabs(value) < 9e18 ? static_cast<int64_t>(value) : 0; };
  switch (type) {
  case FOVEA_F32:
    return write(toFloat(value));
  case FOVEA_F64:
    return write(value);
  case FOVEA_F16:
    return write(static_cast<uint16_t>(encode(kF16, value)));
  case FOVEA_BF16:
    return write(static_cast<uint16_t>(encode(kBF16, value)));
  case FOVEA_F8E4M3FN:
    return write(static_cast<uint8_t>(encode(kF8E4M3FN, value)));
  case FOVEA_F8E5M2:
    return write(static_cast<uint8_t>(encode(kF8E5M2, value)));
  case FOVEA_I1:
    return write(static_cast<uint8_t>(value != 0));
  case FOVEA_I8:
    return write(static_cast<int8_t>(toInteger()));
  case FOVEA_I16:
    return write(static_cast<int16_t>(toInteger()));
  case FOVEA_I32:
    return write(static_cast<int32_t>(toInteger()));
  default:
    return write(toInteger());
  }
}

void readRow(const Tensor &tensor, int64_t row, double *values) {
  const uint8_t *address = tensor.memory->data() + tensor.getRowOffset(row);
  int64_t step = tensor.getRowStride() * static_cast<int64_t>(fovea_type_size(tensor.type));
  for (int64_t i = 0; i < tensor.getRowLength(); ++i)
    values[i] = readElement(tensor.type, address + i * step);
}

void parallelFor(int64_t count, const std::function<void(int64_t, int64_t)> &body) {
  int64_t pieces = std::min<int64_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::optional<Failure> failure;
  std::mutex mutex;
  auto run = [&](int64_t piece) {
    try {
      body(count * piece / pieces, count * (piece + 1) / pieces);
    } catch (const Failure &thrown) {
      std::lock_guard<std::mutex> lock(mutex);
      failure = thrown;
    }
  };
  std::vector<std::thread> threads;
  for (int64_t piece = 1; piece < pieces; ++piece)
    threads.emplace_back(run, piece);
  if (pieces)
    run(0);
  for (std::thread &thread : threads)
    thread.join();
  if (failure)
    throw Failure(*failure);
}

} // namespace fovea::run
