//===- MapArtifact.h - An artifact whose kernels have tensor maps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_TEST_MAPARTIFACT_H
#define FOVEA_RUNTIME_TEST_MAPARTIFACT_H

#include "TestArtifact.h"

namespace fovea::test {

/// The artifact of copy(a: ?x?x?x?xf16, b: ?x?xbf16) in PTX, with the variants
///   "mapped": kernel `mapped` with a map of a (176 rows of dimension 2) and one of b (32 rows of dimension 0)
///   "plain": kernel `plain` without
inline abi::ArtifactT makeMapArtifact() {
  constexpr auto kF16 = abi::ElementType::F16, kBF16 = abi::ElementType::BF16;
  using Kind = abi::BindingKind;
  abi::ArtifactT artifact = makeArtifact("unused");
  artifact.codes.clear();
  artifact.functions.clear();
  auto function = std::make_unique<abi::FunctionT>();
  function->name = "copy";
  for (int rank : {4, 2}) {
    auto value = std::make_unique<abi::ValueT>();
    value->type = rank == 4 ? kF16 : kBF16;
    value->rank = static_cast<int8_t>(rank);
    for (int d = 0; d < rank; ++d)
      value->dims.push_back(expr({}));
    function->arguments.push_back(std::move(value));
  }
  artifact.functions.push_back(std::move(function));
  addImplementation(artifact, abi::CodeKind::PTX, "sm_80", "ptx");
  abi::StepT &step = *artifact.functions[0]->implementations[0]->steps[0];
  step.aligned_operands.clear();
  for (auto &variant : step.variants) {
    bool isMapped = variant == step.variants[0];
    abi::KernelT &kernel = *variant->kernels[0];
    variant->name = kernel.symbol = isMapped ? "mapped" : "plain";
    variant->when.clear();
    kernel.bindings.clear();
    kernel.bindings.push_back(std::make_unique<abi::BindingT>(binding(Kind::Argument, 0, kF16, 4)));
    kernel.bindings.push_back(std::make_unique<abi::BindingT>(binding(Kind::Argument, 1, kBF16, 2)));
    kernel.grid = expr({constant(5)});
    kernel.scratch_bytes = 0;
    for (int i = 0; isMapped && i < 2; ++i) {
      auto map = std::make_unique<abi::TensorMapT>();
      map->binding = i;
      map->rows = i ? 32 : 176;
      map->cols = 64;
      map->row_dim = i ? 0 : 2;
      kernel.tensor_maps.push_back(std::move(map));
    }
  }
  return artifact;
}

} // namespace fovea::test

#endif // FOVEA_RUNTIME_TEST_MAPARTIFACT_H
