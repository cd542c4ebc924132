//===- Transfer.h - Moves rows of operands between memory and tiles -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_TRANSFER_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_TRANSFER_H

#include "Task.h"

namespace fovea::conversion {

/// Columns of a tile over `depth` columns of memory: matrix instructions and vectors take whole multiples of 16.
int64_t getPaddedDepth(int64_t depth);

/// What the address of each row of `memref` may rely on, in bytes: the strategy's promise for the op's operands; a
/// temporary of the plan is contiguous and begins at a multiple of 128.
int64_t getRowAlignment(mlir::Value memref, attn::StrategyAttr strategy);

/// Loads `numRows` rows of `numColumns` elements that begin at `indices` (one per dimension but the last) and `column`
/// (null: 0), and `ones` columns of ones behind them.
mlir::Value loadRows(TileBuilder &b, mlir::Value memref, mlir::ArrayRef<mlir::Value> indices, mlir::Value rowLimit,
                     int64_t rowDim, int64_t numRows, int64_t numColumns, attn::StrategyAttr strategy,
                     mlir::Value column = {}, int64_t ones = 0);

/// Loads one value per row of a memref without columns.
mlir::Value loadRowValues(TileBuilder &b, mlir::Value memref, mlir::ArrayRef<mlir::Value> indices, mlir::Value rowLimit,
                          int64_t rowDim, int64_t numRows);

/// Stores the output of a task, and its log-sum-exp if not null, at the rows of `task`.
void storeResults(TileBuilder &b, const Task &task, mlir::Value output, mlir::Value outputMemref, mlir::Value lse,
                  mlir::Value lseMemref, attn::StrategyAttr strategy);

/// The sink logit of each row of the task, f32.
mlir::Value loadSink(TileBuilder &b, const Task &task, mlir::Value sink);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_TRANSFER_H
