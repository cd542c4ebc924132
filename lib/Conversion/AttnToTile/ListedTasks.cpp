//===- ListedTasks.cpp - Persistent programs over lists of blocks -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Task.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// What a task costs beside its blocks, in blocks.
static constexpr int64_t kTaskCost = 2;

namespace {
/// Cuts the tasks, the heads of one block of queries after those of the other, into as many shares as there are
/// programs. A task weighs the blocks of its list; the heads of one block of queries weigh alike, their mean. A share
/// begins with the first task that lies whole behind the same part of all weight.
class Shares {
public:
  Shares(TileBuilder &b, attn::AttentionOp op, Value tasksPerRow, Value numRows)
      : b(b), list(op.getBlockList()), tasksPerRow(tasksPerRow), numRows(numRows) {}

  /// The first task of share `id` of `count`, and of the next one.
  std::pair<Value, Value> build(Value id, Value count) {
    Value zero = b.index(0), total = sumRows({zero}, [&](Value, Value weight, ValueRange carried) {
                               return SmallVector<Value>{b.add(carried[0], weight)};
                             })[0];
    Value first = b.mul(id, total), second = b.mul(b.add(id, b.index(1)), total);
    // The last row that begins at or before each bound: its number, the weight before it and its own.
    SmallVector<Value> rows = sumRows(SmallVector<Value>(7, zero), [&](Value row, Value weight, ValueRange carried) {
      Value before = carried[0], scaled = b.mul(before, count);
      SmallVector<Value> next = {b.add(before, weight)};
      for (auto [bound, offset] : {std::pair<Value, int>(first, 1), {second, 4}}) {
        Value isReached = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, scaled, bound);
        for (auto [index, value] : llvm::enumerate(ArrayRef<Value>{row, before, weight}))
          next.push_back(b.select(isReached, value, carried[offset + index]));
      }
      return next;
    });
    return {locate(first, count, rows[1], rows[2], rows[3]), locate(second, count, rows[4], rows[5], rows[6])};
  }

private:
  /// The task of `row` at the same part of its weight as `bound` has.
  Value locate(Value bound, Value count, Value row, Value before, Value weight) {
    Value inRow = b.mul(b.sub(bound, b.mul(before, count)), tasksPerRow);
    return b.add(b.mul(row, tasksPerRow), b.floorDiv(inRow, b.mul(weight, count)));
  }

  /// The weight of the lists of a block of queries.
  Value buildWeight(Value row) {
    Value weight = b.index(0), one = b.index(1);
    auto forBatches = scf::ForOp::create(b, weight, b.dim(list, 0), one, weight);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forBatches.getBody());
    auto forHeads = scf::ForOp::create(b, b.index(0), b.dim(list, 1), one, forBatches.getRegionIterArgs());
    scf::YieldOp::create(b, forHeads.getResults());
    b.setInsertionPointToStart(forHeads.getBody());
    SmallVector<Value> indices = {forBatches.getInductionVar(), forHeads.getInductionVar(), row, one};
    Value blocks = b.toIndex(memref::LoadOp::create(b, list, indices));
    Value next = b.add(forHeads.getRegionIterArgs()[0], b.add(blocks, b.index(kTaskCost)));
    scf::YieldOp::create(b, next);
    return forBatches.getResult(0);
  }

  SmallVector<Value> sumRows(ArrayRef<Value> initial,
                             function_ref<SmallVector<Value>(Value row, Value weight, ValueRange carried)> step) {
    auto buildBody = [&](OpBuilder &nested, Location, Value row, ValueRange carried) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
      Value weight = buildWeight(row);
      scf::YieldOp::create(b, step(row, weight, carried));
    };
    auto loop = scf::ForOp::create(b, b.index(0), numRows, b.index(1), initial, buildBody);
    return SmallVector<Value>(loop.getResults());
  }

  TileBuilder &b;
  Value list, tasksPerRow, numRows;
};
} // namespace

void fovea::conversion::forEachListedTask(TileBuilder &b, attn::AttentionOp op,
                                          llvm::function_ref<void(const Task &task)> build) {
  int64_t blockM = op.getStrategy()->getBlockM();
  Value id = tile::ProgramIdOp::create(b, b.getIndexType());
  Value programs = tile::NumProgramsOp::create(b, b.getIndexType());
  Value queries = b.dim(op.getQuery(), 2), heads = b.dim(op.getQuery(), 1);
  Value tasksPerRow = b.mul(b.dim(op.getQuery(), 0), heads);
  Value group = divideTasks(b, heads, b.dim(op.getKey(), 1)).first;
  Shares shares(b, op, tasksPerRow, b.ceilDiv(queries, b.index(blockM)));
  auto [begin, end] = shares.build(id, programs);
  auto loop = scf::ForOp::create(b, begin, end, b.index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Task task;
  task.numRows = blockM;
  auto [block, number] = divideTasks(b, loop.getInductionVar(), tasksPerRow);
  placeQueryBlock(b, task, block, queries);
  std::tie(task.batch, task.head) = divideTasks(b, number, heads);
  task.kvHead = divideTasks(b, task.head, group).first;
  build(task);
}
