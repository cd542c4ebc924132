//===- KernelPlan.h - What attn-plan and attn-to-tile must agree on -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_KERNELPLAN_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_KERNELPLAN_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// Number of tasks of an attention kernel over the problem symbols, as `attn-to-tile` decodes them from the program id:
/// `[B, Hq, ceildiv(Sq, block_m), parts]`, or with `pack_heads` `[B, Hkv, Sq, ceildiv(Hq / Hkv, block_m), parts]`; the
/// last dimension is the fastest. `splits` is the number of parts; null without partial results. A cluster that
/// merges has as many parts as thread blocks.
mlir::AffineExpr getTaskGrid(StrategyAttr strategy, mlir::AffineExpr splits);

/// Whether a kernel of `op` can have `carry_scores`: no regions, biases, masks or lengths, since the first block of a
/// task is scored before it is known whether the task has keys, and heads at most 128 deep, for which Q has a second
/// slot.
bool canCarryScores(AttentionOp op);

/// Emits one error at `op`, the op of a kernel, if its strategy is for other ops, whatever the target: LPT order of
/// tasks that are all as long, say. `attn-verify-strategies` calls this before any code is made.
mlir::LogicalResult verifyKernelStrategy(AttentionOp op);

/// The results of the grid of an attention kernel: its tasks, and for a persistent one what runs at once.
llvm::SmallVector<mlir::AffineExpr> getKernelGrid(StrategyAttr strategy, mlir::AffineExpr splits);

/// Number of tasks of an `attn.combine` kernel: `[B, Hq, ceildiv(Sq, block_m), ceildiv(depth, block_n)]`, `depth` being
/// that of the values.
mlir::AffineExpr getCombineGrid(StrategyAttr strategy, int64_t depth);

/// What a strategy relies on, as a condition on the problem symbols: the alignment of rows that it assumes, and of
/// persistent kernels, which count tasks in 32 bits, the number of tasks.
llvm::SmallVector<mlir::AffineExpr> getStrategyConditions(StrategyAttr strategy);

/// A number of parts for `split_kv` that gives each of the `threads` processors `tasksEach` tasks where the keys are
/// enough for that. With p processors, t tasks and b blocks of keys it is `1 + 1 / (t / (p * tasksEach) + 1 / b)`:
/// close to the smaller one of the limits `p * tasksEach / t` and b, and smooth between them.
mlir::AffineExpr getBalancedSplits(StrategyAttr strategy, int64_t tasksEach);

/// A table over the blocks of `strategy` that a map of blocks is made of: the sizes that it shares with the op. A
/// dimension is 1 where no mask of `op` depends on it.
struct BlockTable {
  BlockTable(AttentionOp op, StrategyAttr strategy);
  /// Batch, heads, blocks of queries and blocks of keys.
  llvm::SmallVector<mlir::AffineExpr, 4> dims;
  bool perBatch, perHead;
};

/// Number of programs that compute `tasks` by `lanes` lanes each: with `unit = thread` as many as fill thread blocks.
mlir::AffineExpr getScalarGrid(StrategyAttr strategy, mlir::AffineExpr tasks, int64_t lanes);

/// Lanes for a task of a list or an order: those of a warp, and one where the target has none.
int64_t getListLanes(StrategyAttr strategy);
/// Lanes that classify a block of `op` together. Where it scans memory they share that out: a few for elements by
/// position, a warp for elements by pair. Where it does not, a block for each lane is faster.
int64_t getMapLanes(BlockMapOp op);

/// Discardable attribute that holds an `#attn.strategy`: on the `attn.combine` op of a kernel (`block_m` rows a task)
/// and on `attn.block_list` and `attn.block_order`, and after `attn-to-tile` on the kernel function, for the target's
/// passes.
constexpr llvm::StringLiteral kStrategyAttrName = "attn.strategy";

/// Discardable unit attribute on a kernel function after `attn-to-tile`: a mask region decides on pairs, by any number
/// of conditions.
constexpr llvm::StringLiteral kMaskRegionAttrName = "attn.mask_region";

/// Discardable attribute, an i64, of `attn.block_map`, `attn.block_list` and `attn.block_order` in a kernel: the lanes
/// of a task; 1 where there is none.
constexpr llvm::StringLiteral kLanesAttrName = "attn.lanes";

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_KERNELPLAN_H
