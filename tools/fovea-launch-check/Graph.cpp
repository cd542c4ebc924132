//===- Graph.cpp - A captured launch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Failure.h"

#include "Cuda.h"

#include <cstdlib>
#include <dlfcn.h>

namespace fovea::run {
namespace {

using runtime::CUresult;
using runtime::CUstream;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;

constexpr int kCaptureGlobal = 0;

/// The driver's functions for graphs, which the runtime does not need.
struct GraphDriver {
  const runtime::CudaDriver *driver;
  CUresult (*beginCapture)(CUstream, int);
  CUresult (*endCapture)(CUstream, CUgraph *);
  CUresult (*instantiate)(CUgraphExec *, CUgraph, unsigned long long);
  CUresult (*launch)(CUgraphExec, CUstream);
  CUresult (*destroyExecutable)(CUgraphExec);
  CUresult (*destroy)(CUgraph);

  GraphDriver() {
    require(runtime::getCudaDriver(&driver));
    const char *path = std::getenv("FOVEA_LIBCUDA");
    void *library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    find(library, beginCapture, "cuStreamBeginCapture_v2");
    find(library, endCapture, "cuStreamEndCapture");
    find(library, instantiate, "cuGraphInstantiateWithFlags");
    find(library, launch, "cuGraphLaunch");
    find(library, destroyExecutable, "cuGraphExecDestroy");
    find(library, destroy, "cuGraphDestroy");
  }

  template <typename F> void find(void *library, F &function, const char *symbol) {
    function = library ? reinterpret_cast<F>(dlsym(library, symbol)) : nullptr;
    if (!function)
      failWith("the CUDA driver lacks %s", symbol);
  }

  void requireCuda(CUresult result, const char *what) const {
    if (result)
      require(runtime::failCuda(*driver, result, what));
  }
};

const GraphDriver &getDriver() {
  static const GraphDriver driver;
  return driver;
}

} // namespace

Graph::Graph(void *stream, const std::function<void()> &enqueue) : stream(stream) {
  const GraphDriver &driver = getDriver();
  auto *captured = static_cast<CUstream>(stream);
  driver.requireCuda(driver.beginCapture(captured, kCaptureGlobal), "cuStreamBeginCapture");
  enqueue();
  driver.requireCuda(driver.endCapture(captured, &graph), "cuStreamEndCapture");
  driver.requireCuda(driver.instantiate(&executable, graph, 0), "cuGraphInstantiateWithFlags");
}

Graph::~Graph() {
  getDriver().destroyExecutable(executable);
  getDriver().destroy(graph);
}

void Graph::launch() {
  getDriver().requireCuda(getDriver().launch(executable, static_cast<CUstream>(stream)), "cuGraphLaunch");
}

} // namespace fovea::run
