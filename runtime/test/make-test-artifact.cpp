//===- make-test-artifact.cpp - Writes an artifact that needs no compiler -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestArtifact.h"

#include <cstring>
#include <fstream>

using namespace fovea;

/// make-test-artifact OUT [wrong | cuda | version]: the artifact of the tests, one whose kernel is wrong in one
/// element, one with code for a fake GPU too, or one of another ABI version.
int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  abi::ArtifactT artifact = test::makeArtifact(test::readKernelObject());
  if (argc > 2 && std::strcmp(argv[2], "wrong") == 0)
    for (auto &variant : artifact.functions[0]->implementations[0]->steps[0]->variants)
      variant->kernels[0]->symbol = "attention_wrong";
  if (argc > 2 && std::strcmp(argv[2], "cuda") == 0) {
    test::addImplementation(artifact, abi::CodeKind::PTX, "sm_80", std::string("ptx\0", 4));
    artifact.codes.back()->ptx_version = 70;
  }
  if (argc > 2 && std::strcmp(argv[2], "version") == 0)
    artifact.abi_version = 99;
  std::vector<uint8_t> bytes = test::pack(artifact);
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file.flush() ? 0 : 1;
}
