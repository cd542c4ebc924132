//===- LaunchTests.cpp - Launches on the CPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"
#include "Fixture.h"
#include "Model.h"
#include "Test.h"

#include <atomic>
#include <cmath>
#include <dlfcn.h>
#include <filesystem>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fovea;
using namespace fovea::test;

namespace {

/// malloc of this thread while it is counted.
thread_local bool counting = false;
thread_local int allocations = 0;

} // namespace

#if defined(__has_feature)
#define FOVEA_HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer))
#elif defined(__SANITIZE_ADDRESS__)
#define FOVEA_HAS_SANITIZER 1
#endif

// A sanitizer has a malloc of its own.
#if !FOVEA_HAS_SANITIZER
extern "C" void *__libc_malloc(size_t);
extern "C" void *malloc(size_t size) {
  if (counting)
    ++allocations;
  return __libc_malloc(size);
}
#endif

TEST(launchComputesAttention) {
  Fixture f;
  CHECK_OK(f.launch());
  // All keys and values are equal, so that O is V and LSE the score plus log of their number.
  for (float o : f.o)
    CHECK(o == 2);
  for (float lse : f.lse)
    CHECK(std::fabs(lse - (0.5f * 4 + std::log(7.0f))) < 1e-5f);
}

TEST(launchChecksCounts) {
  Fixture f;
  CHECK_FAILS(fovea_launch(f.function, &f.device, f.arguments, 3, f.results, 2, f.workspace, sizeof f.workspace),
              FOVEA_INVALID_ARGUMENT, "takes 4 arguments, 3 were given");
  CHECK_FAILS(fovea_launch(f.function, &f.device, f.arguments, 4, f.results, 1, f.workspace, sizeof f.workspace),
              FOVEA_INVALID_ARGUMENT, "has 2 results, 1 were given");
  CHECK_FAILS(fovea_launch(f.function, &f.device, nullptr, 4, f.results, 2, f.workspace, sizeof f.workspace),
              FOVEA_INVALID_ARGUMENT, "null pointer");
  CHECK_FAILS(fovea_launch(nullptr, &f.device, f.arguments, 4, f.results, 2, f.workspace, sizeof f.workspace),
              FOVEA_INVALID_ARGUMENT, "the function is a null pointer");
}

TEST(launchChecksShapes) {
  Fixture f;
  f.arguments[1].type = FOVEA_F16;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "argument 1 ('key') has type f16, expected f32");
  f = Fixture();
  f.arguments[1].rank = 3;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "argument 1 ('key') has rank 3, expected 4");
  f = Fixture();
  f.arguments[3] = f.arguments[0];
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "argument 3 ('scale') is a tensor of rank 4, expected a scalar");
  f = Fixture();
  f.arguments[0] = f.arguments[3];
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "argument 0 ('query') is a scalar, expected a tensor of rank 4");
  f = Fixture();
  f.arguments[0].sizes = nullptr;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "has no sizes");
  f = Fixture();
  f.querySizes[3] = 5;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "argument 0 ('query'): dimension 3 is 5, expected 4");
  f = Fixture();
  f.querySizes[0] = -1;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "size 0 is -1");
  f = Fixture();
  f.querySizes[0] = 3;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "query has 3 in dimension 0, operand 1 has 2");
  f = Fixture();
  f.valueSizes[2] = 6;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "argument 2 ('value'): dimension 2 is 6, expected 7");
  f = Fixture();
  f.outputSizes[2] = 6;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "result 0 ('o'): dimension 2 is 6, expected 5");
}

TEST(launchChecksMemory) {
  Fixture f;
  f.arguments[0].data = nullptr;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "argument 0 ('query') is a null pointer");
  f = Fixture();
  f.arguments[0].data = reinterpret_cast<char *>(f.q.data()) + 2;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "not aligned to its element size of 4 bytes");
  f = Fixture();
  f.arguments[0].buffer = f.q.data();
  f.arguments[0].buffer_bytes = f.q.size() * 4 - 4;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "reach from byte 0 to byte 480 of a buffer of 476 bytes");
  f = Fixture();
  int64_t strides[] = {INT64_MAX / 4, 1, 1, 1};
  f.arguments[0].strides = strides;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "outside of the address space");
  strides[0] = INT64_MAX / 2;
  CHECK_FAILS(f.launch(), FOVEA_OVERFLOW, "do not fit in 64 bits");
  f = Fixture();
  int64_t broadcast[] = {45, 0, 3, 1};
  f.results[0].strides = broadcast;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT,
              "result 0 ('o') is written, but its strides give two elements one address");
  f = Fixture();
  f.results[0].data = f.q.data() + 8;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "result 0 ('o') is written, but overlaps argument 0 ('query')");
  f = Fixture();
  f.results[1].data = f.o.data() + 8;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "result 0 ('o') is written, but overlaps result 1 ('lse')");
  f = Fixture();
  CHECK_FAILS(fovea_launch(f.function, &f.device, f.arguments, 4, f.results, 2, f.workspace + 8, 512),
              FOVEA_INVALID_ARGUMENT, "workspace is not aligned to 128");
  CHECK_FAILS(fovea_launch(f.function, &f.device, f.arguments, 4, f.results, 2, f.workspace, 100), FOVEA_OUT_OF_MEMORY,
              "needs 256 bytes of workspace, 100 were given");
  // Inputs may overlap and be broadcast.
  f.arguments[1].data = f.q.data();
  f.arguments[0].strides = f.arguments[1].strides = Fixture::kZeroStrides;
  CHECK_OK(f.launch());
}

TEST(launchOfNothing) {
  Fixture f;
  f.o.assign(f.o.size(), 1234);
  f.querySizes[2] = f.outputSizes[2] = f.lseSizes[2] = 0;
  f.arguments[0].data = f.results[0].data = f.results[1].data = nullptr;
  CHECK_OK(f.launch());
  CHECK(f.o[0] == 1234);
  // No key: O is 0 and LSE -inf, and both are written.
  f = Fixture();
  f.o.assign(f.o.size(), 1234);
  f.keySizes[2] = f.valueSizes[2] = 0;
  f.arguments[1].data = f.arguments[2].data = nullptr;
  CHECK_OK(f.launch());
  CHECK(f.o[0] == 0 && f.o.back() == 0 && f.lse[0] == -INFINITY && f.lse.back() == -INFINITY);
  // Sizes whose product does not fit, times a size of 0.
  f = Fixture();
  f.querySizes[0] = f.keySizes[0] = f.valueSizes[0] = f.outputSizes[0] = f.lseSizes[0] = INT64_MAX / 2;
  f.querySizes[1] = f.keySizes[1] = f.valueSizes[1] = f.outputSizes[1] = f.lseSizes[1] = 0;
  CHECK_OK(f.launch());
}

TEST(launchChoosesVariantByAlignment) {
  Fixture f;
  fovea_selection selection;
  auto variant = [&] {
    CHECK_OK(fovea_select(f.function, &f.device, f.arguments, 4, f.results, 2, 0, &selection));
    return std::string(selection.variant);
  };
  // Rows of V and O have three elements.
  CHECK(variant() == "narrow" && selection.flops == 2 * 2 * 3 * 5 * 7 * (4 + 3));
  int64_t padded[] = {3 * 8 * 4, 8 * 4, 4, 1};
  f.arguments[2].strides = f.results[0].strides = padded;
  f.results[0].data = f.wide.data();
  CHECK(variant() == "wide");
  f.arguments[0].data = f.q.data() + 1;
  CHECK(variant() == "narrow");
  CHECK_FAILS(fovea_select(f.function, &f.device, f.arguments, 4, f.results, 2, 1, &selection), FOVEA_INVALID_ARGUMENT,
              "no step 1");
}

TEST(launchStopsAtAConditionThatFails) {
  abi::ArtifactT artifact = makeArtifact(readKernelObject());
  auto &when = artifact.functions[0]->implementations[0]->steps[0]->variants[0]->when;
  auto overflow = [] { return expr({constant(INT64_MAX), constant(2), op(abi::ExprOp::Mul)}); };
  when.insert(when.begin(), expr({constant(0)}));
  when.push_back(overflow());
  Fixture f(artifact);
  CHECK_OK(f.launch());
  when.insert(when.begin(), overflow());
  Fixture first(artifact);
  CHECK_FAILS(first.launch(), FOVEA_OVERFLOW, "64 bits");
}

TEST(launchSizes) {
  Fixture f;
  int64_t sizes[4];
  CHECK_OK(fovea_result_sizes(f.function, f.arguments, 4, 1, sizes));
  CHECK(sizes[0] == 2 && sizes[1] == 3 && sizes[2] == 5);
  CHECK_FAILS(fovea_result_sizes(f.function, f.arguments, 4, 2, sizes), FOVEA_INVALID_ARGUMENT, "no result 2");
  uint64_t bytes;
  for (int threads : {1, 7}) {
    f.device.threads = threads;
    CHECK_OK(fovea_workspace_size(f.function, &f.device, f.arguments, 4, &bytes));
    CHECK(bytes == 128u * static_cast<unsigned>(threads));
  }
}

TEST(launchAllocatesNothing) {
  Fixture f;
  f.device.threads = 1;
  CHECK_OK(fovea_prepare(f.function, &f.device));
  allocations = 0;
  counting = true;
  fovea_status status = f.launch();
  counting = false;
  CHECK_OK(status);
  CHECK(allocations == 0);
}

namespace {

std::atomic<int> calls;

void runBackwards(void *context, int32_t workers, fovea_worker body, void *closure) {
  calls += *static_cast<int *>(context);
  for (int32_t i = workers; i-- > 0;)
    body(closure, i);
}

} // namespace

TEST(launchOnTheCallersThreads) {
  Fixture f;
  int one = 1;
  f.device.parallel_for = runBackwards;
  f.device.parallel_context = &one;
  calls = 0;
  CHECK_OK(f.launch());
  CHECK(calls == 1 && f.o[0] == 2 && f.o.back() == 2);
}

TEST(launchOnASmallStack) {
  Fixture f;
  f.device.threads = 1;
  CHECK_OK(fovea_prepare(f.function, &f.device));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstacksize(&attributes, 64 * 1024) == 0);
  pthread_t thread;
  auto body = [](void *fixture) -> void * {
    CHECK_OK(static_cast<Fixture *>(fixture)->launch());
    return nullptr;
  };
  CHECK(pthread_create(&thread, &attributes, body, &f) == 0);
  pthread_join(thread, nullptr);
  CHECK(f.o[0] == 2);
}

TEST(launchFromManyThreads) {
  Fixture first;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        Fixture f(first.function);
        f.device.threads = 1 + i % 2;
        f.device.parallel_for = i % 2 ? runBackwards : nullptr;
        int zero = 0;
        f.device.parallel_context = &zero;
        CHECK_OK(f.launch());
        CHECK(f.o[0] == 2 && f.o.back() == 2);
        // Each thread has its own message.
        f.arguments[0].data = nullptr;
        CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "null pointer");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(launchInAChildOfFork) {
  Fixture f;
  f.device.threads = 4;
  CHECK_OK(f.launch());
  pid_t child = fork();
  if (child == 0) {
    // A launch that waits for threads of the parent would do so for ever.
    alarm(60);
    for (int i = 0; i < 3; ++i) {
      f.setUp();
      f.device.threads = 4;
      if (f.launch() != FOVEA_OK || f.o[0] != 2 || f.o.back() != 2)
        _exit(1);
    }
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_OK(f.launch());
}

TEST(launchNeedsFeatures) {
  abi::ArtifactT artifact = makeArtifact(readKernelObject());
  artifact.codes[0]->features = "+sse2,-avx512f,+fast-gather,+imaginary";
  artifact.codes[0]->arch = "znver9";
  Fixture f(artifact);
  CHECK_FAILS(f.launch(), FOVEA_UNSUPPORTED,
              "the code is for znver9; this CPU lacks imaginary: compile it for this CPU");
  // Code that runs is found beside code that does not.
  addImplementation(artifact, abi::CodeKind::SharedObject, "x86-64", readKernelObject());
  Fixture second(artifact);
  CHECK_OK(second.launch());
  second.device.arch = "znver9";
  CHECK_FAILS(second.launch(), FOVEA_UNSUPPORTED, "znver9");
  second.device.arch = "z80";
  CHECK_FAILS(second.launch(), FOVEA_NOT_FOUND, "no code for the CPU of architecture z80");
}

TEST(launchOfDamagedCode) {
  Fixture text(makeArtifact("this is no shared object, but it is longer than the header of one ..."));
  CHECK_FAILS(text.launch(), FOVEA_INVALID_ARTIFACT, "no ELF");
  abi::ArtifactT artifact = makeArtifact(readKernelObject());
  artifact.functions[0]->implementations[0]->steps[0]->variants[1]->kernels[0]->symbol = "missing";
  Fixture missing(artifact);
  CHECK_FAILS(missing.launch(), FOVEA_NOT_FOUND, "no kernel 'missing'");
}

TEST(loadedCodeNeedsNoOpenFile) {
  auto countFiles = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  auto before = countFiles();
  Fixture first, second;
  CHECK_OK(first.launch());
  CHECK_OK(second.launch());
  CHECK(countFiles() == before);
  // Both came from a file of the same number, and are two objects all the same.
  CHECK(first.artifact->codes[0]->cpu->handle != second.artifact->codes[0]->cpu->handle);
}

TEST(launchChecksDevice) {
  Fixture f;
  f.device.threads = -1;
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "-1 threads");
  f.device.threads = 1;
  f.device.backend = static_cast<fovea_backend>(7);
  CHECK_FAILS(f.launch(), FOVEA_INVALID_ARGUMENT, "unknown backend 7");
}

TEST(referenceRuns) {
  Fixture f;
  fovea_reference_info info;
  CHECK(fovea_function_reference_count(f.function) == 1);
  CHECK_OK(fovea_function_reference(f.function, 0, &info));
  CHECK(info.output == 0 && info.lse == 1 && info.kv_lengths == -1 && info.p_type == FOVEA_F32);
  CHECK_FAILS(fovea_function_reference(f.function, 1, &info), FOVEA_NOT_FOUND, "--with-reference");
  fovea_reference_sizes sizes;
  CHECK_OK(fovea_reference_size(f.function, 0, &f.device, f.arguments, 4, &sizes));
  CHECK(sizes.rank == 4 && sizes.output[2] == 5 && sizes.output[3] == 3 && sizes.kv_length == 7 && sizes.tasks == 6);
  std::vector<double> o(90, -1), lse(30, -1), a(90, -1), smax(30, -1), rounded(90, -1);
  fovea_reference_outputs outputs = {o.data(), lse.data(), a.data(), smax.data(), rounded.data()};
  CHECK_OK(fovea_reference_run(f.function, 0, &f.device, f.arguments, 4, f.results, 2, 1, 6, &outputs, f.workspace,
                               sizeof f.workspace));
  // Task 0 was left out.
  CHECK(o[0] == -1 && o[14] == -1 && std::fabs(o[15] - 2) < 1e-12 && std::fabs(a[89] - 2) < 1e-12);
  CHECK(std::fabs(lse[29] - (2 + std::log(7.0))) < 1e-12 && smax[29] == 2);
  CHECK_FAILS(fovea_reference_run(f.function, 0, &f.device, f.arguments, 4, f.results, 2, 1, 7, &outputs, f.workspace,
                                  sizeof f.workspace),
              FOVEA_INVALID_ARGUMENT, "tasks [1, 7) of 6");
}

TEST(nullPointersForResultsAreRefused) {
  Fixture f;
  CHECK_FAILS(fovea_result_sizes(f.function, f.arguments, 4, 0, nullptr), FOVEA_INVALID_ARGUMENT,
              "the result is a null pointer");
  CHECK_FAILS(fovea_workspace_size(f.function, &f.device, f.arguments, 4, nullptr), FOVEA_INVALID_ARGUMENT,
              "the result is a null pointer");
  CHECK_FAILS(fovea_select(f.function, &f.device, f.arguments, 4, f.results, 2, 0, nullptr), FOVEA_INVALID_ARGUMENT,
              "the selection is a null pointer");
  CHECK_FAILS(fovea_function_reference(f.function, 0, nullptr), FOVEA_INVALID_ARGUMENT, "the result is a null pointer");
  CHECK_FAILS(fovea_reference_size(f.function, 0, &f.device, f.arguments, 4, nullptr), FOVEA_INVALID_ARGUMENT,
              "the result is a null pointer");
  CHECK_FAILS(fovea_reference_run(f.function, 0, &f.device, f.arguments, 4, f.results, 2, 0, 6, nullptr, f.workspace,
                                  sizeof f.workspace),
              FOVEA_INVALID_ARGUMENT, "the list of outputs is a null pointer");
  double o[90], lse[30], a[90], smax[30];
  fovea_reference_outputs outputs = {o, lse, a, smax, nullptr};
  CHECK_FAILS(fovea_reference_run(f.function, 0, &f.device, f.arguments, 4, f.results, 2, 0, 6, &outputs, f.workspace,
                                  sizeof f.workspace),
              FOVEA_INVALID_ARGUMENT, "the output rounded is a null pointer");
}
