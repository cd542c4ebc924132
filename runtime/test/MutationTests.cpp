//===- MutationTests.cpp - Damaged artifacts never crash the reader -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapArtifact.h"
#include "ReaderInput.h"
#include "Test.h"
#include "TestArtifact.h"

#include <chrono>
#include <cstdlib>
#include <random>

using namespace fovea::test;

/// Seeded: the same mutations every time, as many as fit in a few seconds (FOVEA_MUTATION_SECONDS).
TEST(mutationsOfAnArtifact) {
  fovea::abi::ArtifactT artifact = makeArtifact("code");
  addImplementation(artifact, fovea::abi::CodeKind::PTX, "sm_80", "ptx");
  artifact.codes[1]->images = {{0, 2}, {2, 1}};
  artifact.codes.push_back(std::move(makeMapArtifact().codes[0]));
  artifact.functions.push_back(std::move(makeMapArtifact().functions[0]));
  artifact.functions[1]->implementations[0]->code = 2;
  const std::vector<uint8_t> original = pack(artifact);
  CHECK(readInput(original.data(), original.size()));
  const char *text = std::getenv("FOVEA_MUTATION_SECONDS");
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(text ? std::atof(text) : 2);
  std::mt19937 random(7);
  int count = 0, accepted = 0;
  while (std::chrono::steady_clock::now() < end) {
    std::vector<uint8_t> bytes = original;
    for (int edits = 1 + random() % 4; edits > 0; --edits) {
      size_t at = random() % bytes.size();
      switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<uint8_t>(random());
        break;
      case 1:
        bytes[at] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
      case 2:
        bytes.resize(at + 1);
        break;
      default: {
        // A word from elsewhere: offsets and indices that look right.
        size_t from = random() % bytes.size();
        for (size_t i = 0; i < 4 && at + i < bytes.size() && from + i < bytes.size(); ++i)
          bytes[at + i] = bytes[from + i];
      }
      }
    }
    accepted += readInput(bytes.data(), bytes.size());
    ++count;
  }
  // Most mutations are refused, and some harmless ones are not.
  CHECK(count > 100 && accepted > 0 && accepted < count);
}
