//===- BlockList.cpp - Lists of blocks as scalar code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Lanes.h"
#include "Task.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// Elements that a lane of several loads at a time: independent loads, which are in flight together.
static constexpr int64_t kLoadsInFlight = 4;

namespace {
/// Walks over the elements of a row, which the lanes of a task share out: an element a lane, then the next ones.
class RowWalk {
public:
  RowWalk(const Lanes &lanes, Value size) : lanes(lanes), size(size), rounds(lanes.areMany() ? kLoadsInFlight : 1) {}

  /// An element of this lane; where it has none, one that exists and `exists`, i1; null: each exists.
  struct Element {
    Value index, exists;
  };
  /// Folds elements into `inits`, i32: `body` takes those of a few rounds, in ascending order, and what is carried.
  using Body = llvm::function_ref<SmallVector<Value>(ArrayRef<Element> elements, ValueRange carried)>;
  SmallVector<Value> build(TileBuilder &b, ArrayRef<Value> inits, Body body) const;

private:
  Element getElement(TileBuilder &b, Value at) const;

  const Lanes &lanes;
  Value size;
  int64_t rounds;
};
} // namespace

RowWalk::Element RowWalk::getElement(TileBuilder &b, Value at) const {
  if (!lanes.areMany())
    return {at, Value()};
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, size);
  return {b.min(at, b.sub(size, b.index(1))), exists};
}

SmallVector<Value> RowWalk::build(TileBuilder &b, ArrayRef<Value> inits, Body body) const {
  auto buildBody = [&](OpBuilder &nested, Location, Value at, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    SmallVector<Element> elements;
    Value first = lanes.getOwn(b, at);
    for (int64_t round : llvm::seq(rounds))
      elements.push_back(getElement(b, b.add(first, b.index(round * lanes.getCount()))));
    scf::YieldOp::create(b, body(elements, carried));
  };
  auto loop = scf::ForOp::create(b, b.index(0), size, b.index(rounds * lanes.getCount()), inits, buildBody);
  return llvm::to_vector_of<Value>(loop.getResults());
}

static Value addI32(TileBuilder &b, Value lhs, Value rhs) { return b.createOrFold<arith::AddIOp>(lhs, rhs); }

static Value increment(TileBuilder &b, Value number, Value condition) {
  return addI32(b, number, arith::ExtUIOp::create(b, b.getI32Type(), condition));
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
/// Builds the list of a row of states. The lanes count the partial and the full blocks, then each stores its blocks
/// behind those of the lanes before.
class BlockLister {
public:
  BlockLister(TileBuilder &b, attn::BlockListOp op) : b(b), op(op), lanes(op) {}
  void run();

private:
  Value isState(Value state, int64_t value) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, state, b.i32(value));
  }
  /// The states of a few blocks; a block that does not exist has no pair.
  SmallVector<Value> loadStates(ArrayRef<RowWalk::Element> elements);
  SmallVector<Value> getIndices(Value column) {
    SmallVector<Value> indices(row);
    indices.push_back(column);
    return indices;
  }
  void store(Value value, Value column) {
    Value index = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), column);
    memref::StoreOp::create(b, value, op.getList(), getIndices(index));
  }
  std::pair<Value, Value> count();
  /// Stores the block of each lane that `condition` holds in, from `column` on. Returns the column behind.
  Value storeBlocks(Value condition, Value block, Value column);
  void storeNumbers(Value partial, Value full);

  TileBuilder &b;
  attn::BlockListOp op;
  Lanes lanes;
  SmallVector<Value> row;
  std::optional<RowWalk> walk;
};
} // namespace

SmallVector<Value> BlockLister::loadStates(ArrayRef<RowWalk::Element> elements) {
  SmallVector<Value> states;
  for (const RowWalk::Element &element : elements)
    states.push_back(memref::LoadOp::create(b, op.getStates(), getIndices(element.index)));
  for (auto [state, element] : llvm::zip_equal(states, elements))
    if (element.exists)
      state = b.select(element.exists, state, b.i32(attn::kNeverBlock));
  return states;
}

/// Numbers of the partial and of the full blocks, i32.
std::pair<Value, Value> BlockLister::count() {
  auto body = [&](ArrayRef<RowWalk::Element> elements, ValueRange carried) {
    SmallVector<Value> numbers(carried);
    for (Value state : loadStates(elements)) {
      numbers[0] = increment(b, numbers[0], isState(state, attn::kPartialBlock));
      numbers[1] = increment(b, numbers[1], isState(state, attn::kFullBlock));
    }
    return numbers;
  };
  SmallVector<Value> own = walk->build(b, {b.i32(0), b.i32(0)}, body);
  return {lanes.reduce(b, tile::LaneReduceKind::Add, own[0]), lanes.reduce(b, tile::LaneReduceKind::Add, own[1])};
}

Value BlockLister::storeBlocks(Value condition, Value block, Value column) {
  auto [before, all] = lanes.countHolding(b, condition);
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  store(b.createOrFold<arith::IndexCastOp>(b.getI32Type(), block), addI32(b, column, before));
  b.setInsertionPointAfter(branch);
  return addI32(b, column, all);
}

void BlockLister::storeNumbers(Value partial, Value full) {
  OpBuilder::InsertionGuard guard(b);
  lanes.enterFirst(b);
  store(partial, b.i32(attn::kListPartial));
  store(addI32(b, partial, full), b.i32(attn::kListAll));
}

void BlockLister::run() {
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(3))
    sizes.push_back(b.dim(op.getStates(), dim));
  row = beginScalarTask(b, sizes, lanes.getCount());
  walk.emplace(lanes, b.dim(op.getStates(), 3));
  auto [partial, full] = count();
  storeNumbers(partial, full);
  // The partial blocks come first.
  Value firstPartial = b.i32(attn::kListHeader), firstFull = addI32(b, firstPartial, partial);
  walk->build(b, {firstPartial, firstFull}, [&](ArrayRef<RowWalk::Element> elements, ValueRange carried) {
    SmallVector<Value> columns(carried);
    // No load waits for a store.
    for (auto [state, element] : llvm::zip_equal(loadStates(elements), elements)) {
      columns[0] = storeBlocks(isState(state, attn::kPartialBlock), element.index, columns[0]);
      columns[1] = storeBlocks(isState(state, attn::kFullBlock), element.index, columns[1]);
    }
    return columns;
  });
}

LogicalResult fovea::conversion::convertBlockList(attn::BlockListOp op) {
  TileBuilder b(op.getLoc(), op);
  BlockLister(b, op).run();
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static Value loadNumber(TileBuilder &b, attn::BlockOrderOp op, ArrayRef<Value> table, Value row) {
  SmallVector<Value> indices(table);
  indices.append({row, b.index(attn::kListAll)});
  return memref::LoadOp::create(b, op.getList(), indices);
}

/// Whether the row `other`, of `theirs` blocks, comes before `row`, of `number`: with more blocks, or as many and a
/// lower number.
static Value comesBefore(TileBuilder &b, Value other, Value theirs, Value row, Value number) {
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  };
  Value wins = arith::AndIOp::create(b, compare(arith::CmpIPredicate::eq, theirs, number),
                                     compare(arith::CmpIPredicate::slt, other, row));
  return arith::OrIOp::create(b, compare(arith::CmpIPredicate::sgt, theirs, number), wins);
}

/// The place of a row is the number of those before it, which the lanes of its task count.
static void buildOrder(TileBuilder &b, attn::BlockOrderOp op) {
  Lanes lanes(op);
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(3))
    sizes.push_back(b.dim(op.getList(), dim));
  SmallVector<Value> table = beginScalarTask(b, sizes, lanes.getCount());
  Value row = table.pop_back_val(), number = loadNumber(b, op, table, row);
  auto body = [&](ArrayRef<RowWalk::Element> rows, ValueRange carried) {
    Value place = carried[0];
    for (const RowWalk::Element &other : rows) {
      Value isBefore = comesBefore(b, other.index, loadNumber(b, op, table, other.index), row, number);
      if (other.exists)
        isBefore = arith::AndIOp::create(b, other.exists, isBefore);
      place = increment(b, place, isBefore);
    }
    return SmallVector<Value>{place};
  };
  Value own = RowWalk(lanes, sizes[2]).build(b, {b.i32(0)}, body).front();
  Value place = lanes.reduce(b, tile::LaneReduceKind::Add, own);
  lanes.enterFirst(b);
  SmallVector<Value> indices(table);
  indices.append({b.toIndex(place), b.index(attn::kListOrder)});
  memref::StoreOp::create(b, arith::IndexCastOp::create(b, b.getI32Type(), row), op.getList(), indices);
}

LogicalResult fovea::conversion::convertBlockOrder(attn::BlockOrderOp op) {
  TileBuilder b(op.getLoc(), op);
  buildOrder(b, op);
  op.erase();
  return success();
}
