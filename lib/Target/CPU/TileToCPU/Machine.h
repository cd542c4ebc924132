//===- Machine.h - What the tile lowering knows of the processor -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_TILETOCPU_MACHINE_H
#define FOVEA_LIB_TARGET_CPU_TILETOCPU_MACHINE_H

#include <cstdint>

namespace fovea::cpu {

/// Products of pairs of bf16, summed as f32.
///   None     the processor has none: 16-bit floats are widened
///   Vectors  of vectors (`vdpbf16ps`)
///   Tiles    of tiles (`tdpbf16ps`), which a process has to ask the operating system for
enum class PairDots { None, Vectors, Tiles };

/// Vector registers of the processor and the register tiles that follow from them. A product keeps its accumulators,
/// the vectors of one step and one broadcast in registers: 12 accumulators of 16 registers, 24 of 32.
struct Machine {
  /// f32 elements of a vector register.
  int64_t vectorWidth = 8;
  int64_t numRegisters = 16;
  bool hasFMA = true;
  PairDots pairDots = PairDots::None;

  bool hasManyRegisters() const { return numRegisters >= 32; }
  /// Rows of a row panel (see `Layout`): three vectors.
  int64_t getPanelRows() const { return 3 * vectorWidth; }
  /// Columns of a column panel: two vectors.
  int64_t getPanelCols() const { return 2 * vectorWidth; }
  /// Chains of sums of each element of Q * K^T.
  static constexpr int64_t kScoreChains = 2;
  /// Keys of the register tile of Q * K^T, whose vectors run along a row panel.
  int64_t getKeyGroup() const { return (hasManyRegisters() ? 8 : 4) / kScoreChains; }
  /// Rows of the register tile of P * V, whose vectors run along a column panel.
  int64_t getRowGroup() const {
    int64_t rows = hasManyRegisters() ? 12 : 6;
    while (getPanelRows() % rows != 0)
      --rows;
    return rows;
  }
  /// bf16 elements of a row of a tile register, and rows of it; a vector of 512 bits has as many elements.
  static constexpr int64_t kTileElements = 32, kTileRows = 16;
  /// Tiles of fewer rows are computed row by row, with vectors along the columns.
  int64_t getMinWideRows() const { return 2 * vectorWidth + 1; }
};

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_TILETOCPU_MACHINE_H
