//===- CudaTests.cpp - Launches on a fake driver -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"
#include "FakeControl.h"
#include "Fixture.h"

#include <cstring>
#include <thread>

using namespace fovea;
using namespace fovea::test;

namespace {

/// The test artifact with PTX for sm_80; the kernels have 128 threads.
abi::ArtifactT makeCudaArtifact(const std::string &ptx = "ptx") {
  abi::ArtifactT artifact = makeArtifact(readKernelObject());
  addImplementation(artifact, abi::CodeKind::PTX, "sm_80", ptx);
  artifact.codes.back()->ptx_version = 70;
  for (auto &variant : artifact.functions[0]->implementations[1]->steps[0]->variants) {
    variant->kernels[0]->block = 128;
    variant->kernels[0]->shared_bytes = 1024;
  }
  return artifact;
}

struct CudaFixture : Fixture {
  explicit CudaFixture(const abi::ArtifactT &artifact = makeCudaArtifact()) : Fixture(artifact) {
    device.backend = FOVEA_CUDA;
    device.threads = 0;
  }
};

} // namespace

TEST(cudaNeedsAContext) {
  CudaFixture f;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "no current CUDA context");
}

TEST(cudaLaunches) {
  CudaFixture f;
  void *context = useContext(0);
  int launches = fake().launches, synchronisations = fake().synchronisations, allocations = fake().allocations;
  f.device.stream = &launches;
  CHECK_OK(f.launch());
  const FakeLaunch &last = fake().last;
  CHECK(fake().launches == launches + 1 && std::string(last.kernel) == "attention");
  CHECK(last.grid[0] == 6 && last.grid[1] == 1 && last.block[0] == 128 && last.shared == 1024);
  CHECK(last.stream == &launches && last.context == context);
  // The parameters arrived: the fake driver computed with them.
  CHECK(f.o[0] == 2 && f.o.back() == 2);
  CHECK(fake().synchronisations == synchronisations && fake().allocations == allocations);
}

TEST(cudaRunsWithAWorkspaceOfItsOwn) {
  CudaFixture f;
  abi::ArtifactT artifact = makeCudaArtifact();
  auto temporary = std::make_unique<abi::BufferT>();
  temporary->type = abi::ElementType::F32;
  temporary->dims.push_back(expr({constant(100)}));
  artifact.functions[0]->implementations[1]->temporaries.push_back(std::move(temporary));
  std::vector<uint8_t> packed = pack(artifact);
  std::vector<uint64_t> words(packed.size() / 8 + 1);
  std::memcpy(words.data(), packed.data(), packed.size());
  fovea_embedded embedded = {FOVEA_API_VERSION, words.data(), packed.size(), nullptr};
  auto run = [&] { return fovea_embedded_run(&embedded, "attention", &f.device, f.arguments, 4, f.results, 2); };
  // Without a context of the thread it takes the one of the memory, and leaves the thread as it was.
  setContext(nullptr);
  int launches = fake().launches, synchronisations = fake().synchronisations, allocations = fake().allocations,
      frees = fake().frees;
  CHECK_OK(run());
  CHECK(fake().launches == launches + 1 && fake().synchronisations == synchronisations + 1 && f.o.back() == 2);
  CHECK(fake().allocations == allocations + 1 && fake().frees == frees + 1);
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "no current CUDA context");
  // With one it stays there.
  void *context = useContext(0);
  CHECK_OK(run());
  CHECK(fake().last.context == context);
  failNext("cuLaunchKernel", 700);
  CHECK_FAILS(run(), FOVEA_DRIVER, "cuLaunchKernel failed");
  failNext("cuStreamSynchronize", 700);
  CHECK_FAILS(run(), FOVEA_DRIVER, "cuStreamSynchronize failed");
  CHECK(fake().frees - frees == fake().allocations - allocations);
  setContext(nullptr);
  failNext("cuPointerGetAttribute", 1);
  CHECK_FAILS(run(), FOVEA_DRIVER, "cuPointerGetAttribute failed");
  fovea_artifact_destroy(static_cast<fovea_artifact *>(embedded.state));
}

TEST(cudaLoadsAModuleForEachContext) {
  CudaFixture f;
  void *contexts[] = {useContext(0), useContext(1)};
  int loads = fake().loads, unloads = fake().unloads;
  for (int i = 0; i < 6; ++i) {
    setContext(contexts[i % 2]);
    CHECK_OK(f.launch());
    CHECK(fake().last.context == contexts[i % 2]);
  }
  CHECK(fake().loads == loads + 2);
  setContext(nullptr);
  f.artifact.reset();
  // Each was unloaded in its own context.
  CHECK(fake().unloads == unloads + 2);
}

TEST(cudaLaunchesFromManyThreads) {
  CudaFixture first;
  void *contexts[] = {useContext(0), useContext(1)};
  int loads = fake().loads, launches = fake().launches;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      setContext(contexts[t % 2]);
      for (int i = 0; i < 20; ++i) {
        Fixture f(first.function);
        f.device = first.device;
        CHECK_OK(f.launch());
        CHECK(f.o.back() == 2);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(fake().loads == loads + 2 && fake().launches == launches + 160);
}

TEST(cudaPreparesWithoutLaunching) {
  CudaFixture f;
  useContext(0);
  int loads = fake().loads, launches = fake().launches;
  CHECK_OK(fovea_prepare(f.function, &f.device));
  CHECK_OK(fovea_prepare(f.function, &f.device));
  CHECK(fake().loads == loads + 1 && fake().launches == launches);
}

TEST(cudaReportsErrors) {
  useContext(0);
  CudaFixture f(makeCudaArtifact("wrong"));
  CHECK_FAILS(f.launch(), FOVEA_DRIVER,
              "cuModuleLoadDataEx failed: CUDA_ERROR_FAKE (218): a fake error; log of the driver for sm_80: line 7: "
              "unknown instruction");
  CudaFixture good;
  failNext("cuModuleLoadDataEx", 2);
  CHECK_FAILS(good.launch(), FOVEA_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  failNext("cuModuleGetFunction", 500);
  CHECK_FAILS(good.launch(), FOVEA_DRIVER, "kernel 'attention': cuModuleGetFunction failed: CUDA_ERROR_FAKE (500)");
  failNext("cuLaunchKernel", 700);
  CHECK_FAILS(good.launch(), FOVEA_DRIVER, "cuLaunchKernel failed: CUDA_ERROR_FAKE (700): a fake error");
  failNext("cuCtxGetCurrent", 3);
  CHECK_FAILS(good.launch(), FOVEA_DRIVER, "cuCtxGetCurrent failed");
  // What failed once is tried again.
  CHECK_OK(good.launch());
}

TEST(cudaExplainsAnOldDriver) {
  useContext(0);
  abi::ArtifactT artifact = makeCudaArtifact("too new");
  artifact.codes.back()->ptx_version = 83;
  CudaFixture f(artifact);
  fake().driverVersion = 12010;
  CHECK_FAILS(
      f.launch(), FOVEA_UNSUPPORTED,
      "PTX version 8.3 needs a driver of CUDA 12.3 or newer, this one is of CUDA 12.1; update the driver, or compile "
      "with --ptx-version=8.1 or lower");
  fake().driverVersion = 13000;
}

TEST(cudaChecksGrids) {
  useContext(0);
  abi::ArtifactT artifact = makeCudaArtifact();
  auto grid = [&](int64_t size) {
    for (auto &variant : artifact.functions[0]->implementations[1]->steps[0]->variants) {
      variant->kernels[0]->grid = expr({constant(size)});
      variant->kernels[0]->symbol = "nothing";
    }
    return std::make_unique<CudaFixture>(artifact);
  };
  int launches = fake().launches;
  CHECK_OK(grid(2147483647)->launch());
  CHECK(fake().launches == launches + 1 && fake().last.grid[0] == 2147483647u);
  CHECK_FAILS(grid(2147483648)->launch(), FOVEA_UNSUPPORTED,
              "needs 2147483648 thread blocks, CUDA launches at most 2147483647 at once");
  CHECK_FAILS(grid(-1)->launch(), FOVEA_OVERFLOW, "would be -1");
  CHECK_OK(grid(0)->launch());
  CHECK(fake().launches == launches + 1);
}

TEST(cudaThreadsAreMultiprocessors) {
  abi::ArtifactT artifact = makeCudaArtifact();
  for (auto &variant : artifact.functions[0]->implementations[1]->steps[0]->variants) {
    auto &kernel = *variant->kernels[0];
    kernel.grid = expr({op(abi::ExprOp::Threads), argDim(0, 2), op(abi::ExprOp::Min)});
    kernel.symbol = "nothing";
    kernel.scratch_bytes = 0;
    variant->temporaries.push_back(std::make_unique<abi::BufferT>());
    variant->temporaries[0]->dims.push_back(expr({op(abi::ExprOp::Threads), constant(32), op(abi::ExprOp::Mul)}));
  }
  CudaFixture f(artifact);
  for (int device : {0, 1}) {
    useContext(device);
    CHECK_OK(f.launch());
    CHECK(fake().last.grid[0] == (device ? 5u : 4u));
    uint64_t bytes;
    CHECK_OK(fovea_workspace_size(f.function, &f.device, f.arguments, 4, &bytes));
    CHECK(bytes == (device ? 6 : 4) * 128);
  }
}

TEST(cudaSetsSharedMemory) {
  useContext(0);
  abi::ArtifactT artifact = makeCudaArtifact();
  auto &kernel = *artifact.functions[0]->implementations[1]->steps[0]->variants[0]->kernels[0];
  kernel.shared_bytes = 48 * 1024;
  fake().maxDynamicShared = 0;
  CudaFixture small(artifact);
  CHECK_OK(small.launch());
  CHECK(fake().maxDynamicShared == 0);
  kernel.shared_bytes = 100 * 1024;
  CudaFixture f(artifact);
  CHECK_OK(f.launch());
  CHECK(fake().maxDynamicShared == 100 * 1024);
  kernel.shared_bytes = 200 * 1024;
  CudaFixture large(artifact);
  CHECK_FAILS(large.launch(), FOVEA_UNSUPPORTED,
              "needs 204800 bytes of shared memory in a thread block, this device has 166912");
}

TEST(cudaRanksCode) {
  runtime::Code code;
  auto rank = [&](const char *arch, runtime::CodeKind kind, int capability) {
    code.arch = arch;
    code.kind = kind;
    return runtime::rankCuda(code, capability);
  };
  using runtime::CodeKind;
  CHECK(rank("sm_80", CodeKind::PTX, 80) && rank("sm_80", CodeKind::PTX, 90) && !rank("sm_90", CodeKind::PTX, 89));
  CHECK(rank("sm_80", CodeKind::Cubin, 86) && !rank("sm_80", CodeKind::Cubin, 90) &&
        !rank("sm_86", CodeKind::Cubin, 80));
  CHECK(rank("sm_90a", CodeKind::PTX, 90) && !rank("sm_90a", CodeKind::PTX, 100) &&
        !rank("sm_90a", CodeKind::Cubin, 100));
  CHECK(rank("sm_100f", CodeKind::PTX, 103) && !rank("sm_100f", CodeKind::PTX, 120));
  CHECK(rank("sm_80", CodeKind::Cubin, 80) > rank("sm_80", CodeKind::PTX, 80));
  CHECK(rank("sm_90a", CodeKind::PTX, 90) > rank("sm_90", CodeKind::PTX, 90));
  CHECK(rank("sm_90", CodeKind::PTX, 90) > rank("sm_80", CodeKind::PTX, 90));
  CHECK(!rank("znver3", CodeKind::PTX, 90));
}

TEST(cudaChoosesTheBestCode) {
  abi::ArtifactT artifact = makeCudaArtifact();
  addImplementation(artifact, abi::CodeKind::PTX, "sm_90a", "ptx");
  CudaFixture f(artifact);
  fovea_selection selection;
  auto select = [&] { return fovea_select(f.function, &f.device, f.arguments, 4, f.results, 2, 0, &selection); };
  useContext(0);
  CHECK_OK(select());
  CHECK(selection.implementation == 1);
  f.device.arch = "sm_90a";
  CHECK_FAILS(select(), FOVEA_UNSUPPORTED,
              "has code for sm_80, sm_90a; this device is of compute capability 8.0, and the "
              "code asked for is sm_90a");
  f.device.arch = nullptr;
  useContext(1);
  CHECK_OK(select());
  CHECK(selection.implementation == 2);
  f.device.arch = "sm_80";
  CHECK_OK(select());
  CHECK(selection.implementation == 1);
  Fixture cpuOnly;
  cpuOnly.device.backend = FOVEA_CUDA;
  CHECK_FAILS(cpuOnly.launch(), FOVEA_NOT_FOUND, "no code for CUDA");
}
