//===- LayoutTests.cpp - Overlap of strided tensors against all pairs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Test.h"

#include <map>
#include <random>

using namespace fovea::runtime;

namespace {

/// Calls `body` with the address of each element.
template <typename Body> void forEach(const Layout &layout, Body body) {
  int64_t indices[8] = {};
  while (true) {
    uint64_t address = layout.base;
    for (int d = 0; d < layout.rank; ++d)
      address += static_cast<uint64_t>(indices[d] * layout.strides[d]);
    body(address);
    int d = layout.rank - 1;
    while (d >= 0 && ++indices[d] == layout.sizes[d])
      indices[d--] = 0;
    if (d < 0)
      return;
  }
}

std::map<uint64_t, int> countBytes(const Layout &layout) {
  std::map<uint64_t, int> bytes;
  forEach(layout, [&](uint64_t address) {
    for (int64_t i = 0; i < layout.elementSize; ++i)
      ++bytes[address + static_cast<uint64_t>(i)];
  });
  return bytes;
}

bool overlapsItself(const Layout &layout) {
  for (auto [address, count] : countBytes(layout))
    if (count > 1)
      return true;
  return false;
}

bool overlap(const Layout &a, const Layout &b) {
  std::map<uint64_t, int> bytes = countBytes(a);
  for (auto [address, count] : countBytes(b))
    if (bytes.count(address))
      return true;
  return false;
}

Layout makeLayout(std::mt19937 &random) {
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  Layout layout = {};
  layout.elementSize = 1 << pick(0, 3);
  layout.base = 100000 + static_cast<uint64_t>(layout.elementSize * pick(0, 40));
  layout.rank = pick(0, 4);
  for (int d = 0; d < layout.rank; ++d) {
    layout.sizes[d] = pick(1, 4);
    layout.strides[d] = layout.elementSize * pick(-20, 20);
  }
  return layout;
}

} // namespace

TEST(layoutOverlapAgreesWithAllPairs) {
  std::mt19937 random(1);
  int itself = 0, others = 0;
  for (int i = 0; i < 4000; ++i) {
    Layout a = makeLayout(random), b = makeLayout(random);
    itself += overlapsItself(a);
    others += overlap(a, b);
    CHECK((findSelfOverlap(a) == Overlap::Some) == overlapsItself(a));
    CHECK((findOverlap(a, b) == Overlap::Some) == overlap(a, b));
  }
  // Both answers were tried.
  CHECK(itself > 500 && itself < 3500 && others > 500 && others < 3900);
}

TEST(layoutOfLargeTensorsIsDecidedAtOnce) {
  // q and o as slices of one packed [B, S, 4, H, D] buffer of 16 GB.
  int64_t b = 64, s = 16384, h = 32, d = 128, e = 2;
  Layout q = {1 << 20, 4, {b, h, s, d}, {s * 4 * h * d * e, d * e, 4 * h * d * e, e}, e}, o = q;
  o.base += static_cast<uint64_t>(3 * h * d * e);
  CHECK(findSelfOverlap(q) == Overlap::None);
  CHECK(findOverlap(q, o) == Overlap::None);
  o.base -= 2;
  CHECK(findOverlap(q, o) == Overlap::None);
  o.base = q.base + static_cast<uint64_t>((h * d - 1) * e);
  CHECK(findOverlap(q, o) == Overlap::Some);
  q.strides[2] = 0;
  CHECK(findSelfOverlap(q) == Overlap::Some);
}

TEST(layoutExtent) {
  uint64_t begin, end;
  Layout layout = {1000, 2, {3, 4}, {-16, 4}, 4};
  CHECK(getExtent(layout, &begin, &end) && begin == 968 && end == 1016);
  layout.strides[0] = INT64_MAX / 4;
  CHECK(getExtent(layout, &begin, &end));
  layout.sizes[0] = 6;
  CHECK(!getExtent(layout, &begin, &end));
  layout.strides[0] = -16;
  layout.sizes[0] = 100;
  CHECK(!getExtent(layout, &begin, &end));
}
