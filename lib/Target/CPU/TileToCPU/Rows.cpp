//===- Rows.cpp - Loops over rows and columns that compute elementwise work and reductions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// The tile whose elements a root goes through.
static Value getDomain(const Root &root) {
  if (auto reduce = dyn_cast_or_null<tile::RowReduceOp>(root.op))
    return reduce.getTile();
  if (auto store = dyn_cast_or_null<tile::StoreOp>(root.op))
    return store.getTile();
  return root.value;
}

static bool isPerRow(const Root &root) { return getTileType(getDomain(root)).getRank() == 1; }

//===----------------------------------------------------------------------===//
// Groups of rows
//===----------------------------------------------------------------------===//

void TileLowering::emitRowRoots(ArrayRef<SmallVector<Root *>> stages) {
  llvm::SmallSetVector<int64_t, 2> heights;
  for (const SmallVector<Root *> &stage : stages)
    for (Root *root : stage)
      heights.insert(getTileType(getDomain(*root)).getDimSize(0));
  for (int64_t rows : heights) {
    SmallVector<SmallVector<Root *>> selected;
    for (const SmallVector<Root *> &stage : stages)
      selected.push_back(llvm::to_vector(llvm::make_filter_range(
          stage, [&](Root *root) { return getTileType(getDomain(*root)).getDimSize(0) == rows; })));
    emitRowGroups(selected, rows);
  }
}

void TileLowering::finish(ArrayRef<Root *> stage) {
  for (Root *root : stage)
    if (root->isDefinition)
      ready.insert(root->value);
}

void TileLowering::emitRowGroups(ArrayRef<SmallVector<Root *>> stages, int64_t rows) {
  Value active = getActiveRows(rows);
  if (!wide || rows != blockRows) {
    loop(constant(0), active, 1, [&](Value row) {
      for (const SmallVector<Root *> &stage : stages) {
        emitSingleRow(stage, row);
        finish(stage);
      }
    });
    return;
  }
  forEachPanel([&](Value panel) {
    for (const SmallVector<Root *> &stage : stages)
      emitPanelStage(stage, panel);
  });
}

/// Computes the roots of one stage for one row panel.
void TileLowering::emitPanelStage(ArrayRef<Root *> stage, Value panel) {
  int64_t panelRows = machine.getPanelRows();
  auto inPanels = [&](Root *root) {
    // What is copied to a place may have no layout of its own.
    Layout layout = root->op ? getLayout(getDomain(*root)) : root->buffer.layout;
    return isPerRow(*root) || layout == Layout::RowPanels;
  };
  SmallVector<Root *> panels = llvm::to_vector(llvm::make_filter_range(stage, inPanels));
  SmallVector<Root *> others =
      llvm::to_vector(llvm::make_filter_range(stage, [&](Root *root) { return !inPanels(root); }));
  emitPanel(panels, panel);
  if (!others.empty()) {
    Value begin = mul(panel, panelRows), end = minimum(add(begin, panelRows), getActiveRows(blockRows));
    loop(begin, end, 1, [&](Value row) { emitSingleRow(others, row); });
  }
  finish(stage);
}

void TileLowering::emitPanel(ArrayRef<Root *> stage, Value panel) {
  SmallVector<RowPosition> rows = getPanelRows(panel);
  SmallVector<Root *> others;
  for (Root *root : stage) {
    auto store = dyn_cast_or_null<tile::StoreOp>(root->op);
    if (!store || isPerRow(*root)) {
      others.push_back(root);
      continue;
    }
    for (RowPosition &position : rows)
      emitPanelStore(store, position);
  }
  emitDomains(others, rows);
}

void TileLowering::emitSingleRow(ArrayRef<Root *> stage, Value row) {
  SmallVector<RowPosition> rows(1);
  rows[0].row = row;
  emitDomains(stage, rows);
}

void TileLowering::emitDomains(ArrayRef<Root *> stage, MutableArrayRef<RowPosition> rows) {
  llvm::MapVector<int64_t, SmallVector<Root *>> byCols;
  for (Root *root : stage) {
    if (isPerRow(*root)) {
      for (RowPosition &position : rows)
        emitPerRow(*root, position);
      continue;
    }
    byCols[getTileType(getDomain(*root)).getDimSize(1)].push_back(root);
  }
  for (auto &[cols, selected] : byCols)
    emitColumns(selected, rows, cols);
}

void TileLowering::emitPerRow(const Root &root, RowPosition &rows) {
  Value vector = evaluateAt(getDomain(root), rows, nullptr);
  if (auto store = dyn_cast_or_null<tile::StoreOp>(root.op))
    return emitStoreVector(getStoreSpan(store), vector, rows, nullptr);
  writeBuffer(root.buffer, vector, rows, nullptr);
}

Span TileLowering::getStoreSpan(tile::StoreOp store) {
  return getSpan(store.getDestination(), store.getIndices(), store.getRowLimit(), store.getColLimit(),
                 store.getRowDim(), getTileType(store.getTile()));
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// The starting value of a reduction.
static TypedAttr getNeutral(tile::ReduceKind kind, VectorType type) {
  Builder b(type.getContext());
  if (kind == tile::ReduceKind::Sum)
    return b.getZeroAttr(type);
  if (auto real = dyn_cast<FloatType>(type.getElementType())) {
    APFloat infinity = APFloat::getInf(real.getFloatSemantics(), /*Negative=*/true);
    return DenseElementsAttr::get(type, infinity);
  }
  return DenseElementsAttr::get(type, APInt::getSignedMinValue(type.getElementTypeBitWidth()));
}

/// Combines, the running value last: a NaN in `value` leaves a maximum as it is.
Value TileLowering::combine(tile::ReduceKind kind, Value value, Value running) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value));
  if (kind == tile::ReduceKind::Sum)
    return isFloat ? Value(arith::AddFOp::create(b, running, value)) : arith::AddIOp::create(b, running, value);
  if (!isFloat)
    return arith::MaxSIOp::create(b, running, value);
  Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, value, running);
  return arith::SelectOp::create(b, isLarger, value, running);
}

void TileLowering::prepareRows(Value tile, RowPosition &rows, DenseSet<Value> &seen) {
  if (!isTile(tile) || ready.contains(tile) || !seen.insert(tile).second)
    return;
  if (getTileType(tile).getRank() == 1) {
    evaluateAt(tile, rows, nullptr);
    return;
  }
  Operation *op = tile.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<tile::BroadcastOp>(op))
    evaluateAt(broadcast.getRows(), rows, nullptr);
  else if (op && !isBarrier(op))
    for (Value operand : op->getOperands())
      prepareRows(operand, rows, seen);
}

/// Selects the neutral element in lanes past the last column of a row.
Value TileLowering::maskColumns(tile::RowReduceOp reduce, Value vector, Position &at) {
  int64_t cols = getTileType(reduce.getTile()).getDimSize(1);
  if (at.rows->isAlongRows() || cols % at.width == 0)
    return vector;
  Value valid = vector::CreateMaskOp::create(b, VectorType::get(at.width, b.getI1Type()),
                                             arith::SubIOp::create(b, constant(cols), at.col).getResult());
  auto type = cast<VectorType>(vector.getType());
  Value neutral = arith::ConstantOp::create(b, type, getNeutral(reduce.getKind(), type));
  return arith::SelectOp::create(b, valid, vector, neutral);
}

/// Computes the roots at one position and returns the new values of their reductions.
void TileLowering::emitAt(ArrayRef<Root *> stage, Position &at, MutableArrayRef<Value> running) {
  int64_t next = 0;
  for (Root *root : stage) {
    Value vector = evaluateAt(getDomain(*root), *at.rows, &at);
    if (auto reduce = dyn_cast_or_null<tile::RowReduceOp>(root->op)) {
      running[next] = combine(reduce.getKind(), maskColumns(reduce, vector, at), running[next]);
      ++next;
    } else if (auto store = dyn_cast_or_null<tile::StoreOp>(root->op)) {
      emitStoreVector(getStoreSpan(store), vector, *at.rows, &at);
    } else if (root->buffer.isPairs()) {
      writePair(root->buffer, vector, at);
    } else {
      writeBuffer(root->buffer, vector, *at.rows, &at);
    }
  }
}

/// The vector of an even column waits for that of the odd one, which writes both, rounded to bf16.
void TileLowering::writePair(const Buffer &buffer, Value vector, Position &at) {
  std::pair<Value, int64_t> key(buffer.memref, at.rows->lane);
  Value even = evenVectors.lookup(key);
  if (!even) {
    evenVectors[key] = vector;
    return;
  }
  evenVectors.erase(key);
  // The instruction puts its second operand first.
  int64_t width = at.width;
  auto type = VectorType::get(2 * width, b.getBF16Type());
  Value rounded =
      LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr("llvm.x86.avx512bf16.cvtne2ps2bf16.512"), {vector, even})
          .getResult(0);
  Value bits = arith::BitcastOp::create(b, type.clone(b.getI16Type()), rounded);
  SmallVector<int64_t> lanes;
  for (int64_t i = 0; i < width; ++i)
    lanes.append({i, i + width});
  Value words = vector::ShuffleOp::create(b, bits, bits, lanes);
  // Columns lie `step` halves apart on average: two of them share words.
  Value evenCol = arith::SubIOp::create(b, at.col, constant(1));
  Value offset = add(mul(getPanelOffset(buffer, at.rows->panel), 2), mul(evenCol, buffer.step));
  storeVector(words, buffer.memref, add(offset, 2 * at.rows->lane));
}

void TileLowering::emitColumns(ArrayRef<Root *> stage, MutableArrayRef<RowPosition> rows, int64_t cols) {
  bool alongRows = rows.front().isAlongRows();
  int64_t width = machine.vectorWidth, steps = alongRows ? cols : llvm::divideCeil(cols, width);
  bool hasPairs = llvm::any_of(stage, [](Root *root) { return root->buffer.isPairs(); });
  int64_t stride = alongRows ? 1 : width, unroll = !alongRows ? 4 : hasPairs ? 2 : 1;
  while (steps % unroll != 0)
    unroll /= 2;
  for (RowPosition &position : rows) {
    DenseSet<Value> seen;
    for (Root *root : stage)
      prepareRows(getDomain(*root), position, seen);
  }
  SmallVector<tile::RowReduceOp> reductions;
  for (Root *root : stage)
    if (auto reduce = dyn_cast_or_null<tile::RowReduceOp>(root->op))
      reductions.push_back(reduce);
  // Every position of an iteration has running values of its own: one chain of dependences each.
  SmallVector<Value> inits;
  for (int64_t i = 0, e = unroll * rows.size(); i < e; ++i)
    for (tile::RowReduceOp reduce : reductions) {
      auto type = VectorType::get(width, getTileType(reduce.getTile()).getElementType());
      inits.push_back(arith::ConstantOp::create(b, type, getNeutral(reduce.getKind(), type)));
    }
  SmallVector<Value> results =
      loop(constant(0), constant(steps * stride), unroll * stride, inits, [&](Value col, ValueRange args) {
        SmallVector<Value> running = llvm::to_vector(args);
        MutableArrayRef<Value> rest = running;
        for (int64_t i = 0; i < unroll; ++i)
          for (RowPosition &position : rows) {
            Position at{&position, add(col, i * stride), width};
            emitAt(stage, at, rest.take_front(reductions.size()));
            rest = rest.drop_front(reductions.size());
          }
        return running;
      });
  finishReductions(stage, rows, results, unroll);
}

static vector::CombiningKind getCombiningKind(tile::ReduceKind kind, Type element) {
  if (kind == tile::ReduceKind::Sum)
    return vector::CombiningKind::ADD;
  return isa<FloatType>(element) ? vector::CombiningKind::MAXNUMF : vector::CombiningKind::MAXSI;
}

/// Combines the running values of each row with the starting value and writes the result.
void TileLowering::finishReductions(ArrayRef<Root *> stage, MutableArrayRef<RowPosition> rows, ArrayRef<Value> running,
                                    int64_t unroll) {
  int64_t count = 0, numReductions = running.size() / (unroll * rows.size());
  for (Root *root : stage) {
    auto reduce = dyn_cast_or_null<tile::RowReduceOp>(root->op);
    if (!reduce)
      continue;
    Type element = getTileType(reduce.getTile()).getElementType();
    for (auto [i, position] : llvm::enumerate(rows)) {
      Value value = running[i * numReductions + count];
      for (int64_t u = 1; u < unroll; ++u)
        value = combine(reduce.getKind(), running[(u * rows.size() + i) * numReductions + count], value);
      if (!position.isAlongRows())
        value = splat(vector::ReductionOp::create(b, getCombiningKind(reduce.getKind(), element), value,
                                                  arith::FastMathFlags::reassoc),
                      1);
      Value init = evaluateAt(reduce.getInit(), position, nullptr);
      bool isMaxOfFloats = reduce.getKind() == tile::ReduceKind::Max && isa<FloatType>(element);
      value = isMaxOfFloats ? Value(arith::MaxNumFOp::create(b, value, init)) : combine(reduce.getKind(), value, init);
      position.values[root->value] = value;
      writeBuffer(root->buffer, value, position, nullptr);
    }
    ++count;
  }
}
