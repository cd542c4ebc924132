//===- Layouts.h - Where the elements of tiles lie -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_LAYOUTS_H
#define FOVEA_LIB_TARGET_NVPTX_LAYOUTS_H

#include <array>
#include <cstdint>

/// The index arithmetic of every layout, as templates over an integer type: the lowering instantiates them with IR
/// values, the unit test with numbers, so that what is tested is what is emitted. `Int` has +, *, ^, & and >> with
/// `int64_t`.
namespace fovea::nvptx {

constexpr int64_t kLanes = 32;
/// Warps of a warpgroup, and the rows of its products.
constexpr int64_t kWarpsOfGroup = 4, kWarpgroupRows = 64;
/// Rows and columns of the accumulator of one matrix instruction.
constexpr int64_t kMmaRows = 16, kMmaCols = 8;
/// Bytes of a chunk: what one lane names to a matrix load and the most that one asynchronous copy moves.
constexpr int64_t kChunkBytes = 16;
/// The fewest bytes that an asynchronous copy moves.
constexpr int64_t kLeastCopyBytes = 4;

constexpr int64_t roundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

template <typename Int> struct Position { Int row, col; };

/// A tile of `warps * rowsPerWarp` rows as accumulators (`#attn_tile.mma_acc`).
struct AccLayout {
  int64_t rowsPerWarp, cols;

  AccLayout(int64_t rows, int64_t cols, int64_t warps)
      : rowsPerWarp(rows / warps), cols(cols % 16 == kMmaCols ? cols : roundUp(cols, 16)) {}
  int64_t getRowBlocks() const { return rowsPerWarp / kMmaRows; }
  int64_t getColBlocks() const { return cols / kMmaCols; }
  /// Elements per thread.
  int64_t getNumElements() const { return getRowBlocks() * getColBlocks() * 4; }
  /// Number of element `r` (0 to 3) of block (rowBlock, colBlock).
  int64_t getElement(int64_t rowBlock, int64_t colBlock, int64_t r) const {
    return (rowBlock * getColBlocks() + colBlock) * 4 + r;
  }
  /// Elements per thread of a tile of one value per row (`#attn_tile.mma_rows`), and which of them belongs to an
  /// element.
  int64_t getNumRowElements() const { return getRowBlocks() * 2; }
  int64_t getRowElement(int64_t element) const { return element / (getColBlocks() * 4) * 2 + element % 4 / 2; }

  /// Row of a row element.
  template <typename Int> Int getRow(Int thread, int64_t rowElement) const {
    Int warp = thread >> 5, lane = thread & 31;
    return warp * rowsPerWarp + (lane >> 2) + (rowElement / 2 * kMmaRows + rowElement % 2 * 8);
  }
  /// Column of an element.
  template <typename Int> Int getCol(Int thread, int64_t element) const {
    return (thread & 3) * 2 + (element / 4 % getColBlocks() * kMmaCols + element % 2);
  }
};

/// A tile in one slot of shared memory (`#attn_tile.shared`).
struct SharedLayout {
  int64_t rows, cols, elementBytes, pitch;
  bool swizzle;

  /// The layout in which equal chunks of eight rows lie in different banks.
  static SharedLayout get(int64_t rows, int64_t cols, int64_t elementBytes) {
    int64_t padded = roundUp(cols, 16), bytes = padded * elementBytes;
    bool swizzle = elementBytes == 2 && bytes % 128 == 0;
    bool oddChunks = bytes / kChunkBytes % 2 == 1;
    return {rows, padded, elementBytes, swizzle || oddChunks ? bytes : bytes + kChunkBytes, swizzle};
  }
  int64_t getChunksPerRow() const { return cols * elementBytes / kChunkBytes; }
  int64_t getBytes() const { return rows * pitch; }

  /// Offset of a chunk: a part that a thread computes once for each `variant`, and a constant.
  template <typename Int> struct Offset {
    Int thread;
    int64_t constant;
  };
  /// Which thread part belongs to a constant chunk: 0 without swizzle.
  int64_t getVariant(int64_t constChunk) const { return swizzle ? constChunk & 7 : 0; }

  /// Byte of chunk `chunk + constChunk` of row `row + constRow`; `constRow` is a multiple of 8, and `chunk` is 0 or 1
  /// with an even `constChunk`, or `constChunk` is 0.
  template <typename Int> Offset<Int> getChunk(Int row, Int chunk, int64_t constRow, int64_t constChunk) const {
    int64_t variant = getVariant(constChunk), constant = constRow * pitch + (constChunk - variant) * kChunkBytes;
    Int position = swizzle ? (chunk ^ (row & 7)) ^ variant : chunk;
    return {row * pitch + position * kChunkBytes, constant};
  }
};

/// A tile of 16-bit elements in one slot that bulk copies fill (`#attn_tile.swizzled`).
struct SwizzledLayout {
  int64_t rows, cols, parts;
  /// Columns at the end that hold ones, in a panel of their own.
  int64_t ones = 0;

  static constexpr int64_t kPanelCols = 64, kPanelPitch = 128, kBarrierBytes = 8;
  /// Bytes of the unit in which instructions count places in shared memory.
  static constexpr int64_t kUnitBits = 4, kUnit = 1 << kUnitBits;
  /// What every panel begins at a multiple of: the period of the swizzle.
  static constexpr int64_t kAlignment = 1024;

  /// Panels that are copied, and all.
  int64_t getCopiedPanels() const { return roundUp(cols - ones, kPanelCols) / kPanelCols; }
  int64_t getPanels() const { return getCopiedPanels() + (ones > 0); }
  int64_t getBandRows() const { return rows / parts; }
  int64_t getPanelBytes() const { return getBandRows() * kPanelPitch; }
  int64_t getCopiedBytes() const { return getCopiedPanels() * getPanelBytes(); }
  int64_t getBandBytes() const { return getPanels() * getPanelBytes(); }
  int64_t getSlotBytes() const { return parts * getBandBytes(); }
};

/// Row and chunk that a lane names in a load of four 8x8 matrices, relative to the first.
/// For the left operand (16 rows, 2 chunks) and, transposed, for a right operand KxN: matrices (rows 0-7, chunk 0),
/// (8-15, 0), (0-7, 1), (8-15, 1).
template <typename Int> Position<Int> getRowMajorLane(Int lane) { return {lane & 15, lane >> 4}; }
/// For a right operand NxK: matrices (rows 0-7, chunk 0), (0-7, 1), (8-15, 0), (8-15, 1).
template <typename Int> Position<Int> getColMajorLane(Int lane) {
  return {(lane & 7) + ((lane >> 4) * 8), (lane >> 3) & 1};
}

/// The accumulator elements (of column blocks `first` and `second` of one row block) that make the four words of the
/// left operand m16k16 of 16-bit elements: word w holds elements `2 * w'`, `2 * w' + 1` of a block.
struct PackedWord {
  int64_t colBlock, firstElement;
};
constexpr std::array<PackedWord, 4> kLeftOperandWords = {{{0, 0}, {0, 2}, {1, 0}, {1, 2}}};

/// The same for m16k8 of 32-bit elements. Columns 2c and 2c + 1 of the accumulator become k = c and k = c + 4, so the
/// right operand's words of lane l are rows 2 * (l % 4) and 2 * (l % 4) + 1 instead of l % 4 and l % 4 + 4.
constexpr std::array<int64_t, 4> kLeftOperandElements32 = {{0, 2, 1, 3}};

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_LAYOUTS_H
