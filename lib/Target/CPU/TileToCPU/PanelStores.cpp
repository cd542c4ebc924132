//===- PanelStores.cpp - Stores of tiles in row panels -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Stores a square whose vectors are rows at (row, col): whole vectors, or elements where it crosses a limit or the
/// columns are not contiguous.
void TileLowering::emitStoreSquare(const Span &span, Value row, Value col, ArrayRef<Value> vectors) {
  int64_t width = vectors.size();
  Value inRows = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, add(row, width), span.validRows);
  Value inCols = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, add(col, width), span.validCols);
  Value isWhole = arith::AndIOp::create(b, arith::AndIOp::create(b, inRows, inCols), span.isUnit);
  auto branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  inside(branch.thenBlock(), [&] {
    for (auto [i, vector] : llvm::enumerate(vectors))
      storeVector(vector, span.flat, getElementAddress(span, add(row, i), col));
  });
  Type element = cast<VectorType>(vectors.front().getType()).getElementType();
  OpBuilder atEntry(entry, entry->begin());
  Value square =
      memref::AllocOp::create(atEntry, b.getLoc(), MemRefType::get({width * width}, element), b.getI64IntegerAttr(64));
  inside(branch.elseBlock(), [&] {
    for (auto [i, vector] : llvm::enumerate(vectors))
      storeVector(vector, square, constant(i * width));
    auto rest = [&](Value valid, Value begin) { return clamp(arith::SubIOp::create(b, valid, begin), width); };
    Value rows = rest(span.validRows, row), cols = rest(span.validCols, col);
    loop(constant(0), rows, 1, [&](Value r) {
      loop(constant(0), cols, 1, [&](Value c) {
        Value value = memref::LoadOp::create(b, square, add(mul(r, width), c));
        memref::StoreOp::create(
            b, value, span.flat,
            getElementAddress(span, arith::AddIOp::create(b, row, r), arith::AddIOp::create(b, col, c)));
      });
    });
  });
}

/// Stores the rows of one vector. Their columns are vectors: squares of them are transposed, the rest goes by lanes.
void TileLowering::emitPanelStore(tile::StoreOp store, RowPosition &rows) {
  Value tile = store.getTile();
  Span span = getStoreSpan(store);
  int64_t width = machine.vectorWidth, cols = getTileType(tile).getDimSize(1), whole = cols / width * width;
  DenseSet<Value> seen;
  prepareRows(tile, rows, seen);
  loop(constant(0), constant(whole), width, [&](Value col) {
    SmallVector<Value> vectors;
    for (int64_t i = 0; i < width; ++i) {
      Position at{&rows, add(col, i), width};
      vectors.push_back(toMemory(evaluateAt(tile, rows, &at)));
    }
    emitStoreSquare(span, rows.row, col, transpose(vectors));
  });
  loop(constant(whole), constant(cols), 1, [&](Value col) {
    Position at{&rows, col, width};
    emitStoreLanes(span, toMemory(evaluateAt(tile, rows, &at)), rows, &at);
  });
}
