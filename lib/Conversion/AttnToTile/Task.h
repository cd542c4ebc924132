//===- Task.h - Which block of the problem a task computes -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_TASK_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_TASK_H

#include "TileBuilder.h"
#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::conversion {

/// The block of rows that one task computes. Rows are query positions of one head, or with `pack_heads` query heads of
/// one KV head at one query position. All values are `index`.
struct Task {
  mlir::Value batch;
  /// Query head and position of the tile's row 0, and the head of K and V.
  mlir::Value head, query, kvHead;
  /// Position, along the rows' dimension, that rows must stay below; null where all rows of each block exist.
  mlir::Value rowLimit;
  /// Position of the last row that exists (`query` with `pack_heads`).
  mlir::Value lastQuery;
  /// Part of the keys and number of parts; null without `split_kv`.
  mlir::Value part, parts;
  /// First column of the output's tile; null: 0.
  mlir::Value column;
  /// Rows of the tile.
  int64_t numRows = 0;
  /// Whether rows are heads.
  bool packed = false;

  /// Dimension of [B, H, S, D] along which tile rows run.
  int64_t getRowDim() const { return packed ? 1 : 2; }
  /// Position of row 0 along that dimension.
  mlir::Value getRow() const { return packed ? head : query; }
  /// Indices of row 0 in a memref [B, H, S], or [parts, B, H, S] with `partial`, and dimension of the rows in it.
  mlir::SmallVector<mlir::Value> getIndices(bool partial) const;
};

/// Calls `build` for each task of an attention kernel. Without `persistent` that is the one whose number in the order
/// of `getTaskGrid` is the program id; where the keys of a row are bounded on the right the last block of queries,
/// which has the most work, comes first. With a list of blocks the sixteenth of each head's blocks of queries that have
/// the most work come first, so that none of them is the last to begin, and then the others head by head, so that
/// programs read the same keys at a time. With `persistent` it is the program's share of all tasks: blocks of one head
/// after the other, so that programs read the same keys at a time; where the keys are bounded on the right the first
/// block comes with the last one, the second with the one before, and so on: such pairs are equal work.
void forEachTask(TileBuilder &b, attn::AttentionOp op, llvm::function_ref<void(const Task &task)> build);

/// As `forEachTask` of a persistent kernel, where a value of the next task is made before the present one ends.
/// `buildFirst` makes that of the program's first task; `build` gets its own task's and returns that of `next`, which
/// is some task where no other one follows.
using BuildFirstValue = llvm::function_ref<mlir::Value(const Task &first)>;
using BuildCarryingTask = llvm::function_ref<mlir::Value(const Task &task, const Task &next, mlir::Value carried)>;
void forEachTaskCarrying(TileBuilder &b, attn::AttentionOp op, BuildFirstValue buildFirst, BuildCarryingTask build);

/// Quotient and remainder in 32 bits, in which a GPU divides many times faster; numbers of tasks fit.
std::pair<mlir::Value, mlir::Value> divideTasks(TileBuilder &b, mlir::Value lhs, mlir::Value rhs);

/// Continues where the program of a scalar kernel, of `lanes` lanes, has a task: its number is below the product of
/// `sizes`. Returns its coordinates, the last one the fastest.
mlir::SmallVector<mlir::Value> beginScalarTask(TileBuilder &b, mlir::ArrayRef<mlir::Value> sizes, int64_t lanes);

/// Element `column` of row `block` of the op's list of blocks, as an index.
mlir::Value loadListElement(TileBuilder &b, attn::AttentionOp op, mlir::Value batch, mlir::Value head,
                            mlir::Value block, mlir::Value column);

/// Splits off the fastest dimension, of `size`, of a task number.
mlir::Value takeFastest(TileBuilder &b, mlir::Value &id, mlir::Value size);

/// Places `task` at block number `block` of the query positions of a head.
void placeQueryBlock(TileBuilder &b, Task &task, mlir::Value block, mlir::Value queries);

/// Decodes the program id of a combine kernel in the order of `getCombineGrid`.
Task decodeCombineTask(TileBuilder &b, attn::CombineOp op, attn::StrategyAttr strategy);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_TASK_H
