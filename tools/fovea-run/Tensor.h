//===- Tensor.h - Tensors in host memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_TENSOR_H
#define FOVEA_RUN_TENSOR_H

#include "fovea/runtime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace fovea::run {

/// Memory of the host, aligned to 256 bytes as device memory is, so that a view is aligned alike on both.
class Memory {
public:
  /// Throws a failure where there is not that much memory.
  explicit Memory(uint64_t bytes);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  uint8_t *data() const { return bytes; }
  uint64_t size() const { return length; }

private:
  uint8_t *bytes;
  uint64_t length;
};

/// A view of memory. `offset` and `strides` are in elements, `base` is where the elements of the memory begin, in
/// bytes.
struct Tensor {
  fovea_type type = FOVEA_F32;
  std::vector<int64_t> dims, strides;
  int64_t offset = 0;
  uint64_t base = 0;
  std::shared_ptr<Memory> memory;

  int64_t getNumElements() const;
  bool isEmpty() const { return getNumElements() == 0; }
  /// Address of element [0, ..., 0].
  uint8_t *data() const { return memory->data() + base + offset * static_cast<int64_t>(fovea_type_size(type)); }
  /// Position in bytes from the begin of the memory of the elements of one row: all indices but the last are those of
  /// the `row`-th in row-major order.
  int64_t getRowOffset(int64_t row) const;
  /// All dimensions but the last multiplied; 1 for a tensor of rank 0.
  int64_t getNumRows() const;
  int64_t getRowLength() const { return dims.empty() ? 1 : dims.back(); }
  int64_t getRowStride() const { return dims.empty() ? 1 : strides.back(); }
};

/// The product of sizes; throws a failure where it, times 16, does not fit in 63 bits.
int64_t multiplyDims(const std::vector<int64_t> &dims);
std::vector<int64_t> getContiguousStrides(const std::vector<int64_t> &dims);
/// Least and largest offset in elements that a view reaches, from element [0, ..., 0]; not for an empty one.
std::pair<int64_t, int64_t> getReach(const std::vector<int64_t> &dims, const std::vector<int64_t> &strides);

/// Reads or writes one element as a number; float types round to nearest even, integers truncate.
double readElement(fovea_type type, const uint8_t *address);
void writeElement(fovea_type type, uint8_t *address, double value);
/// Reads a row of a tensor as numbers.
void readRow(const Tensor &tensor, int64_t row, double *values);

/// Calls `body(begin, end)` for pieces of [0, count) on all threads. A failure of a body is thrown here.
void parallelFor(int64_t count, const std::function<void(int64_t, int64_t)> &body);

} // namespace fovea::run

#endif // FOVEA_RUN_TENSOR_H
