//===- Task.cpp - Which block of the problem a task computes -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Task.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

SmallVector<Value> Task::getIndices(bool partial) const {
  SmallVector<Value> indices{batch, head, query};
  if (partial)
    indices.insert(indices.begin(), part);
  return indices;
}

/// Splits off the fastest dimension of a task number.
static Value takeFastest(TileBuilder &b, Value &id, Value size) {
  Value coordinate = b.rem(id, size);
  id = b.floorDiv(id, size);
  return coordinate;
}

/// Blocks of rows of one head at consecutive query positions.
static void decodeQueryBlock(TileBuilder &b, Task &task, Value &id, Value queries, bool lastFirst) {
  Value blockSize = b.index(task.numRows), numBlocks = b.ceilDiv(queries, blockSize);
  Value block = takeFastest(b, id, numBlocks);
  if (lastFirst)
    block = b.sub(b.sub(numBlocks, b.index(1)), block);
  task.query = b.mul(block, blockSize);
  APInt length;
  bool exact = matchPattern(queries, m_ConstantInt(&length)) && length.getSExtValue() % task.numRows == 0;
  if (!exact)
    task.rowLimit = queries;
  Value end = b.add(task.query, blockSize);
  task.lastQuery = b.sub(exact ? end : b.min(end, queries), b.index(1));
}

/// Blocks of query heads of one KV head at one query position.
static void decodeHeadBlock(TileBuilder &b, Task &task, Value &id, Value queries, Value group, bool lastFirst) {
  Value blockSize = b.index(task.numRows);
  Value block = takeFastest(b, id, b.ceilDiv(group, blockSize));
  task.query = takeFastest(b, id, queries);
  if (lastFirst)
    task.query = b.sub(b.sub(queries, b.index(1)), task.query);
  task.lastQuery = task.query;
  task.head = b.mul(block, blockSize);
}

Task fovea::conversion::decodeTask(TileBuilder &b, attn::AttentionOp op) {
  attn::StrategyAttr strategy = *op.getStrategy();
  Task task;
  task.numRows = strategy.getBlockM();
  task.packed = strategy.getPackHeads();
  Value queryHeads = b.dim(op.getQuery(), 1), kvHeads = b.dim(op.getKey(), 1), queries = b.dim(op.getQuery(), 2);
  Value group = b.floorDiv(queryHeads, kvHeads);
  bool lastFirst = op.getCausal() || op.getWindowRight();

  Value id = tile::ProgramIdOp::create(b, b.getIndexType());
  if (strategy.getSplitKv()) {
    task.parts = b.dim(op.getOutput(), 0);
    task.part = takeFastest(b, id, task.parts);
  }
  if (!task.packed) {
    decodeQueryBlock(b, task, id, queries, lastFirst);
    task.head = takeFastest(b, id, queryHeads);
    task.kvHead = b.floorDiv(task.head, group);
    task.batch = id;
    return task;
  }
  decodeHeadBlock(b, task, id, queries, group, lastFirst);
  task.kvHead = takeFastest(b, id, kvHeads);
  task.batch = id;
  Value firstHead = b.mul(task.kvHead, group);
  task.head = b.add(firstHead, task.head);
  task.rowLimit = b.add(firstHead, group);
  return task;
}

Task fovea::conversion::decodeCombineTask(TileBuilder &b, attn::CombineOp op, int64_t numRows) {
  Task task;
  task.numRows = numRows;
  Value id = tile::ProgramIdOp::create(b, b.getIndexType());
  decodeQueryBlock(b, task, id, b.dim(op.getOutput(), 2), /*lastFirst=*/false);
  task.head = takeFastest(b, id, b.dim(op.getOutput(), 1));
  task.batch = id;
  return task;
}
