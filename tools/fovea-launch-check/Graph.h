//===- Graph.h - A captured launch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LAUNCH_CHECK_GRAPH_H
#define FOVEA_LAUNCH_CHECK_GRAPH_H

#include <functional>

namespace fovea::run {

/// What a function enqueued on a stream, as a CUDA graph. Failures are thrown.
class Graph {
public:
  /// Captures with the driver's strictest mode: a call that allocates or synchronises fails.
  Graph(void *stream, const std::function<void()> &enqueue);
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  /// Enqueues the graph on its stream.
  void launch();

private:
  void *stream;
  struct CUgraph_st *graph = nullptr;
  struct CUgraphExec_st *executable = nullptr;
};

} // namespace fovea::run

#endif // FOVEA_LAUNCH_CHECK_GRAPH_H
