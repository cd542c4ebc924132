//===- BlockList.cpp - Lists of blocks as scalar code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Task.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

namespace {
/// Builds the list of a row of states. Each block of keys has a task, which finds the place of its block by counting
/// the states of the whole row; one task more writes their numbers. No task waits for what another wrote.
class BlockLister {
public:
  BlockLister(TileBuilder &b, attn::BlockListOp op) : b(b), op(op) {}
  void run();

private:
  /// Numbers of blocks, i32: of all the row, and of those before `block`.
  struct Counts {
    Value partial, full, partialBefore, fullBefore;
  };
  Value isState(Value state, int64_t value) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, state, b.i32(value));
  }
  Value loadState(Value at) {
    SmallVector<Value> indices(row);
    indices.push_back(at);
    return memref::LoadOp::create(b, op.getStates(), indices);
  }
  Value increment(Value number, Value condition) {
    return b.createOrFold<arith::AddIOp>(number, arith::ExtUIOp::create(b, b.getI32Type(), condition));
  }
  void store(Value value, Value position) {
    SmallVector<Value> indices(row);
    indices.push_back(b.createOrFold<arith::IndexCastOp>(b.getIndexType(), position));
    memref::StoreOp::create(b, value, op.getList(), indices);
  }
  Counts count();
  void storeBlock(const Counts &counts);

  TileBuilder &b;
  attn::BlockListOp op;
  SmallVector<Value> row;
  Value block;
};
} // namespace

BlockLister::Counts BlockLister::count() {
  SmallVector<Value> none(4, b.i32(0));
  auto buildBody = [&](OpBuilder &nested, Location, Value at, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    Value state = loadState(at), isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, block);
    SmallVector<Value> next;
    Value isPartial = isState(state, attn::kPartialBlock), isFull = isState(state, attn::kFullBlock);
    Value conditions[] = {isPartial, isFull, arith::AndIOp::create(b, isPartial, isBefore),
                          arith::AndIOp::create(b, isFull, isBefore)};
    for (auto [number, condition] : llvm::zip_equal(carried, conditions))
      next.push_back(increment(number, condition));
    scf::YieldOp::create(b, next);
  };
  auto loop = scf::ForOp::create(b, b.index(0), b.dim(op.getStates(), 3), b.index(1), none, buildBody);
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2), loop.getResult(3)};
}

/// The partial blocks come first.
void BlockLister::storeBlock(const Counts &counts) {
  Value state = loadState(block), isPartial = isState(state, attn::kPartialBlock);
  Value listed = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, state, b.i32(attn::kNeverBlock));
  auto branch = scf::IfOp::create(b, listed, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value behind = b.createOrFold<arith::AddIOp>(counts.partial, counts.fullBefore);
  Value place =
      b.createOrFold<arith::AddIOp>(b.select(isPartial, counts.partialBefore, behind), b.i32(attn::kListHeader));
  store(b.createOrFold<arith::IndexCastOp>(b.getI32Type(), block), place);
}

void BlockLister::run() {
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(3))
    sizes.push_back(b.dim(op.getStates(), dim));
  sizes.push_back(b.add(b.dim(op.getStates(), 3), b.index(1)));
  row = beginScalarTask(b, sizes);
  block = b.sub(row.pop_back_val(), b.index(1));
  Counts counts = count();
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, block, b.index(0));
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  store(counts.partial, b.i32(attn::kListPartial));
  store(b.createOrFold<arith::AddIOp>(counts.partial, counts.full), b.i32(attn::kListAll));
  b.setInsertionPointToStart(branch.elseBlock());
  storeBlock(counts);
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

/// The place of a row is the number of those before it: with more blocks, or as many and a lower number.
static void buildOrder(TileBuilder &b, attn::BlockOrderOp op) {
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(3))
    sizes.push_back(b.dim(op.getList(), dim));
  SmallVector<Value> table = beginScalarTask(b, sizes);
  Value row = table.pop_back_val(), number = loadNumber(b, op, table, row);
  auto buildBody = [&](OpBuilder &nested, Location, Value other, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) -> Value {
      return arith::CmpIOp::create(b, predicate, lhs, rhs);
    };
    Value theirs = loadNumber(b, op, table, other), isEqual = compare(arith::CmpIPredicate::eq, theirs, number);
    Value wins = arith::AndIOp::create(b, isEqual, compare(arith::CmpIPredicate::slt, other, row));
    Value isBefore = arith::OrIOp::create(b, compare(arith::CmpIPredicate::sgt, theirs, number), wins);
    scf::YieldOp::create(b, b.add(carried[0], arith::IndexCastUIOp::create(b, b.getIndexType(), isBefore)));
  };
  auto loop = scf::ForOp::create(b, b.index(0), sizes[2], b.index(1), b.index(0), buildBody);
  SmallVector<Value> indices(table);
  indices.append({loop.getResult(0), b.index(attn::kListOrder)});
  memref::StoreOp::create(b, arith::IndexCastOp::create(b, b.getI32Type(), row), op.getList(), indices);
}

LogicalResult fovea::conversion::convertBlockOrder(attn::BlockOrderOp op) {
  TileBuilder b(op.getLoc(), op);
  buildOrder(b, op);
  op.erase();
  return success();
}
