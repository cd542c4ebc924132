//===- LayoutTest.cpp - Simulates matrix instructions on the layouts -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering emits the index arithmetic of Layouts.h; this test evaluates the same arithmetic for every thread and
// follows the data through `ldmatrix` and `mma.sync` as the PTX ISA defines them (sections "Warp-level matrix load
// instruction" and "Matrix fragments for mma.m16n8k16 / m16n8k8"). Each element carries its own position, so that a
// single misplaced index is an error.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Target/NVPTX/Layouts.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace fovea::nvptx;
using Element = std::pair<int64_t, int64_t>; // row and column of a tile

#define EXPECT(condition, ...)                                                                                         \
  if (!(condition)) {                                                                                                  \
    std::printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                        \
    std::printf(__VA_ARGS__);                                                                                          \
    std::printf("\n");                                                                                                 \
    std::exit(1);                                                                                                      \
  }

/// Shared memory as a map from bytes to the elements that begin there.
using Memory = std::map<int64_t, Element>;

/// A tile as the copies lay it out, chunk by chunk.
static Memory fill(const SharedLayout &layout) {
  Memory memory;
  int64_t perChunk = kChunkBytes / layout.elementBytes;
  for (int64_t row = 0; row < layout.rows; ++row)
    for (int64_t chunk = 0; chunk < layout.getChunksPerRow(); ++chunk) {
      auto offset = layout.getChunk<int64_t>(row, chunk, 0, 0);
      for (int64_t i = 0; i < perChunk; ++i) {
        int64_t byte = offset.thread + offset.constant + i * layout.elementBytes;
        EXPECT(memory.emplace(byte, Element{row, chunk * perChunk + i}).second, "byte %ld twice", long(byte));
        EXPECT(byte < layout.getBytes(), "byte %ld of %ld", long(byte), long(layout.getBytes()));
      }
    }
  return memory;
}

/// Eight rows that lanes 8m to 8m + 7 name must lie in different banks.
static void checkBanks(const std::vector<int64_t> &addresses) {
  for (int64_t matrix = 0; matrix < 4; ++matrix) {
    std::set<int64_t> banks;
    for (int64_t row = 0; row < 8; ++row)
      banks.insert(addresses[matrix * 8 + row] % 128 / kChunkBytes);
    EXPECT(banks.size() == 8, "bank conflict in matrix %ld", long(matrix));
  }
}

/// ldmatrix.x4: the elements in word `word` of `lane` (two 16-bit ones or one of 32 bits).
static std::vector<Element> loadMatrix(const Memory &memory, const std::vector<int64_t> &addresses, int64_t bytes,
                                       bool transpose, int64_t lane, int64_t word) {
  std::vector<Element> elements;
  for (int64_t i = 0; i < 4 / bytes; ++i) {
    int64_t row = transpose ? lane % 4 * 2 + i : lane / 4;
    int64_t byte = transpose ? lane / 4 * 2 : lane % 4 * 4 + i * bytes;
    elements.push_back(memory.at(addresses[word * 8 + row] + byte));
  }
  return elements;
}

template <typename LaneFn>
static std::vector<int64_t> getAddresses(const SharedLayout &layout, LaneFn getLane, int64_t constRow,
                                         int64_t constChunk) {
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    Position<int64_t> position = getLane(lane);
    auto offset = layout.getChunk<int64_t>(position.row, position.col, constRow, constChunk);
    addresses.push_back(offset.thread + offset.constant);
  }
  checkBanks(addresses);
  return addresses;
}

/// Left operands: word w of lane l is row l/4 (+8 for w odd), k = 2*(l%4) + {0,1} (+8 for w >= 2), or for 32-bit
/// elements k = l%4 (+4).
static void testLeft(int64_t depth, int64_t bytes) {
  SharedLayout layout = SharedLayout::get(64, depth, bytes);
  Memory memory = fill(layout);
  int64_t perWord = 4 / bytes, step = 8 * perWord;
  for (int64_t block = 0; block < 4; ++block)
    for (int64_t k = 0; k < layout.cols / step; ++k) {
      auto addresses = getAddresses(layout, getRowMajorLane<int64_t>, block * 16, 2 * k);
      for (int64_t lane = 0; lane < kLanes; ++lane)
        for (int64_t word = 0; word < 4; ++word) {
          auto elements = loadMatrix(memory, addresses, bytes, false, lane, word);
          for (int64_t i = 0; i < perWord; ++i) {
            Element expected{block * 16 + lane / 4 + word % 2 * 8,
                             k * step + lane % 4 * perWord + i + word / 2 * 4 * perWord};
            EXPECT(elements[i] == expected, "left operand, depth %ld, lane %ld", long(depth), long(lane));
          }
        }
    }
}

/// Right operands: word w of lane l is column n = l/4, k as in the left operand (+8 or +4 for w = 1); words 2 and 3 are
/// those of the next eight columns.
static void testRight(int64_t rows, int64_t depth, int64_t bytes, bool transposed) {
  SharedLayout layout = SharedLayout::get(rows, depth, bytes);
  Memory memory = fill(layout);
  int64_t perWord = 4 / bytes, step = 8 * perWord;
  int64_t steps = (transposed ? layout.cols : rows) / step, blocks = (transposed ? rows : layout.cols) / 8;
  for (int64_t k = 0; k < steps; ++k)
    for (int64_t block = 0; block < blocks; block += 2) {
      auto addresses = transposed ? getAddresses(layout, getColMajorLane<int64_t>, block * 8, 2 * k)
                                  : getAddresses(layout, getRowMajorLane<int64_t>, k * 16, block);
      for (int64_t lane = 0; lane < kLanes; ++lane)
        for (int64_t word = 0; word < 4; ++word) {
          auto elements = loadMatrix(memory, addresses, bytes, !transposed, lane, word);
          for (int64_t i = 0; i < perWord; ++i) {
            int64_t n = (block + word / 2) * 8 + lane / 4;
            int64_t depthIndex = k * step + lane % 4 * perWord + i + word % 2 * 4 * perWord;
            Element expected = transposed ? Element{n, depthIndex} : Element{depthIndex, n};
            EXPECT(elements[i] == expected, "right operand %ldx%ld, lane %ld", long(rows), long(depth), long(lane));
          }
        }
    }
}

/// Accumulators: element r of lane l is row l/4 (+8 for r >= 2), column 2*(l%4) + r%2; all elements are held once.
static void testAccumulators(int64_t rows, int64_t cols, int64_t warps) {
  AccLayout layout(rows, cols, warps);
  std::set<Element> seen;
  for (int64_t thread = 0; thread < warps * kLanes; ++thread)
    for (int64_t rowBlock = 0; rowBlock < layout.getRowBlocks(); ++rowBlock)
      for (int64_t colBlock = 0; colBlock < layout.getColBlocks(); ++colBlock)
        for (int64_t r = 0; r < 4; ++r) {
          int64_t element = layout.getElement(rowBlock, colBlock, r), lane = thread % kLanes;
          Element position{layout.getRow(thread, layout.getRowElement(element)), layout.getCol(thread, element)};
          Element expected{thread / kLanes * layout.rowsPerWarp + rowBlock * 16 + lane / 4 + r / 2 * 8,
                           colBlock * 8 + lane % 4 * 2 + r % 2};
          EXPECT(position == expected, "accumulator %ldx%ld, thread %ld", long(rows), long(cols), long(thread));
          seen.insert(position);
        }
  EXPECT(int64_t(seen.size()) == rows * layout.cols, "%ld elements", long(seen.size()));
}

/// P as a left operand: the words taken from accumulators are the fragments of the PTX ISA (16 bits), or agree with the
/// rows of V that the lowering loads (32 bits).
static void testRepack() {
  AccLayout layout(64, 64, 4);
  for (int64_t thread = 0; thread < 128; ++thread) {
    int64_t lane = thread % kLanes;
    for (int64_t k = 0; k < 4; ++k)
      for (int64_t word = 0; word < 4; ++word)
        for (int64_t i = 0; i < 2; ++i) {
          PackedWord packed = kLeftOperandWords[word];
          int64_t element = layout.getElement(0, 2 * k + packed.colBlock, packed.firstElement + i);
          Element position{layout.getRow(thread, layout.getRowElement(element)), layout.getCol(thread, element)};
          Element expected{thread / kLanes * 16 + lane / 4 + word % 2 * 8, k * 16 + lane % 4 * 2 + i + word / 2 * 8};
          EXPECT(position == expected, "repack, thread %ld", long(thread));
        }
    for (int64_t k = 0; k < 8; ++k)
      for (int64_t word = 0; word < 4; ++word) {
        int64_t element = layout.getElement(0, k, kLeftOperandElements32[word]);
        int64_t vRow = k * 8 + lane % 4 * 2 + word / 2;
        EXPECT(layout.getCol(thread, element) == vRow, "repack of f32, thread %ld", long(thread));
        EXPECT(layout.getRow(thread, layout.getRowElement(element)) == thread / kLanes * 16 + lane / 4 + word % 2 * 8,
               "repack of f32, thread %ld", long(thread));
      }
  }
}

int main() {
  for (int64_t depth : {1, 8, 16, 24, 32, 40, 48, 64, 72, 80, 96, 112, 128, 160, 192, 224, 256}) {
    testLeft(depth, 2);
    testLeft(depth, 4);
    testRight(64, depth, 2, /*transposed=*/true);
    testRight(64, depth, 2, /*transposed=*/false);
    testRight(64, depth, 4, /*transposed=*/true);
    testAccumulators(128, depth, 4);
    testAccumulators(16, depth, 1);
  }
  testRepack();
  std::printf("layouts: ok\n");
  return 0;
}
