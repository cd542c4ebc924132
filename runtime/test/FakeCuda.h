//===- FakeCuda.h - Controls of the fake driver -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_TEST_FAKECUDA_H
#define FOVEA_RUNTIME_TEST_FAKECUDA_H

#include <cstdint>

/// What the last launch got.
struct FakeLaunch {
  char kernel[64];
  unsigned grid[3], block[3], shared;
  void *stream, *context;
};

/// What cuTensorMapEncodeTiled got: the fake driver's CUtensorMap is this.
struct FakeTensorMap {
  uint64_t address, sizes[5], strides[4];
  uint16_t box[5];
  uint8_t steps[5], type, rank, interleave, swizzle, promotion, fill;
};

/// State of the fake driver, shared with the test. While a stream is captured, a thread may load code in relaxed mode
/// alone; a load in another one makes the capture fail. Two devices: 0 of capability 8.0 with 4 multiprocessors, 1
/// of 9.0 with 6.
struct FakeState {
  int loads, unloads, functions, launches, allocations, frees, synchronisations;
  int maxDynamicShared;
  /// Loads that a capture did not allow.
  int forbidden;
  int driverVersion;
  FakeLaunch last;
  /// Maps that were made; those that each launch takes as its parameters from `firstMap` on, and the last launch's.
  int encodes, firstMap, mapCount;
  FakeTensorMap maps[4];
  /// The function that fails next, and with what.
  char failing[64];
  int result;
};

/// Exported by the library.
extern "C" {
FakeState *fake_state(void);
/// A new context on a device, not current.
void *fake_context(int device);
}

#endif // FOVEA_RUNTIME_TEST_FAKECUDA_H
