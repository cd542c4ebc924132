//===- TensorMaps.h - Descriptors for bulk copies -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_TENSORMAPS_H
#define FOVEA_RUNTIME_TENSORMAPS_H

#include "Problem.h"

namespace fovea::runtime {

struct CudaDriver;

/// What the driver makes of a tensor; its place in memory must be aligned.
struct alignas(64) CUtensorMap {
  uint64_t opaque[16];
};

/// The maps of a launch in the order of its kernels. Only those of chosen variants stay.
struct TensorMaps {
  static constexpr int kCapacity = 128;
  CUtensorMap maps[kCapacity];
  int count = 0;
};

/// Whether a variant needs any.
bool hasTensorMaps(const Variant &variant);

/// Appends the maps of all kernels of a variant. An error, after which `maps` is as it was, means that the variant
/// cannot run: a tensor that no map describes, an old driver (or none, for `driver` null), no room. Allocates nothing.
fovea_status addTensorMaps(const CudaDriver *driver, const Variant &variant, const Problem &problem,
                           const Temporaries &function, const Temporaries &temporaries, const char *workspace,
                           TensorMaps &maps);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_TENSORMAPS_H
