//===- main.cpp - Attention compiled ahead of time, from C++ -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fovea-compile attention.mlir --emit=header,obj -o attention.o
// c++ main.cpp attention.o -lfovea_runtime && ./a.out [cuda]
// A step of decoding over a KV cache with room for 512 keys, of which 3 are valid: equal keys have equal weights, so
// the output is the mean of the values. With `cuda` it launches on the default stream of the current context, on memory
// that the device must see.
//
//===----------------------------------------------------------------------===//

#include "attention.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

static fovea_value makeTensor(std::vector<float> &data, const int64_t *sizes) {
  return fovea_tensor(FOVEA_F32, data.data(), 4, sizes, nullptr);
}

int main(int argc, char **argv) {
  constexpr int64_t kRoom = 512, kDepth = 16, kHeads = 8, kKVHeads = 2;
  const int64_t querySizes[] = {1, kHeads, 1, kDepth}, cacheSizes[] = {1, kKVHeads, kRoom, kDepth}, one[] = {1};
  std::vector<float> q(kHeads * kDepth, 1.0f), o(kHeads * kDepth);
  // What lies past the length is never read.
  std::vector<float> k(kKVHeads * kRoom * kDepth, std::numeric_limits<float>::quiet_NaN()), v = k;
  for (int64_t head = 0; head < kKVHeads; ++head)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t d = 0; d < kDepth; ++d) {
        k[(head * kRoom + j) * kDepth + d] = 0.5f;
        v[(head * kRoom + j) * kDepth + d] = static_cast<float>(j + 10 * head);
      }
  int32_t length = 3;
  fovea_value arguments[] = {makeTensor(q, querySizes), makeTensor(k, cacheSizes), makeTensor(v, cacheSizes),
                             fovea_tensor(FOVEA_I32, &length, 1, one, nullptr), makeTensor(o, querySizes)};
  auto &[aq, ak, av, an, ao] = arguments;
  fovea_device device = {};
  device.backend = argc > 1 && std::string(argv[1]) == "cuda" ? FOVEA_CUDA : FOVEA_CPU;
  uint64_t bytes = 0;
  if (decode_workspace_size(&device, &aq, &ak, &av, &an, &ao, &bytes) != FOVEA_OK) {
    std::fprintf(stderr, "main: %s\n", fovea_last_error());
    return 1;
  }
  struct alignas(FOVEA_WORKSPACE_ALIGNMENT) Line {
    char bytes[FOVEA_WORKSPACE_ALIGNMENT];
  };
  std::vector<Line> workspace(bytes / sizeof(Line) + 1);
  if (decode(&device, &aq, &ak, &av, &an, &ao, workspace.data(), bytes) != FOVEA_OK) {
    std::fprintf(stderr, "main: %s\n", fovea_last_error());
    return 1;
  }
  std::printf("decode: %.4f %.4f\n", o.front(), o.back());
  return 0;
}
