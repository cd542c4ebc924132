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
  bool lastFirst = op.isBoundedOnRight();
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

/// Heads whose blocks take turns in the order of their lengths: enough that the blocks of a round are about as long as
/// each other, and few, so that more programs of a head read its keys at about the same time. Half as many where heads
/// have twice as many blocks; always the most where three warpgroups leave no registers for that, which read keys less
/// often.
static constexpr int64_t kMostHeadsOfGroup = 16, kManyBlocks = 64, kRowsOfTwoWarpgroups = 128;

namespace {
/// The loop of a persistent program.
class PersistentLoop {
public:
  PersistentLoop(TileBuilder &b, attn::AttentionOp op)
      : b(b), op(op), numRows(op.getStrategy()->getBlockM()), cluster(op.getStrategy()->getCluster()) {
    if (op.getStrategy()->getLongestFirst())
      order = Order::LongestFirst;
    else if (op.isBoundedOnRight())
      order = Order::Pairs;
  }

  void build(llvm::function_ref<void(const Task &task)> buildTask) {
    begin();
    auto loop = scf::ForOp::create(b, id, total, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    if (order == Order::Single)
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
    Value first = order == Order::Single ? Value() : b.index(0);
    // A program without an item begins that of the last one in vain.
    Value carried = buildFirst(decode(b.min(id, b.sub(total, b.index(1))), first));
    auto loop = scf::ForOp::create(b, id, total, step, carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value item = loop.getInductionVar();
    if (order == Order::Single) {
      Task task = decode(item, Value()), next = decode(getNextItem(item), Value());
      scf::YieldOp::create(b, buildTask(task, next, loop.getRegionIterArg(0)));
      return;
    }
    Value numHalves = b.select(hasOneHalf(item), b.index(1), b.index(2));
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
  /// What an item of a program is.
  enum class Order {
    /// One block of queries.
    Single,
    /// Two blocks of a head, the last one and the first, the last but one and the second: as many keys as any other.
    Pairs,
    /// Two places in the order of lengths. With p programs, program i takes the places i and 2p - 1 - i of each 2p: the
    /// sums of two rounds are equal where lengths fall or rise steadily. They fall in the last group of heads, whose
    /// last blocks are short, rise in the one before, and so on, so that they do not leap between groups.
    LongestFirst
  };
  /// A block of queries of one of all heads of all batches.
  struct Place {
    Value head, block;
  };

  /// The program's first item, and what all items share.
  void begin() {
    id = tile::ProgramIdOp::create(b, b.getIndexType());
    step = tile::NumProgramsOp::create(b, b.getIndexType());
    // The programs of a cluster take neighbouring blocks of queries.
    member = b.createOrFold<arith::RemUIOp>(id, b.index(cluster));
    id = b.createOrFold<arith::DivUIOp>(id, b.index(cluster));
    step = b.createOrFold<arith::DivUIOp>(step, b.index(cluster));
    queries = b.dim(op.getQuery(), 2);
    queryHeads = b.dim(op.getQuery(), 1);
    allHeads = b.mul(b.dim(op.getQuery(), 0), queryHeads);
    numBlocks = b.ceilDiv(queries, b.index(numRows));
    // An item is one block of queries, a pair, or one for each member of a cluster.
    numItems = b.ceilDiv(numBlocks, b.index(order == Order::Pairs ? 2 : cluster));
    total = b.mul(allHeads, numItems);
    group = divideTasks(b, queryHeads, b.dim(op.getKey(), 1)).first;
    if (order != Order::LongestFirst)
      return;
    Value one = b.index(1), two = b.index(2);
    step = b.mul(step, two);
    toSecond = b.sub(b.sub(step, one), b.mul(id, two));
    auto halveFrom = [&](Value size, int64_t blocks) {
      return b.select(isBelow(numBlocks, b.index(blocks)), size, b.floorDiv(size, two));
    };
    groupHeads = b.index(kMostHeadsOfGroup);
    if (numRows <= kRowsOfTwoWarpgroups)
      groupHeads = halveFrom(halveFrom(groupHeads, kManyBlocks), 2 * kManyBlocks);
    lastGroup = b.sub(b.ceilDiv(allHeads, groupHeads), one);
  }

  /// The program's item behind `item`, or `item` where it is the last one.
  Value getNextItem(Value item) {
    Value next = b.add(item, step);
    return b.select(isBelow(next, total), next, item);
  }

  Value isBelow(Value lhs, Value rhs) { return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lhs, rhs); }

  /// Whether both blocks of a pair are the middle one.
  Value isMiddle(Value block, Value mirrored) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, block, mirrored);
  }

  /// The block that makes a pair with `block`: as far from the last one as that is from the first.
  Value getMirrored(Value block) { return b.sub(b.sub(numBlocks, b.index(1)), block); }

  /// Whether the second half of an item is no task.
  Value hasOneHalf(Value item) {
    if (order == Order::LongestFirst)
      return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, b.add(item, toSecond), total);
    Value block = divideTasks(b, item, numItems).second;
    return isMiddle(block, getMirrored(block));
  }

  /// The block of a place in the order of lengths.
  Place locate(Value place) {
    auto [number, rest] = divideTasks(b, place, b.mul(numBlocks, groupHeads));
    Value firstHead = b.mul(number, groupHeads), heads = b.min(b.sub(allHeads, firstHead), groupHeads);
    auto [rank, head] = divideTasks(b, rest, heads);
    Value parity = b.createOrFold<arith::AndIOp>(b.sub(lastGroup, number), b.index(1));
    Value falls = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, parity, b.index(0));
    return {b.add(firstHead, head), b.select(falls, getMirrored(rank), rank)};
  }

  /// `half` of an item of two: of a pair 0 for its last block and 1 for its first, which is the same one in the middle
  /// of an odd number. `isOwnTask`: the half is a task.
  Place locate(Value item, Value half) {
    auto isSecond = [&] { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, half, b.index(1)); };
    if (order == Order::LongestFirst) {
      Value place = b.add(item, b.select(isSecond(), toSecond, b.index(0)));
      isOwnTask = isBelow(place, total);
      return locate(b.min(place, b.sub(total, b.index(1))));
    }
    auto [head, block] = divideTasks(b, item, numItems);
    if (order == Order::Single)
      return {head, block};
    Value mirrored = getMirrored(block), isFirstBlock = isSecond();
    Value isRepeated = arith::AndIOp::create(b, isFirstBlock, isMiddle(block, mirrored));
    isOwnTask = arith::XOrIOp::create(b, isRepeated, arith::ConstantIntOp::create(b, 1, 1));
    return {head, b.select(isFirstBlock, block, mirrored)};
  }

  Task decode(Value item, Value half) {
    Task task;
    task.numRows = numRows;
    auto [head, block] = locate(item, half);
    if (cluster > 1)
      block = b.add(b.mul(block, b.index(cluster)), member);
    placeQueryBlock(b, task, block, queries);
    if (cluster > 1)
      task.rowLimit = queries;
    std::tie(task.batch, task.head) = divideTasks(b, head, queryHeads);
    task.kvHead = divideTasks(b, task.head, group).first;
    return task;
  }

  TileBuilder &b;
  attn::AttentionOp op;
  int64_t numRows, cluster;
  Order order = Order::Single;
  /// `step`: from one item of the program to its next. `toSecond`: from the first place of an item to its second one.
  Value id, step, total, member, queries, queryHeads, allHeads, group, numBlocks, numItems, isOwnTask, toSecond,
      groupHeads, lastGroup;
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
