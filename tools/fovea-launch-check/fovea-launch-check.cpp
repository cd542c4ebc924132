//===- fovea-launch-check.cpp - Launches in graphs and from several threads -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Failure.h"
#include "Graph.h"

#include "Cuda.h"

#include <cstdio>
#include <exception>
#include <functional>
#include <thread>

using namespace fovea::run;

namespace {

/// The exit status by which test drivers know that nothing was tested.
constexpr int kSkipped = 77;
constexpr int kLaunches = 20;

const char *const kText =
    "usage: fovea-launch-check FILE.fovea [--random] [--dim=N]... [--arg=...]... [--seed=N] [--device=N]\n"
    "Launches the first function of an artifact on CUDA devices, with arguments as fovea-run makes them, and prints\n"
    "  graph: ...    a first launch, which loads its kernels, captured in a CUDA graph and replayed with two sets of\n"
    "                inputs, against direct launches\n"
    "  devices: ...  launches from two threads at once, which load what they run, on two devices where there are,\n"
    "                against one alone\n"
    "Exits with 0 where all is equal bit for bit, with 77 where there is no GPU.\n";

int countDevices() {
  const fovea::runtime::CudaDriver *driver;
  int count = 0;
  require(fovea::runtime::getCudaDriver(&driver));
  return driver->cuDeviceGetCount(&count) == 0 ? count : 0;
}

/// Runs `body(0)` and `body(1)` at once; the first failure is thrown here.
void runTogether(const std::function<void(int)> &body) {
  std::exception_ptr errors[2];
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (std::exception_ptr &error : errors)
    if (error)
      std::rethrow_exception(error);
}

std::string launchOnce(Call &call, int64_t seed) {
  call.fill(seed);
  call.launch();
  return call.download();
}

/// The checks of one artifact, loaded anew and destroyed before the contexts of the calls.
class Checks {
public:
  explicit Checks(const Options &options) : options(options), first(static_cast<int>(options.device)) {
    require(fovea_artifact_load_file(options.file.c_str(), &artifact));
    function = fovea_artifact_function(artifact, 0);
  }
  ~Checks() { fovea_artifact_destroy(artifact); }
  Checks(const Checks &) = delete;
  Checks &operator=(const Checks &) = delete;

  std::string checkGraph() {
    Call &call = makeCall(graphCall, first);
    call.fill(options.seed);
    Graph graph(call.stream(), [&] { call.launch(); });
    std::string last;
    for (int64_t seed : {options.seed, options.seed + 1}) {
      call.fill(seed);
      graph.launch();
      std::string replayed = call.download();
      if (replayed != launchOnce(call, seed))
        failWith("the replay with seed %lld differs from a direct launch", static_cast<long long>(seed));
      if (replayed == last && !call.hasEmptyArgument())
        failWith("other inputs give the same outputs: choose --random, or values that matter");
      last = replayed;
    }
    return "2 replays with different inputs equal direct launches; variants: " + call.getVariants();
  }

  std::string checkDevices(int count) {
    const int ordinals[] = {first, count > 1 ? (first + 1) % count : first};
    std::string outputs[2];
    runTogether([&](int i) {
      Call &call = makeCall(threadCalls[i], ordinals[i]);
      for (int launch = 0; launch < kLaunches; ++launch) {
        std::string output = launchOnce(call, options.seed + i);
        if (launch && output != outputs[i])
          failWith("two launches on device %d with the same inputs differ", ordinals[i]);
        outputs[i] = output;
      }
    });
    Call &alone = makeCall(aloneCall, first);
    for (int i = 0; i < 2; ++i)
      if (outputs[i] != launchOnce(alone, options.seed + i))
        failWith("the outputs of the thread on device %d differ from those of a launch alone on device %d", ordinals[i],
                 first);
    char text[128];
    std::snprintf(text, sizeof text, "%d launches each of threads on devices %d and %d equal a launch alone%s",
                  kLaunches, ordinals[0], ordinals[1], count > 1 ? "" : " (one GPU, two streams)");
    return text;
  }

private:
  Call &makeCall(std::unique_ptr<Call> &place, int ordinal) {
    place = std::make_unique<Call>(function, options, ordinal);
    return *place;
  }

  Options options;
  int first;
  fovea_artifact *artifact;
  const fovea_function *function;
  std::unique_ptr<Call> graphCall, threadCalls[2], aloneCall;
};

/// Prints the line of one check; whether it passed.
bool report(const char *name, const std::function<std::string()> &check) {
  std::string text;
  bool passed = false;
  try {
    text = check();
    passed = true;
  } catch (const Failure &failure) {
    text = failure.message;
  } catch (const std::exception &exception) {
    text = exception.what();
  }
  std::printf("%s: %s: %s\n", name, passed ? "ok" : "failed", text.c_str());
  std::fflush(stdout);
  return passed;
}

int runChecks(const Options &options) {
  int count = 0;
  try {
    count = countDevices();
  } catch (const Failure &failure) {
    std::printf("skipped: no GPU: %s\n", failure.message.c_str());
    return kSkipped;
  }
  if (!count) {
    std::printf("skipped: no GPU\n");
    return kSkipped;
  }
  Checks first(options), second(options);
  bool passed = report("graph", [&] { return first.checkGraph(); });
  passed &= report("devices", [&] { return second.checkDevices(count); });
  return passed ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  try {
    Options options = parseOptions(std::vector<std::string>(argv + (argc > 0), argv + argc));
    if (options.help || options.file.empty()) {
      std::fputs(kText, options.help ? stdout : stderr);
      return options.help ? 0 : 1;
    }
    return runChecks(options);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "fovea-launch-check: error: %s\n", failure.message.c_str());
  } catch (const std::exception &exception) {
    std::fprintf(stderr, "fovea-launch-check: error: %s\n", exception.what());
  }
  return 1;
}
