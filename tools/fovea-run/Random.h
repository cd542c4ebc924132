//===- Random.h - Numbers that are the same on every machine -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_RANDOM_H
#define FOVEA_RUN_RANDOM_H

#include <cstdint>

namespace fovea::run {

/// 64 random bits of a position of a stream: the finaliser of splitmix64, applied twice.
inline uint64_t getBits(uint64_t seed, uint64_t stream, uint64_t position) {
  auto mix = [](uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  uint64_t key = mix(seed * 0x9e3779b97f4a7c15u + stream + 1);
  return mix(key + position * 0x9e3779b97f4a7c15u);
}

/// N(0, 1): the sum of twelve uniform numbers of 16 bits less its mean. Made of integers, so exact and the same on
/// every machine; a multiple of 2^-16 in (-6, 6), and so exact in f32.
inline double getNormal(uint64_t seed, uint64_t stream, uint64_t position) {
  int64_t sum = 0;
  for (uint64_t part = 0; part < 3; ++part)
    for (uint64_t bits = getBits(seed, stream, 3 * position + part), i = 0; i < 4; ++i, bits >>= 16)
      sum += static_cast<int64_t>(bits & 0xffff);
  return static_cast<double>(sum - 6 * 65535) / 65536;
}

/// An integer in [low, high].
inline int64_t getInteger(uint64_t seed, uint64_t stream, uint64_t position, int64_t low, int64_t high) {
  unsigned __int128 range = static_cast<unsigned __int128>(high) - low + 1;
  return low + static_cast<int64_t>(range * getBits(seed, stream, position) >> 64);
}

} // namespace fovea::run

#endif // FOVEA_RUN_RANDOM_H
