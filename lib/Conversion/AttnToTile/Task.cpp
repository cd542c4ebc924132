//===- Task.cpp - Which block of the problem a task computes -*- C++ -*-===//
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

SmallVector<Value> Task::getIndices(bool partial) const {
  SmallVector<Value> indices{batch, head, query};
  if (partial)
    indices.insert(indices.begin(), part);
  return indices;
}

Value fovea::conversion::takeFastest(TileBuilder &b, Value &id, Value size) {
  Value coordinate = b.rem(id, size);
  id = b.floorDiv(id, size);
  return coordinate;
}

void fovea::conversion::placeQueryBlock(TileBuilder &b, Task &task, Value block, Value queries) {
  Value blockSize = b.index(task.numRows);
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
  if (lastFirst)
    block = b.sub(b.sub(numBlocks, b.index(1)), block);
  placeQueryBlock(b, task, block, queries);
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

SmallVector<Value> fovea::conversion::beginScalarTask(TileBuilder &b, ArrayRef<Value> sizes, int64_t lanes) {
  Value id = tile::ProgramIdOp::create(b, b.getIndexType(), lanes), total = b.index(1);
  for (Value size : sizes)
    total = b.mul(total, size);
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, id, total);
  auto guard = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
  b.setInsertionPointToStart(guard.thenBlock());
  SmallVector<Value> coordinates;
  for (Value size : llvm::reverse(sizes.drop_front()))
    coordinates.push_back(takeFastest(b, id, size));
  coordinates.push_back(id);
  std::reverse(coordinates.begin(), coordinates.end());
  return coordinates;
}

Value fovea::conversion::loadListElement(TileBuilder &b, attn::AttentionOp op, Value batch, Value head, Value block,
                                         Value column) {
  Value list = op.getBlockList();
  auto type = cast<MemRefType>(list.getType());
  auto getIndex = [&](int64_t dim, Value index) { return type.getDimSize(dim) == 1 ? b.index(0) : index; };
  SmallVector<Value> indices = {getIndex(0, batch), getIndex(1, head), block, column};
  return b.toIndex(memref::LoadOp::create(b, list, indices));
}

/// The part of each head's blocks of queries that come before all others.
static constexpr int64_t kEarlyPart = 16;

/// The task of a list of blocks: its place among the blocks of its head says which one it is.
static Task decodeListedTask(TileBuilder &b, attn::AttentionOp op, Value id) {
  Task task;
  task.numRows = op.getStrategy()->getBlockM();
  Value queries = b.dim(op.getQuery(), 2), queryHeads = b.dim(op.getQuery(), 1), one = b.index(1);
  Value heads = b.mul(b.dim(op.getQuery(), 0), queryHeads), numBlocks = b.ceilDiv(queries, b.index(task.numRows));
  Value early = b.ceilDiv(numBlocks, b.index(kEarlyPart)), earlyTasks = b.mul(early, heads);
  Value isEarly = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, id, earlyTasks);
  auto [earlyPlace, earlyHead] = divideTasks(b, id, heads);
  Value rest = b.max(b.sub(id, earlyTasks), b.index(0));
  auto [lateHead, latePlace] = divideTasks(b, rest, b.max(b.sub(numBlocks, early), one));
  Value place = b.select(isEarly, earlyPlace, b.add(early, latePlace)), number = b.select(isEarly, earlyHead, lateHead);
  std::tie(task.batch, task.head) = divideTasks(b, number, queryHeads);
  task.kvHead = divideTasks(b, task.head, divideTasks(b, queryHeads, b.dim(op.getKey(), 1)).first).first;
  Value block = loadListElement(b, op, task.batch, task.head, place, b.index(attn::kListOrder));
  placeQueryBlock(b, task, block, queries);
  return task;
}

static Task decodeTask(TileBuilder &b, attn::AttentionOp op, Value id) {
  attn::StrategyAttr strategy = *op.getStrategy();
  Task task;
  task.numRows = strategy.getBlockM();
  task.packed = strategy.getPackHeads();
  Value queryHeads = b.dim(op.getQuery(), 1), kvHeads = b.dim(op.getKey(), 1), queries = b.dim(op.getQuery(), 2);
  Value group = b.floorDiv(queryHeads, kvHeads);
  bool lastFirst = op.getCausal() || op.getWindowRight();
  if (strategy.getSplitKv()) {
    task.parts = strategy.mergesInCluster() ? b.index(strategy.getCluster()) : b.dim(op.getOutput(), 0);
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

std::pair<Value, Value> fovea::conversion::divideTasks(TileBuilder &b, Value lhs, Value rhs) {
  auto narrow = [&](Value value) { return b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), value); };
  auto widen = [&](Value value) { return b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), value); };
  Value l = narrow(lhs), r = narrow(rhs), quotient = b.createOrFold<arith::DivUIOp>(l, r);
  Value remainder = b.createOrFold<arith::SubIOp>(l, b.createOrFold<arith::MulIOp>(quotient, r));
  return {widen(quotient), widen(remainder)};
}

namespace {
/// The loop of a persistent program.
class PersistentLoop {
public:
  PersistentLoop(TileBuilder &b, attn::AttentionOp op)
      : b(b), op(op), numRows(op.getStrategy()->getBlockM()), cluster(op.getStrategy()->getCluster()),
        paired(op.getCausal() || op.getWindowRight()) {}

  void build(llvm::function_ref<void(const Task &task)> buildTask) {
    begin();
    auto loop = scf::ForOp::create(b, id, total, programs);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    if (!paired)
      return buildTask(decode(loop.getInductionVar(), Value()));
    auto half = scf::ForOp::create(b, b.index(0), b.index(2), b.index(1));
    b.setInsertionPoint(half.getBody()->getTerminator());
    Task task = decode(loop.getInductionVar(), half.getInductionVar());
    auto exists = scf::IfOp::create(b, isOwnTask, /*withElseRegion=*/false);
    b.setInsertionPoint(exists.thenBlock()->getTerminator());
    buildTask(task);
  }

  void buildCarrying(BuildFirstValue buildFirst, BuildCarryingTask buildTask) {
    begin();
    Value first = paired ? b.index(0) : Value();
    // A program without an item begins that of the last one in vain.
    Value carried = buildFirst(decode(b.min(id, b.sub(total, b.index(1))), first));
    auto loop = scf::ForOp::create(b, id, total, programs, carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value item = loop.getInductionVar();
    if (!paired) {
      Task task = decode(item, Value()), next = decode(getNextItem(item), Value());
      scf::YieldOp::create(b, buildTask(task, next, loop.getRegionIterArg(0)));
      return;
    }
    Value block = divideTasks(b, item, numItems).second;
    Value numHalves = b.select(isMiddle(block, getMirrored(block)), b.index(1), b.index(2));
    auto half = scf::ForOp::create(b, first, numHalves, b.index(1), loop.getRegionIterArg(0));
    scf::YieldOp::create(b, half.getResults());
    b.setInsertionPointToEnd(half.getBody());
    Value following = b.add(half.getInductionVar(), b.index(1));
    Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, following, numHalves);
    Task task = decode(item, half.getInductionVar());
    Task next = decode(b.select(isInside, item, getNextItem(item)), b.select(isInside, following, first));
    scf::YieldOp::create(b, buildTask(task, next, half.getRegionIterArg(0)));
  }

private:
  /// The program's first item, and what all items share.
  void begin() {
    id = tile::ProgramIdOp::create(b, b.getIndexType());
    programs = tile::NumProgramsOp::create(b, b.getIndexType());
    // The programs of a cluster take neighbouring blocks of queries.
    member = b.createOrFold<arith::RemUIOp>(id, b.index(cluster));
    id = b.createOrFold<arith::DivUIOp>(id, b.index(cluster));
    programs = b.createOrFold<arith::DivUIOp>(programs, b.index(cluster));
    queries = b.dim(op.getQuery(), 2);
    queryHeads = b.dim(op.getQuery(), 1);
    numBlocks = b.ceilDiv(queries, b.index(numRows));
    // An item is one block of queries, a pair, or one for each member of a cluster.
    numItems = b.ceilDiv(numBlocks, b.index(paired ? 2 : cluster));
    total = b.mul(b.mul(b.dim(op.getQuery(), 0), queryHeads), numItems);
    group = divideTasks(b, queryHeads, b.dim(op.getKey(), 1)).first;
  }

  /// The program's item behind `item`, or `item` where it is the last one.
  Value getNextItem(Value item) {
    Value next = b.add(item, programs);
    return b.select(arith::CmpIOp::create(b, arith::CmpIPredicate::slt, next, total), next, item);
  }

  /// Whether both blocks of a pair are the middle one.
  Value isMiddle(Value block, Value mirrored) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, block, mirrored);
  }

  /// The block that makes a pair with `block`: as far from the last one as that is from the first.
  Value getMirrored(Value block) { return b.sub(b.sub(numBlocks, b.index(1)), block); }

  /// `half` of an item: 0 for its last block, 1 for its first, which is the same one in the middle of an odd number.
  Task decode(Value item, Value half) {
    Task task;
    task.numRows = numRows;
    auto [headNumber, block] = divideTasks(b, item, numItems);
    Value isFirst, mirrored = getMirrored(block);
    if (paired) {
      isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, half, b.index(1));
      Value isRepeated = arith::AndIOp::create(b, isFirst, isMiddle(block, mirrored));
      isOwnTask = arith::XOrIOp::create(b, isRepeated, arith::ConstantIntOp::create(b, 1, 1));
      block = b.select(isFirst, block, mirrored);
    }
    if (cluster > 1)
      block = b.add(b.mul(block, b.index(cluster)), member);
    placeQueryBlock(b, task, block, queries);
    if (cluster > 1)
      task.rowLimit = queries;
    std::tie(task.batch, task.head) = divideTasks(b, headNumber, queryHeads);
    task.kvHead = divideTasks(b, task.head, group).first;
    return task;
  }

  TileBuilder &b;
  attn::AttentionOp op;
  int64_t numRows, cluster;
  bool paired;
  Value id, programs, total, member, queries, queryHeads, group, numBlocks, numItems, isOwnTask;
};
} // namespace

void fovea::conversion::forEachTask(TileBuilder &b, attn::AttentionOp op,
                                    llvm::function_ref<void(const Task &task)> build) {
  if (op.getStrategy()->getPersistent())
    return PersistentLoop(b, op).build(build);
  Value id = tile::ProgramIdOp::create(b, b.getIndexType());
  build(op.getBlockList() ? decodeListedTask(b, op, id) : decodeTask(b, op, id));
}

void fovea::conversion::forEachTaskCarrying(TileBuilder &b, attn::AttentionOp op, BuildFirstValue buildFirst,
                                            BuildCarryingTask build) {
  PersistentLoop(b, op).buildCarrying(buildFirst, build);
}

Task fovea::conversion::decodeCombineTask(TileBuilder &b, attn::CombineOp op, attn::StrategyAttr strategy) {
  Task task;
  task.numRows = strategy.getBlockM();
  Value id = tile::ProgramIdOp::create(b, b.getIndexType());
  int64_t depth = cast<MemRefType>(op.getOutput().getType()).getShape().back(), columns = strategy.getBlockN();
  if (depth > columns)
    task.column = b.mul(takeFastest(b, id, b.index(llvm::divideCeil(depth, columns))), b.index(columns));
  decodeQueryBlock(b, task, id, b.dim(op.getOutput(), 2), /*lastFirst=*/false);
  task.head = takeFastest(b, id, b.dim(op.getOutput(), 1));
  task.batch = id;
  return task;
}
