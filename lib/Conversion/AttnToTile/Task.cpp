//===- Task.cpp - Which block of the problem a task computes -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Task.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// Places `task` at block number `block` of the query positions of a head.
static void placeQueryBlock(TileBuilder &b, Task &task, Value block, Value numBlocks, Value queries, bool lastFirst) {
  Value blockSize = b.index(task.numRows);
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

/// Blocks of rows of one head at consecutive query positions.
static void decodeQueryBlock(TileBuilder &b, Task &task, Value &id, Value queries, bool lastFirst) {
  Value blockSize = b.index(task.numRows), numBlocks = b.ceilDiv(queries, blockSize);
  Value block = takeFastest(b, id, numBlocks);
  placeQueryBlock(b, task, block, numBlocks, queries, lastFirst);
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

/// Keys and values of the heads that are visited together, in bytes: what a GPU's second-level cache surely holds.
static constexpr int64_t kCachedBytes = int64_t(24) << 20;

/// Query heads whose keys and values the cache holds.
static Value getCachedHeads(TileBuilder &b, attn::AttentionOp op, Value heads, Value group) {
  int64_t keyBytes = (op.getQKDepth() + op.getVDepth()) * op.getKeyType().getElementTypeBitWidth() / 8;
  Value numKeys = b.max(b.dim(op.getKey(), 2), b.index(1));
  Value fitting = b.mul(b.max(b.floorDiv(b.index(kCachedBytes / keyBytes), numKeys), b.index(1)), group);
  return b.max(b.min(fitting, heads), b.index(1));
}

/// Sets `head` among all heads of all batch elements; returns the number of the block of queries.
static Value decodeCachedOrder(TileBuilder &b, attn::AttentionOp op, Value id, Value numBlocks, Value heads,
                               Value group, Value &head) {
  Value cached = getCachedHeads(b, op, heads, group);
  Value within = takeFastest(b, id, b.mul(cached, numBlocks));
  Value first = b.mul(id, cached), size = b.min(cached, b.sub(heads, first));
  head = b.add(first, takeFastest(b, within, size));
  return within;
}

Task fovea::conversion::decodeTask(TileBuilder &b, attn::AttentionOp op, Value id) {
  attn::StrategyAttr strategy = *op.getStrategy();
  Task task;
  task.numRows = strategy.getBlockM();
  task.packed = strategy.getPackHeads();
  Value queryHeads = b.dim(op.getQuery(), 1), kvHeads = b.dim(op.getKey(), 1), queries = b.dim(op.getQuery(), 2);
  Value group = b.floorDiv(queryHeads, kvHeads);
  bool lastFirst = op.getCausal() || op.getWindowRight();

  if (strategy.getPersistent()) {
    Value numBlocks = b.ceilDiv(queries, b.index(task.numRows)), head;
    Value heads = b.mul(b.dim(op.getQuery(), 0), queryHeads);
    Value block = decodeCachedOrder(b, op, id, numBlocks, heads, group, head);
    placeQueryBlock(b, task, block, numBlocks, queries, lastFirst);
    task.head = takeFastest(b, head, queryHeads);
    task.kvHead = b.floorDiv(task.head, group);
    task.batch = head;
    return task;
  }
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

void fovea::conversion::forEachTask(TileBuilder &b, attn::AttentionOp op, llvm::function_ref<void(Value id)> build) {
  Value id = tile::ProgramIdOp::create(b, b.getIndexType());
  if (!op.getStrategy()->getPersistent())
    return build(id);
  Value zero = b.index(0), one = b.index(1);
  Value numBlocks = b.ceilDiv(b.dim(op.getQuery(), 2), b.index(op.getStrategy()->getBlockM()));
  Value numTasks = b.mul(b.mul(b.dim(op.getQuery(), 0), b.dim(op.getQuery(), 1)), numBlocks);
  Value programs = tile::NumProgramsOp::create(b, b.getIndexType());
  auto loop = scf::ForOp::create(b, zero, b.ceilDiv(numTasks, programs), one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value round = loop.getInductionVar();
  Value isForward = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, arith::AndIOp::create(b, round, one), zero);
  Value turn = b.select(isForward, id, b.sub(b.sub(programs, one), id));
  Value number = b.add(b.mul(round, programs), turn);
  auto exists = scf::IfOp::create(b, arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, numTasks), false);
  b.setInsertionPoint(exists.thenBlock()->getTerminator());
  build(number);
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
