//===- PairTransfers.cpp - Pairs of bf16 from the caller's memory to scratch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// A bf16 below 2^-40: the bits without a sign are from 1 up to these.
static constexpr int64_t kSmallEnd = 0x2b80;

/// Sets all of a buffer to 0 where the tile does not fill it.
void TileLowering::emitZeroFill(const Buffer &buffer, bool isAlways, const Span &span) {
  auto fill = [&] {
    auto memory = cast<MemRefType>(buffer.memref.getType());
    auto type = VectorType::get(Machine::kTileElements, memory.getElementType());
    Value zero = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
    loop(constant(0), constant(memory.getNumElements()), Machine::kTileElements,
         [&](Value at) { storeVector(zero, buffer.memref, at); });
  };
  if (isAlways)
    return fill();
  auto isLess = [&](Value value, int64_t whole) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value, constant(whole));
  };
  int64_t cols = span.cols;
  Value isPart = arith::OrIOp::create(b, isLess(span.validRows, buffer.rows), isLess(span.validCols, cols));
  auto branch = scf::IfOp::create(b, isPart, /*withElseRegion=*/false);
  inside(branch.thenBlock(), fill);
}

/// Loads the elements of one row from column `begin` on, one by one.
void TileLowering::emitPairElements(const Span &span, const Buffer &buffer, Value row, Value begin) {
  loop(begin, span.validCols, 1, [&](Value col) {
    Value element = memref::LoadOp::create(b, span.flat, getElementAddress(span, row, col));
    memref::StoreOp::create(b, element, buffer.memref, getElementOffset(buffer, row, col));
  });
}

namespace {
/// The rows and columns that are loaded at once: a row of keys; as many pairs of queries or values as lanes.
struct Square {
  int64_t rows, cols;
};
} // namespace

static Square getSquare(Layout layout) {
  if (layout == Layout::Rows)
    return {1, Machine::kTileElements};
  return layout == Layout::RowPanels ? Square{Machine::kTileRows, Machine::kTileElements}
                                     : Square{Machine::kTileElements, Machine::kTileRows};
}

/// Loads the square at (row, col) by vectors.
void TileLowering::emitPairSquare(const Span &span, const Buffer &buffer, Value row, Value col) {
  int64_t width = machine.vectorWidth;
  auto words = VectorType::get(width, b.getI32Type());
  auto load = [&](int64_t r, int64_t elements) {
    Value offset = add(add(span.start, mul(add(row, r), span.rowStride)), col);
    return loadVector(span.flat, offset, elements);
  };
  if (buffer.layout == Layout::Rows)
    return storeVector(load(0, 2 * width), buffer.memref, getElementOffset(buffer, row, col));
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < width; ++i) {
    if (buffer.isWide()) {
      vectors.push_back(vector::BitCastOp::create(b, words, load(i, 2 * width)));
      continue;
    }
    Value low = arith::ExtUIOp::create(b, words, load(2 * i, width));
    Value high = arith::ExtUIOp::create(b, words, load(2 * i + 1, width));
    Value shift =
        arith::ConstantOp::create(b, words, DenseElementsAttr::get(words, b.getI32IntegerAttr(16).getValue()));
    vectors.push_back(arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, shift)));
  }
  for (auto [i, vector] : llvm::enumerate(transpose(vectors))) {
    // Of queries, vector i has the i-th pair of every row; of values, the pairs of keys of the i-th column.
    Value offset =
        buffer.isWide() ? getElementOffset(buffer, row, add(col, 2 * i)) : getElementOffset(buffer, row, add(col, i));
    auto halves = VectorType::get(2 * width, b.getI16Type());
    storeVector(vector::BitCastOp::create(b, halves, vector), buffer.memref, offset);
  }
}

/// Loads a tile as pairs: squares by vectors where the columns are contiguous, the rest by elements.
void TileLowering::emitLoadPairs(const Span &span, const Buffer &buffer) {
  Square square = getSquare(buffer.layout);
  bool isPadded = span.cols % square.cols != 0 || buffer.rows % square.rows != 0 ||
                  (buffer.isWide() && buffer.rows % buffer.step != 0);
  emitZeroFill(buffer, isPadded, span);
  auto branch = scf::IfOp::create(b, span.isUnit, /*withElseRegion=*/true);
  inside(branch.thenBlock(), [&] {
    auto roundDown = [&](Value value, int64_t step) {
      return mul(arith::DivUIOp::create(b, value, constant(step)), step);
    };
    Value wholeRows = roundDown(span.validRows, square.rows), wholeCols = roundDown(span.validCols, square.cols);
    loop(constant(0), wholeRows, square.rows, [&](Value row) {
      loop(constant(0), wholeCols, square.cols, [&](Value col) { emitPairSquare(span, buffer, row, col); });
      loop(row, add(row, square.rows), 1, [&](Value rest) { emitPairElements(span, buffer, rest, wholeCols); });
    });
    loop(wholeRows, span.validRows, 1, [&](Value row) { emitPairElements(span, buffer, row, constant(0)); });
  });
  inside(branch.elseBlock(), [&] {
    loop(constant(0), span.validRows, 1, [&](Value row) { emitPairElements(span, buffer, row, constant(0)); });
  });
}

/// Whether a buffer has a small number that is not 0: then the least of the bits without a sign, less 1, is small too.
Value TileLowering::emitHasSmall(const Buffer &buffer) {
  auto memory = cast<MemRefType>(buffer.memref.getType());
  auto type = VectorType::get(Machine::kTileElements, memory.getElementType());
  auto constantOf = [&](int64_t value) {
    return arith::ConstantOp::create(b, type, DenseElementsAttr::get(type, APInt(16, value)));
  };
  Value magnitude = constantOf(0x7fff), one = constantOf(1), most = constantOf(0xffff);
  SmallVector<Value> least =
      loop(constant(0), constant(memory.getNumElements()), Machine::kTileElements, {most},
           [&](Value at, ValueRange args) -> SmallVector<Value> {
             Value bits = arith::AndIOp::create(b, loadVector(buffer.memref, at, Machine::kTileElements), magnitude);
             return {arith::MinUIOp::create(b, args[0], arith::SubIOp::create(b, bits, one))};
           });
  Value all = vector::ReductionOp::create(b, vector::CombiningKind::MINUI, least[0]);
  Value end = arith::ConstantOp::create(b, b.getI16IntegerAttr(kSmallEnd - 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, all, end);
}
