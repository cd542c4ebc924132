//===- EmbeddedTests.cpp - Artifacts inside a program -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fovea;
using namespace fovea::test;

namespace {

/// A fixture's artifact as a program would hold it.
struct Embedded : Fixture {
  Embedded() {
    std::vector<uint8_t> packed = pack(makeArtifact(readKernelObject()));
    words.resize(packed.size() / 8 + 1);
    std::memcpy(words.data(), packed.data(), packed.size());
    embedded = {FOVEA_API_VERSION, words.data(), packed.size(), nullptr};
  }
  ~Embedded() { fovea_artifact_destroy(static_cast<fovea_artifact *>(embedded.state)); }

  std::vector<uint64_t> words;
  fovea_embedded embedded;
};

} // namespace

TEST(embeddedLaunches) {
  Embedded f;
  uint64_t bytes;
  CHECK_OK(fovea_embedded_workspace_size(&f.embedded, "attention", nullptr, f.arguments, 4, &bytes));
  CHECK(bytes <= sizeof f.workspace);
  CHECK_OK(fovea_embedded_launch(&f.embedded, "attention", &f.device, f.arguments, 4, f.results, 2, f.workspace,
                                 sizeof f.workspace));
  for (float o : f.o)
    CHECK(o == 2);
}

TEST(embeddedIsLoadedOnce) {
  Embedded f;
  const fovea_function *found[4] = {};
  std::vector<std::thread> threads;
  for (const fovea_function *&function : found)
    threads.emplace_back([&] { CHECK_OK(fovea_embedded_find(&f.embedded, "attention", &function)); });
  for (std::thread &thread : threads)
    thread.join();
  for (const fovea_function *function : found)
    CHECK(function && function == found[0]);
}

TEST(embeddedSaysWhatIsWrong) {
  Embedded f;
  const fovea_function *function;
  CHECK_FAILS(fovea_embedded_find(nullptr, "attention", &function), FOVEA_INVALID_ARGUMENT, "is a null pointer");
  CHECK_FAILS(fovea_embedded_find(&f.embedded, "other", &function), FOVEA_NOT_FOUND, "no function 'other'");
  f.embedded.api_version = 7;
  CHECK_FAILS(fovea_embedded_find(&f.embedded, "attention", &function), FOVEA_UNSUPPORTED_VERSION,
              "compiled for version 7 of the API");
  fovea_embedded broken = {FOVEA_API_VERSION, f.words.data(), 16, nullptr};
  CHECK_FAILS(fovea_embedded_find(&broken, "attention", &function), FOVEA_INVALID_ARTIFACT, "");
}

TEST(embeddedRuns) {
  Embedded f;
  CHECK_OK(fovea_embedded_run(&f.embedded, "attention", nullptr, f.arguments, 4, f.results, 2));
  for (float o : f.o)
    CHECK(o == 2);
  CHECK_FAILS(fovea_embedded_run(&f.embedded, "attention", &f.device, f.arguments, 3, f.results, 2),
              FOVEA_INVALID_ARGUMENT, "takes 4 arguments, 3 were given");
  CHECK_FAILS(fovea_embedded_run(&f.embedded, "attention", &f.device, nullptr, 4, f.results, 2), FOVEA_INVALID_ARGUMENT,
              "the arguments are a null pointer");
  CHECK_FAILS(fovea_embedded_run(&f.embedded, "other", &f.device, f.arguments, 4, f.results, 2), FOVEA_NOT_FOUND,
              "no function 'other'");
}

TEST(embeddedAborts) {
  Embedded f;
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    fovea_embedded_run_or_abort(&f.embedded, "attention", &f.device, f.arguments, 4);
    _exit(0);
  }
  close(ends[1]);
  char text[256] = {};
  CHECK(read(ends[0], text, sizeof text - 1) > 0);
  close(ends[0]);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  CHECK(std::string(text).find("fovea: attention: ") == 0 && std::string(text).find("results") != std::string::npos);
}
