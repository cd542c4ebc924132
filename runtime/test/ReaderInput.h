//===- ReaderInput.h - What the fuzzer and the mutation test do with bytes -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_TEST_READERINPUT_H
#define FOVEA_RUNTIME_TEST_READERINPUT_H

#include "Launch.h"

#include <algorithm>
#include <vector>

namespace fovea::test {

/// Loads bytes as an artifact and, where that works, evaluates everything in it that needs no code to be loaded: sizes
/// of results, variants and workspace for small and for huge arguments. Returns whether it was an artifact.
inline bool readInput(const uint8_t *data, size_t size) {
  fovea_artifact *artifact;
  if (fovea_artifact_load_memory(data, size, FOVEA_COPY, &artifact) != FOVEA_OK)
    return false;
  for (auto &function : artifact->functions)
    for (int64_t scale : {int64_t(0), int64_t(3), INT64_MAX / 3}) {
      std::vector<int64_t> sizes(FOVEA_MAX_RANK, scale);
      std::vector<fovea_value> arguments, results;
      std::vector<std::vector<int64_t>> known;
      for (const auto &argument : function->arguments) {
        known.push_back(sizes);
        for (int d = 0; d < argument.rank; ++d)
          if (argument.known[d] >= 0)
            known.back()[d] = argument.known[d];
      }
      for (size_t i = 0; i < function->arguments.size(); ++i) {
        arguments.push_back(
            fovea_tensor(function->arguments[i].type, nullptr, function->arguments[i].rank, known[i].data(), nullptr));
        arguments.back().scalar = static_cast<uint64_t>(scale);
      }
      runtime::Problem problem;
      problem.function = function.get();
      problem.arguments = arguments.data();
      problem.threads = 8;
      if (runtime::checkShapes(problem, static_cast<int32_t>(arguments.size())) != FOVEA_OK)
        continue;
      for (auto &implementation : function->implementations) {
        int64_t bytes;
        (void)runtime::getWorkspaceSize(problem, *implementation, &bytes);
      }
      fovea_device device = {};
      device.threads = 8;
      fovea_reference_sizes reference;
      for (size_t i = 0; i < function->references.size(); ++i)
        (void)fovea_reference_size(function.get(), static_cast<int32_t>(i), &device, arguments.data(),
                                   static_cast<int32_t>(arguments.size()), &reference);
    }
  fovea_artifact_destroy(artifact);
  return true;
}

} // namespace fovea::test

#endif // FOVEA_RUNTIME_TEST_READERINPUT_H
