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

/// Two kernels, each in an image of its own: "wide" for rows that are aligned to 16 bytes, else "narrow".
struct KernelsFixture : CudaFixture {
  explicit KernelsFixture(const std::string &wide = "first;entry wide()",
                          const std::string &narrow = "second;entry narrow()")
      : CudaFixture(makeKernels(wide, narrow)) {
    arguments[2].strides = results[0].strides = kPadded;
    results[0].data = this->wide.data();
  }
  /// Another problem on the same function.
  explicit KernelsFixture(const fovea_function *shared) : KernelsFixture() { function = shared; }

  /// Rows of V and O, which have three elements.
  static constexpr int64_t kPadded[] = {3 * 8 * 4, 8 * 4, 4, 1};

  static abi::ArtifactT makeKernels(const std::string &wide, const std::string &narrow) {
    abi::ArtifactT artifact = makeCudaArtifact(wide + '\0' + narrow + '\0');
    artifact.codes.back()->images = {{0, wide.size() + 1}, {wide.size() + 1, narrow.size() + 1}};
    auto &variants = artifact.functions[0]->implementations[1]->steps[0]->variants;
    for (int i = 0; i < 2; ++i) {
      variants[i]->kernels[0]->symbol = i ? "narrow" : "wide";
      variants[i]->kernels[0]->image = i;
      variants[i]->kernels[0]->shared_bytes = 64 * 1024;
    }
    return artifact;
  }

  void takeUnalignedRows() { arguments[0].data = q.data() + 1; }
  std::string select() {
    fovea_selection selection = {};
    CHECK_OK(fovea_select(function, &device, arguments, 4, results, 2, 0, &selection));
    return selection.variant;
  }
  fovea_status prepare() { return fovea_prepare_launch(function, &device, arguments, 4, results, 2); }
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

TEST(cudaLoadsTheKernelsOfALaunchAlone) {
  KernelsFixture f;
  useContext(0);
  int loads = fake().loads, functions = fake().functions;
  // Neither a query nor a selection loads anything.
  uint64_t bytes;
  CHECK_OK(fovea_workspace_size(f.function, &f.device, f.arguments, 4, &bytes));
  CHECK(f.select() == "wide" && fake().loads == loads);
  CHECK_OK(f.launch());
  CHECK(fake().loads == loads + 1 && fake().functions == functions + 1);
  CHECK(std::string(fake().last.kernel) == "wide");
  CHECK_OK(f.launch());
  CHECK(fake().loads == loads + 1 && fake().functions == functions + 1);
  // Rows that are not aligned take the other variant.
  f.takeUnalignedRows();
  CHECK(f.select() == "narrow" && fake().loads == loads + 1);
  CHECK_OK(f.launch());
  CHECK(fake().loads == loads + 2 && std::string(fake().last.kernel) == "narrow");
  // Another context has its own.
  useContext(0);
  CHECK_OK(f.launch());
  CHECK(fake().loads == loads + 3);
}

TEST(cudaPreparesTheKernelsOfALaunch) {
  KernelsFixture f;
  useContext(0);
  int loads = fake().loads, launches = fake().launches;
  CHECK_OK(f.prepare());
  CHECK_OK(f.prepare());
  CHECK(fake().loads == loads + 1 && fake().launches == launches);
  CHECK_OK(f.launch());
  CHECK(fake().loads == loads + 1);
  // All of the rest, and nothing twice.
  CHECK_OK(fovea_prepare(f.function, &f.device));
  CHECK(fake().loads == loads + 2);
  f.takeUnalignedRows();
  CHECK_OK(f.prepare());
  CHECK_OK(f.launch());
  CHECK(fake().loads == loads + 2);
  // What a launch refuses is refused.
  f.arguments[3] = fovea_double(1);
  CHECK_FAILS(f.prepare(), FOVEA_INVALID_ARGUMENT, "");
  Fixture cpu;
  CHECK_OK(fovea_prepare_launch(cpu.function, &cpu.device, cpu.arguments, 4, cpu.results, 2));
  CHECK_FAILS(fovea_prepare_launch(nullptr, &cpu.device, cpu.arguments, 4, cpu.results, 2), FOVEA_INVALID_ARGUMENT,
              "the function is a null pointer");
}

TEST(cudaReportsErrorsOfLateLoads) {
  KernelsFixture f("first;entry wide()", "wrong");
  useContext(0);
  CHECK_OK(f.launch());
  f.takeUnalignedRows();
  int launches = fake().launches;
  const char *text =
      "cuModuleLoadDataEx failed: CUDA_ERROR_FAKE (218): a fake error; log of the driver for sm_80: line "
      "7: unknown instruction";
  CHECK_FAILS(f.launch(), FOVEA_DRIVER, text);
  CHECK_FAILS(f.prepare(), FOVEA_DRIVER, text);
  CHECK_FAILS(fovea_prepare(f.function, &f.device), FOVEA_DRIVER, text);
  CHECK(fake().launches == launches);
  // A kernel that its image lacks; the others still run.
  KernelsFixture other("first;entry wide()", "second;entry wide()");
  CHECK_FAILS(fovea_prepare(other.function, &other.device), FOVEA_DRIVER,
              "kernel 'narrow': cuModuleGetFunction failed");
  CHECK_OK(other.launch());
  // What failed once is tried again.
  KernelsFixture third;
  failNext("cuFuncSetAttribute", 1);
  third.takeUnalignedRows();
  CHECK_FAILS(third.launch(), FOVEA_DRIVER, "cuFuncSetAttribute failed");
  CHECK_OK(third.launch());
}

TEST(cudaLoadsWhileAStreamIsCaptured) {
  auto begin = getControl<int(void *, int)>("cuStreamBeginCapture_v2");
  auto end = getControl<int(void *, void **)>("cuStreamEndCapture");
  auto exchange = getControl<int(int *)>("cuThreadExchangeStreamCaptureMode");
  KernelsFixture f;
  useContext(0);
  int stream = 0, loads = fake().loads;
  void *graph;
  f.device.stream = &stream;
  CHECK(begin(&stream, 0) == 0);
  CHECK_OK(f.launch());
  CHECK(fake().loads == loads + 1 && fake().forbidden == 0);
  CHECK(end(&stream, &graph) == 0);
  // The thread's mode is as it was, also after a load that failed.
  KernelsFixture bad("wrong", "wrong");
  CHECK_FAILS(bad.launch(), FOVEA_DRIVER, "unknown instruction");
  int mode = 1;
  CHECK(exchange(&mode) == 0 && mode == 0);
  CHECK(exchange(&mode) == 0 && mode == 1);
  // Another thread's load does not end the capture either.
  CHECK(begin(&stream, 0) == 0);
  void *context = useContext(1);
  std::thread([&] {
    setContext(context);
    KernelsFixture g(f.function);
    g.device.backend = FOVEA_CUDA;
    CHECK_OK(fovea_prepare(g.function, &g.device));
  }).join();
  CHECK(fake().loads == loads + 3 && fake().forbidden == 0);
  CHECK(end(&stream, &graph) == 0);
}

TEST(cudaLoadsEachKernelOnceFromManyThreads) {
  KernelsFixture first;
  void *contexts[] = {useContext(0), useContext(1)};
  int loads = fake().loads, functions = fake().functions;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      setContext(contexts[t % 2]);
      KernelsFixture f(first.function);
      if (t / 2 % 2)
        f.takeUnalignedRows();
      for (int i = 0; i < 20; ++i)
        CHECK_OK(i % 3 ? f.launch() : f.prepare());
    });
  for (std::thread &thread : threads)
    thread.join();
  // Two kernels in two contexts.
  CHECK(fake().loads == loads + 4 && fake().functions == functions + 4);
  int unloads = fake().unloads;
  first.artifact.reset();
  CHECK(fake().unloads == unloads + 4);
}

TEST(cudaDescribesKernels) {
  KernelsFixture f;
  CHECK(fovea_function_kernel_count(f.function, 1) == 2 && fovea_function_kernel_count(f.function, 2) == 0);
  fovea_kernel_info info;
  CHECK_OK(fovea_function_kernel(f.function, 1, 1, &info));
  CHECK(std::string(info.symbol) == "narrow" && std::string(info.step) == "attn0" &&
        std::string(info.variant) == "narrow");
  CHECK(std::string(static_cast<const char *>(info.code), info.code_size) ==
        std::string("second;entry narrow()\0", 22));
  CHECK_OK(fovea_function_kernel(f.function, 0, 0, &info));
  CHECK(std::string(info.symbol) == "attention" && info.code_size == readKernelObject().size());
  CHECK_FAILS(fovea_function_kernel(f.function, 1, 2, &info), FOVEA_INVALID_ARGUMENT,
              "implementation 1 of function 'attention' has no kernel 2");
  CHECK_FAILS(fovea_function_kernel(f.function, 1, 0, nullptr), FOVEA_INVALID_ARGUMENT, "the result is a null pointer");
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
  // The variant that runs.
  auto &kernel = *artifact.functions[0]->implementations[1]->steps[0]->variants[1]->kernels[0];
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
