//===- Fixture.h - One problem and its artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_TEST_FIXTURE_H
#define FOVEA_RUNTIME_TEST_FIXTURE_H

#include "Test.h"
#include "TestArtifact.h"

#include <memory>

namespace fovea::test {

/// A packed artifact as the runtime loads it; the last owner destroys it.
inline std::shared_ptr<fovea_artifact> load(const abi::ArtifactT &source) {
  std::vector<uint8_t> bytes = pack(source);
  fovea_artifact *loaded;
  CHECK_OK(fovea_artifact_load_memory(bytes.data(), bytes.size(), FOVEA_COPY, &loaded));
  return {loaded, fovea_artifact_destroy};
}

/// B = 2, H = 3, Sq = 5, Skv = 7, Dqk = 4, Dv = 3; Q and K are 1, V is 2, the scale is 1/2.
struct Fixture {
  static constexpr int64_t kZeroStrides[4] = {0, 0, 0, 0};

  Fixture() : Fixture(makeArtifact(readKernelObject())) {}
  explicit Fixture(const abi::ArtifactT &source)
      : artifact(load(source)), function(fovea_artifact_function(artifact.get(), 0)) {
    setUp();
  }
  /// Another problem on the same function.
  explicit Fixture(const fovea_function *function) : function(function) { setUp(); }
  Fixture &operator=(Fixture &&other) {
    artifact = other.artifact;
    function = other.function;
    device = {};
    setUp();
    return *this;
  }

  void setUp() {
    std::vector<float> *data[] = {&q, &k, &v, &o, &lse, &wide};
    const size_t counts[] = {2 * 3 * 5 * 4, 2 * 3 * 7 * 4, 2 * 3 * 8 * 4, 2 * 3 * 5 * 3, 2 * 3 * 5, 2 * 3 * 8 * 4};
    for (int i = 0; i < 6; ++i)
      data[i]->assign(counts[i], i < 2 ? 1 : i == 2 ? 2 : 0);
    set(querySizes, {2, 3, 5, 4});
    set(keySizes, {2, 3, 7, 4});
    set(valueSizes, {2, 3, 7, 3});
    set(outputSizes, {2, 3, 5, 3});
    set(lseSizes, {2, 3, 5});
    device.threads = 2;
    arguments[0] = fovea_tensor(FOVEA_F32, q.data(), 4, querySizes, nullptr);
    arguments[1] = fovea_tensor(FOVEA_F32, k.data(), 4, keySizes, nullptr);
    arguments[2] = fovea_tensor(FOVEA_F32, v.data(), 4, valueSizes, nullptr);
    arguments[3] = fovea_float(0.5f);
    results[0] = fovea_tensor(FOVEA_F32, o.data(), 4, outputSizes, nullptr);
    results[1] = fovea_tensor(FOVEA_F32, lse.data(), 3, lseSizes, nullptr);
  }

  fovea_status launch() {
    return fovea_launch(function, &device, arguments, 4, results, 2, workspace, sizeof workspace);
  }

  std::shared_ptr<fovea_artifact> artifact;
  const fovea_function *function;
  fovea_device device = {};
  std::vector<float> q, k, v, o, lse, wide;
  int64_t querySizes[4], keySizes[4], valueSizes[4], outputSizes[4], lseSizes[3];
  fovea_value arguments[4], results[2];
  alignas(128) char workspace[4096];

private:
  static void set(int64_t *sizes, std::initializer_list<int64_t> values) {
    std::copy(values.begin(), values.end(), sizes);
  }
};

} // namespace fovea::test

#endif // FOVEA_RUNTIME_TEST_FIXTURE_H
