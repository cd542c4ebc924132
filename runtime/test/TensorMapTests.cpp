//===- TensorMapTests.cpp - Tensor maps and the variants that need them -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"
#include "FakeControl.h"
#include "Fixture.h"
#include "MapArtifact.h"

#include <thread>

using namespace fovea;
using namespace fovea::test;

namespace {

/// A launch of the function of `makeMapArtifact`: a is [2, 3, 300, 64], contiguous, and b is [70, 128].
struct MapFixture {
  explicit MapFixture(const abi::ArtifactT &source = makeMapArtifact())
      : artifact(load(source)), function(fovea_artifact_function(artifact.get(), 0)) {
    setUp();
  }
  explicit MapFixture(const fovea_function *function) : function(function) { setUp(); }

  void setUp() {
    device.backend = FOVEA_CUDA;
    // Nothing reads the tensors.
    arguments[0] = fovea_tensor(FOVEA_F16, reinterpret_cast<void *>(0x70000), 4, sizes, strides);
    arguments[1] = fovea_tensor(FOVEA_BF16, reinterpret_cast<void *>(0x10000000), 2, sizesB, nullptr);
    fake().firstMap = 11 + 7;
    fake().mapCount = 2;
  }

  fovea_status launch() {
    return fovea_launch(function, &device, arguments, 2, nullptr, 0, workspace, sizeof workspace);
  }
  /// The kernel that ran last, once it is known which one has no maps.
  std::string run() {
    // The plain kernel has as many parameters as are words.
    fake().mapCount = 0;
    CHECK_OK(launch());
    return fake().last.kernel;
  }

  std::shared_ptr<fovea_artifact> artifact;
  const fovea_function *function;
  fovea_device device = {};
  int64_t sizes[4] = {2, 3, 300, 64}, strides[4] = {3 * 300 * 64, 300 * 64, 64, 1}, sizesB[2] = {70, 128};
  fovea_value arguments[2];
  alignas(128) char workspace[2048];
};

bool operator==(const FakeTensorMap &a, const FakeTensorMap &b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// A map of `rank` dimensions; the rest is what every map has.
FakeTensorMap makeMap(uint64_t address, int type, int rank, std::vector<uint64_t> sizes, std::vector<uint64_t> strides,
                      std::vector<uint16_t> box) {
  FakeTensorMap map;
  std::memset(&map, 0, sizeof map);
  map.address = address;
  std::copy(sizes.begin(), sizes.end(), map.sizes);
  std::copy(strides.begin(), strides.end(), map.strides);
  std::copy(box.begin(), box.end(), map.box);
  std::fill_n(map.steps, rank, 1);
  map.type = type;
  map.rank = rank;
  map.swizzle = 3;
  map.promotion = 3;
  return map;
}

} // namespace

TEST(tensorMapsOfStridedTensors) {
  useContext(1);
  MapFixture f;
  CHECK_OK(f.launch());
  CHECK(std::string(fake().last.kernel) == "mapped");
  CHECK(fake().maps[0] == makeMap(0x70000, 6, 4, {64, 300, 3, 2}, {128, 300 * 128, 3 * 300 * 128}, {64, 176, 1, 1}));
  CHECK(fake().maps[1] == makeMap(0x10000000, 9, 2, {128, 70}, {256}, {64, 32}));
  // [B, S, H, D] in memory.
  const int64_t strides[] = {300 * 3 * 64, 64, 3 * 64, 1};
  std::copy_n(strides, 4, f.strides);
  CHECK_OK(f.launch());
  CHECK(fake().maps[0] == makeMap(0x70000, 6, 4, {64, 300, 3, 2}, {3 * 128, 128, 300 * 3 * 128}, {64, 176, 1, 1}));
}

TEST(tensorMapsOfSmallDimensions) {
  useContext(1);
  MapFixture f;
  // The stride of one position may be anything.
  f.sizes[0] = f.sizes[1] = 1;
  f.strides[0] = -7;
  f.strides[1] = 0;
  CHECK_OK(f.launch());
  CHECK(std::string(fake().last.kernel) == "mapped");
  CHECK(fake().maps[0] == makeMap(0x70000, 6, 4, {64, 300, 1, 1}, {128, 128, 128}, {64, 176, 1, 1}));
  // Of a tensor without elements nothing is read, wherever it lies.
  f.sizes[2] = 0;
  f.strides[2] = 0;
  f.arguments[0].data = nullptr;
  CHECK_OK(f.launch());
  CHECK(std::string(fake().last.kernel) == "mapped");
  CHECK(fake().maps[0] == makeMap(16, 6, 4, {1, 1, 1, 1}, {16, 16, 16}, {64, 176, 1, 1}));
}

TEST(tensorMapsOfTemporaries) {
  useContext(1);
  abi::ArtifactT artifact = makeMapArtifact();
  auto &variant = *artifact.functions[0]->implementations[0]->steps[0]->variants[0];
  auto buffer = std::make_unique<abi::BufferT>();
  buffer->type = abi::ElementType::BF16;
  for (int64_t size : {7, 64})
    buffer->dims.push_back(expr({constant(size)}));
  variant.temporaries.push_back(std::move(buffer));
  *variant.kernels[0]->bindings[1] = binding(abi::BindingKind::VariantTemporary, 0, abi::ElementType::BF16, 2);
  MapFixture f(artifact);
  CHECK_OK(f.launch());
  CHECK(fake().maps[1] == makeMap(reinterpret_cast<uintptr_t>(f.workspace), 9, 2, {64, 7}, {128}, {64, 32}));
  fovea_selection selection;
  CHECK_OK(fovea_select(f.function, &f.device, f.arguments, 2, nullptr, 0, 0, &selection));
  CHECK(std::string(selection.variant) == "mapped");
}

TEST(tensorMapsGiveWayToTheNextVariant) {
  useContext(1);
  auto runChanged = [](auto change) {
    MapFixture f;
    change(f);
    return f.run();
  };
  CHECK(runChanged([](MapFixture &) {}) == "mapped");
  CHECK(runChanged([](MapFixture &f) { f.arguments[0].data = reinterpret_cast<void *>(0x70008); }) == "plain");
  CHECK(runChanged([](MapFixture &f) { f.strides[2] = 68; }) == "plain");
  CHECK(runChanged([](MapFixture &f) { f.strides[2] = 72; }) == "mapped");
  CHECK(runChanged([](MapFixture &f) { f.strides[2] = -64; }) == "plain");
  CHECK(runChanged([](MapFixture &f) { f.strides[1] = 0; }) == "plain");
  CHECK(runChanged([](MapFixture &f) { f.strides[3] = 2; }) == "plain");
  CHECK(runChanged([](MapFixture &f) { f.strides[0] = (int64_t(1) << 39) - 8; }) == "mapped");
  CHECK(runChanged([](MapFixture &f) { f.strides[0] = int64_t(1) << 39; }) == "plain");
  CHECK(runChanged([](MapFixture &f) { f.sizes[2] = int64_t(1) << 32; }) == "mapped");
  CHECK(runChanged([](MapFixture &f) { f.sizes[2] = (int64_t(1) << 32) + 1; }) == "plain");
  // The second map is checked as the first one.
  CHECK(runChanged([](MapFixture &f) { f.sizesB[1] = 129; }) == "plain");
}

TEST(tensorMapsNeedTheDriver) {
  useContext(1);
  MapFixture f;
  failNext("cuTensorMapEncodeTiled", 1);
  CHECK(f.run() == "plain");
  CHECK(f.run() == "mapped");
  const runtime::CudaDriver *driver;
  CHECK_OK(runtime::getCudaDriver(&driver));
  auto &encode = const_cast<runtime::CudaDriver *>(driver)->cuTensorMapEncodeTiled;
  auto *kept = encode;
  encode = nullptr;
  CHECK(f.run() == "plain");
  // Where there is no other variant, the reason is the error.
  abi::ArtifactT artifact = makeMapArtifact();
  artifact.functions[0]->implementations[0]->steps[0]->variants.pop_back();
  MapFixture last(artifact);
  int launches = fake().launches;
  CHECK_FAILS(last.launch(), FOVEA_UNSUPPORTED,
              "kernel 'mapped': no tensor map describes parameter 0: the CUDA driver is too old: it lacks "
              "cuTensorMapEncodeTiled");
  encode = kept;
  failNext("cuTensorMapEncodeTiled", 1);
  CHECK_FAILS(last.launch(), FOVEA_DRIVER, "cuTensorMapEncodeTiled failed: CUDA_ERROR_FAKE (1)");
  last.strides[2] = 65;
  CHECK_FAILS(last.launch(), FOVEA_UNSUPPORTED,
              "kernel 'mapped': no tensor map describes parameter 0: a stride is no multiple of 16 bytes");
  CHECK(fake().launches == launches);
}

TEST(tensorMapsAndTheWorkspace) {
  useContext(1);
  abi::ArtifactT artifact = makeMapArtifact();
  auto &variants = artifact.functions[0]->implementations[0]->steps[0]->variants;
  for (int64_t size : {100, 1000}) {
    auto buffer = std::make_unique<abi::BufferT>();
    buffer->type = abi::ElementType::I8;
    buffer->dims.push_back(expr({constant(size)}));
    variants[size == 1000]->temporaries.push_back(std::move(buffer));
  }
  MapFixture f(artifact);
  uint64_t bytes;
  CHECK_OK(fovea_workspace_size(f.function, &f.device, f.arguments, 2, &bytes));
  CHECK(bytes == 1024);
  f.strides[2] = 68;
  CHECK(f.run() == "plain");
  CHECK_OK(fovea_workspace_size(f.function, &f.device, f.arguments, 2, &bytes));
  CHECK(bytes == 1024);
}

TEST(tensorMapsOfManySteps) {
  useContext(1);
  abi::ArtifactT artifact = makeMapArtifact();
  auto &kernel = *artifact.functions[0]->implementations[0]->steps[0]->variants[0]->kernels[0];
  for (int i = 2; i < 16; ++i)
    kernel.tensor_maps.push_back(std::make_unique<abi::TensorMapT>(*kernel.tensor_maps[0]));
  // Nine of these would be more than a launch holds.
  for (int i = 1; i < 9; ++i)
    artifact.functions[0]->implementations[0]->steps.push_back(
        std::make_unique<abi::StepT>(*artifact.functions[0]->implementations[0]->steps[0]));
  MapFixture f(artifact);
  int launches = fake().launches, encodes = fake().encodes;
  CHECK(f.run() == "plain");
  CHECK(fake().launches == launches + 9 && fake().encodes == encodes + 128);
}

TEST(tensorMapsFromManyThreads) {
  MapFixture first;
  void *contexts[] = {useContext(0), useContext(1)};
  fake().mapCount = 0;
  int encodes = fake().encodes, launches = fake().launches;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      setContext(contexts[t % 2]);
      MapFixture f(first.function);
      fake().mapCount = 0;
      for (int i = 0; i < 50; ++i)
        CHECK_OK(f.launch());
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(fake().encodes == encodes + 800 && fake().launches == launches + 400);
}

TEST(tensorMapsThatTheReaderRefuses) {
  auto load = [](auto change) {
    abi::ArtifactT artifact = makeMapArtifact();
    change(*artifact.functions[0]->implementations[0]->steps[0]->variants[0]->kernels[0]);
    std::vector<uint8_t> bytes = pack(artifact);
    fovea_artifact *loaded;
    fovea_status status = fovea_artifact_load_memory(bytes.data(), bytes.size(), FOVEA_COPY, &loaded);
    fovea_artifact_destroy(loaded);
    return status;
  };
  using K = abi::KernelT;
  auto kInvalid = FOVEA_INVALID_ARTIFACT;
  CHECK_OK(load([](K &) {}));
  CHECK_FAILS(load([](K &k) { k.tensor_maps[1]->binding = 2; }), kInvalid, "a parameter that does not exist");
  CHECK_FAILS(load([](K &k) { k.tensor_maps[1]->binding = -1; }), kInvalid, "a parameter that does not exist");
  CHECK_FAILS(load([](K &k) { *k.bindings[1] = binding(abi::BindingKind::Constant, 0, abi::ElementType::F16, -1); }),
              kInvalid, "no f16 or bf16 tensor of rank 2 to 5");
  CHECK_FAILS(load([](K &k) { k.tensor_maps[0]->cols = 32; }), kInvalid, "are not 128 bytes");
  CHECK_FAILS(load([](K &k) { k.tensor_maps[0]->swizzle = 64; }), kInvalid, "are not 128 bytes");
  CHECK_FAILS(load([](K &k) { k.tensor_maps[0]->rows = 0; }), kInvalid, "less than 1 or more than 256 rows");
  CHECK_FAILS(load([](K &k) { k.tensor_maps[0]->rows = 257; }), kInvalid, "less than 1 or more than 256 rows");
  CHECK_FAILS(load([](K &k) { k.tensor_maps[0]->row_dim = 3; }), kInvalid, "lie in the last dimension, or in none");
  CHECK_FAILS(load([](K &k) { k.tensor_maps[0]->row_dim = -1; }), kInvalid, "lie in the last dimension, or in none");
  auto repeat = [](K &k, int count) {
    for (int i = 2; i < count; ++i)
      k.tensor_maps.push_back(std::make_unique<abi::TensorMapT>(*k.tensor_maps[0]));
  };
  CHECK_OK(load([&](K &k) { repeat(k, 16); }));
  CHECK_FAILS(load([&](K &k) { repeat(k, 17); }), kInvalid, "too many tensor maps");
  // 16 maps and these words are more than 4096 bytes.
  CHECK_FAILS(load([&](K &k) {
                repeat(k, 16);
                for (int i = 0; i < 23; ++i)
                  k.bindings.push_back(std::make_unique<abi::BindingT>(*k.bindings[0]));
              }),
              kInvalid, "too many tensor maps");
  abi::ArtifactT cpu = makeMapArtifact();
  cpu.codes[0]->kind = abi::CodeKind::SharedObject;
  cpu.codes[0]->backend = "cpu";
  std::vector<uint8_t> bytes = pack(cpu);
  fovea_artifact *loaded;
  CHECK_FAILS(fovea_artifact_load_memory(bytes.data(), bytes.size(), FOVEA_COPY, &loaded), kInvalid,
              "a CPU kernel has tensor maps");
}
