//===- TensorMaps.cpp - Descriptors for bulk copies -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "Cuda.h"

#include <algorithm>

namespace fovea::runtime {
namespace {

/// Numbers of cuda.h.
constexpr int kFloat16 = 6, kBFloat16 = 9, kNoInterleave = 0, kSwizzle128 = 3, kPromote256 = 3, kFillZeros = 0;
/// What a map can hold.
constexpr int64_t kMaxSize = int64_t(1) << 32, kMaxStrideBytes = int64_t(1) << 40, kGranule = 16;
constexpr int64_t kElementBytes = 2;

/// A tensor as the driver takes it: the last dimension comes first and has no stride; strides in bytes.
struct Shape {
  uint64_t address;
  uint64_t sizes[kMaxTensorMapRank], strides[kMaxTensorMapRank - 1];
  uint32_t box[kMaxTensorMapRank];
};

fovea_status misfit(const Kernel &kernel, const TensorMap &map, const char *what) {
  return fail(FOVEA_UNSUPPORTED, "kernel '%s': no tensor map describes parameter %d: %s", kernel.symbol.c_str(),
              map.binding, what);
}

/// The stride of a dimension that has one position: any legal one.
uint64_t getUnusedStride(const Shape &shape) {
  return (shape.sizes[0] * kElementBytes + kGranule - 1) / kGranule * kGranule;
}

/// Why no map describes `view`, or null.
const char *getShape(const View &view, int rank, Shape &shape) {
  shape.address = reinterpret_cast<uint64_t>(view.data);
  if (shape.address % kGranule)
    return "its address is not aligned to 16 bytes";
  if (std::any_of(view.sizes, view.sizes + rank, [](int64_t size) { return size > kMaxSize; }))
    return "a dimension is larger than 2^32";
  if (view.sizes[rank - 1] > 1 && view.strides[rank - 1] != 1)
    return "its rows are not contiguous";
  shape.sizes[0] = view.sizes[rank - 1];
  for (int i = 1; i < rank; ++i) {
    int64_t size = view.sizes[rank - 1 - i], stride = view.strides[rank - 1 - i];
    shape.sizes[i] = size;
    shape.strides[i - 1] = size == 1 ? getUnusedStride(shape) : stride * kElementBytes;
    if (size > 1 && (stride <= 0 || stride >= kMaxStrideBytes / kElementBytes || stride * kElementBytes % kGranule))
      return "a stride is no multiple of 16 bytes between 0 and 2^40";
  }
  return nullptr;
}

/// A tensor without elements, of which nothing is read: the driver wants one element at an address.
void getEmptyShape(const View &view, int rank, Shape &shape) {
  shape.address = std::max<uint64_t>(reinterpret_cast<uint64_t>(view.data) / kGranule * kGranule, kGranule);
  std::fill_n(shape.sizes, rank, 1);
  std::fill_n(shape.strides, rank - 1, kGranule);
}

fovea_status encode(const CudaDriver &driver, const Kernel &kernel, const TensorMap &map, const View &view,
                    CUtensorMap *result) {
  const Binding &binding = kernel.bindings[map.binding];
  int rank = binding.rank;
  Shape shape;
  if (std::find(view.sizes, view.sizes + rank, 0) != view.sizes + rank)
    getEmptyShape(view, rank, shape);
  else if (const char *what = getShape(view, rank, shape))
    return misfit(kernel, map, what);
  std::fill_n(shape.box, rank, 1);
  shape.box[0] = map.cols;
  shape.box[rank - 1 - map.rowDim] = map.rows;
  const uint32_t steps[kMaxTensorMapRank] = {1, 1, 1, 1, 1};
  int type = binding.type == FOVEA_BF16 ? kBFloat16 : kFloat16;
  FOVEA_CUDA_TRY(driver, cuTensorMapEncodeTiled, result, type, rank, reinterpret_cast<void *>(shape.address),
                 shape.sizes, shape.strides, shape.box, steps, kNoInterleave, kSwizzle128, kPromote256, kFillZeros);
  return FOVEA_OK;
}

fovea_status addMaps(const CudaDriver *driver, const Kernel &kernel, const Problem &problem,
                     const Temporaries &function, const Temporaries &temporaries, const char *workspace,
                     TensorMaps &maps) {
  for (const TensorMap &map : kernel.tensorMaps) {
    if (!driver || !driver->cuTensorMapEncodeTiled)
      return misfit(kernel, map, "the CUDA driver is too old: it lacks cuTensorMapEncodeTiled");
    if (maps.count == TensorMaps::kCapacity)
      return misfit(kernel, map, "the launch has too many tensor maps");
    View view;
    FOVEA_TRY(getView(kernel.bindings[map.binding], problem, function, temporaries, workspace, &view));
    FOVEA_TRY(encode(*driver, kernel, map, view, &maps.maps[maps.count]));
    ++maps.count;
  }
  return FOVEA_OK;
}

} // namespace

bool hasTensorMaps(const Variant &variant) {
  return std::any_of(variant.kernels.begin(), variant.kernels.end(),
                     [](const Kernel &kernel) { return !kernel.tensorMaps.empty(); });
}

fovea_status addTensorMaps(const CudaDriver *driver, const Variant &variant, const Problem &problem,
                           const Temporaries &function, const Temporaries &temporaries, const char *workspace,
                           TensorMaps &maps) {
  int count = maps.count;
  for (const Kernel &kernel : variant.kernels)
    if (fovea_status status = addMaps(driver, kernel, problem, function, temporaries, workspace, maps);
        status != FOVEA_OK) {
      maps.count = count;
      return status;
    }
  return FOVEA_OK;
}

} // namespace fovea::runtime
