//===- Transfers.cpp - Between the caller's memory and scratch -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The type of `like`, a scalar or vector, with another element type.
static Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

Value TileLowering::fromMemory(Value value, Type element) {
  Type type = withElement(value.getType(), element);
  if (type == value.getType())
    return value;
  return element.isInteger(1) ? Value(arith::TruncIOp::create(b, type, value))
                              : arith::BitcastOp::create(b, type, value);
}

Value TileLowering::toMemory(Value value) {
  Type element = getElementTypeOrSelf(value), type = withElement(value.getType(), getMemoryType(element));
  if (type == value.getType())
    return value;
  return element.isInteger(1) ? Value(arith::ExtUIOp::create(b, type, value))
                              : arith::BitcastOp::create(b, type, value);
}

/// The whole buffer as a memref of unit stride whose element 0 is the element (0, 0, ...) of the original view.
Value TileLowering::flatten(memref::ExtractStridedMetadataOp metadata) {
  auto source = cast<MemRefType>(metadata.getBaseBuffer().getType());
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1});
  auto type = MemRefType::get({ShapedType::kDynamic}, source.getElementType(), layout, source.getMemorySpace());
  // The size is not known and not used: every access is in bounds by contract.
  SmallVector<OpFoldResult> sizes{Value(constant(std::numeric_limits<int64_t>::max()))}, strides{b.getIndexAttr(1)};
  Value flat = memref::ReinterpretCastOp::create(b, type, metadata.getBaseBuffer(), OpFoldResult(metadata.getOffset()),
                                                 sizes, strides);
  // Both types become the same descriptor of the LLVM dialect, so that the cast vanishes there.
  Type element = getMemoryType(source.getElementType());
  if (element == source.getElementType())
    return flat;
  auto moved = MemRefType::get(type.getShape(), element, layout, source.getMemorySpace());
  return UnrealizedConversionCastOp::create(b, moved, flat).getResult(0);
}

Span TileLowering::getSpan(Value memref, ValueRange indices, Value rowLimit, Value colLimit, int64_t rowDim,
                           RankedTensorType tile) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, scalar(memref));
  Span span;
  span.flat = flatten(metadata);
  span.element = tile.getElementType();
  span.rowStride = metadata.getStrides()[rowDim];
  span.start = constant(0);
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
    span.start = add(span.start, mul(scalar(index), stride));
  span.validRows = constant(tile.getDimSize(0));
  if (rowLimit)
    span.validRows = clamp(arith::SubIOp::create(b, scalar(rowLimit), scalar(indices[rowDim])), tile.getDimSize(0));
  if (tile.getRank() == 1) {
    span.colStride = span.validCols = constant(1);
  } else {
    // Columns end at the last dimension's size, which is static for Q, K, V and O.
    span.colStride = metadata.getStrides().back();
    Value limit = colLimit ? scalar(colLimit) : Value(metadata.getSizes().back());
    if (colLimit)
      limit = minimum(limit, metadata.getSizes().back());
    Value rest = arith::SubIOp::create(b, limit, scalar(indices.back()));
    span.validCols = clamp(rest, tile.getDimSize(1));
    auto type = cast<MemRefType>(memref.getType());
    span.cols = std::min(type.getShape().back(), tile.getDimSize(1));
    bool isWhole = !colLimit && type.getShape().back() == tile.getDimSize(1) && matchPattern(indices.back(), m_Zero());
    if (isWhole)
      span.validCols = constant(tile.getDimSize(1));
  }
  span.isUnit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, span.colStride, constant(1));
  return span;
}

Span TileLowering::getBufferSpan(const Buffer &buffer) {
  Span span;
  span.flat = buffer.memref;
  span.element = cast<MemRefType>(buffer.memref.getType()).getElementType();
  span.rowStride = constant(buffer.step);
  span.start = constant(0);
  span.validRows = constant(buffer.rows);
  span.validCols = constant(buffer.cols);
  span.cols = buffer.cols;
  span.colStride = constant(1);
  return span;
}

Value TileLowering::getElementAddress(const Span &span, Value row, Value col) {
  return add(add(span.start, mul(row, span.rowStride)), mul(col, span.colStride));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Position of element (row, col) of a buffer of any layout.
Value TileLowering::getElementOffset(const Buffer &buffer, Value row, Value col) {
  if (buffer.isPairs() && buffer.isWide()) {
    // As in a panel of words, of which the last coordinate picks a half.
    Value two = constant(2), half = arith::RemUIOp::create(b, col, two);
    Buffer words = buffer;
    words.words = nullptr;
    return add(mul(getElementOffset(words, row, arith::DivUIOp::create(b, col, two)), 2), half);
  }
  if (buffer.layout == Layout::Cols)
    return add(mul(col, 2 * buffer.step), row);
  if (buffer.layout == Layout::Rows)
    return add(mul(row, buffer.isPairs() ? 2 * buffer.step : buffer.step), col);
  bool rowPanels = buffer.layout == Layout::RowPanels;
  Value split = rowPanels ? row : col, other = rowPanels ? col : row;
  Value panel = arith::DivUIOp::create(b, split, constant(buffer.step));
  Value lane = arith::RemUIOp::create(b, split, constant(buffer.step));
  return add(add(mul(panel, buffer.step * (rowPanels ? buffer.cols : buffer.rows)), mul(other, buffer.step)), lane);
}

/// A scalar as scratch keeps it.
static Value toScalarStorage(ImplicitLocOpBuilder &b, Value element) {
  Type storage = getStorageType(element.getType());
  if (storage == element.getType())
    return element;
  if (isa<FloatType>(storage))
    return arith::ExtFOp::create(b, storage, element);
  return arith::ExtUIOp::create(b, storage, element);
}

Value TileLowering::getStorageZero(const Buffer &buffer) {
  Type storage = cast<MemRefType>(buffer.memref.getType()).getElementType();
  return arith::ConstantOp::create(b, b.getZeroAttr(storage));
}

Span TileLowering::emitLoad(tile::LoadOp load, const Buffer &buffer) {
  Span span = getSpan(load.getSource(), load.getIndices(), load.getRowLimit(), load.getColLimit(), load.getRowDim(),
                      getTileType(load.getTile()));
  if (buffer.isPairs()) {
    emitLoadPairs(span, buffer);
    hasSmall[load.getTile()] = emitHasSmall(buffer);
    return span;
  }
  auto rows = [&](bool vectors) {
    loop(constant(0), span.validRows, 1, [&](Value row) { emitLoadRow(span, buffer, row, constant(0), vectors); });
  };
  if (getTileType(load.getTile()).getRank() == 2) {
    auto branch = scf::IfOp::create(b, span.isUnit, /*withElseRegion=*/true);
    inside(branch.thenBlock(), [&] { buffer.isWide() ? emitLoadPanels(span, buffer) : rows(true); });
    inside(branch.elseBlock(), [&] { rows(false); });
  } else {
    rows(false);
  }
  loop(span.validRows, constant(getPaddedRows(buffer)), 1, [&](Value row) { emitZeros(buffer, row, constant(0)); });
  return span;
}

void TileLowering::emitZeros(const Buffer &buffer, Value row, Value firstCol) {
  loop(firstCol, constant(getPaddedCols(buffer)), 1, [&](Value col) {
    memref::StoreOp::create(b, getStorageZero(buffer), buffer.memref, getElementOffset(buffer, row, col));
  });
}

/// A vector of the caller's memory from (row, col) on, as scratch keeps it.
Value TileLowering::loadSpan(const Span &span, Value row, Value col) {
  Value offset = add(add(span.start, mul(row, span.rowStride)), col);
  return toStorage(fromMemory(loadVector(span.flat, offset, machine.vectorWidth), span.element));
}

void TileLowering::emitLoadRow(const Span &span, const Buffer &buffer, Value row, Value first, bool vectors) {
  if (vectors) {
    // Whole vectors first; a column panel is a whole number of vectors.
    int64_t width = machine.vectorWidth;
    Value whole = mul(arith::DivUIOp::create(b, span.validCols, constant(width)), width);
    loop(first, whole, width,
         [&](Value col) { storeVector(loadSpan(span, row, col), buffer.memref, getElementOffset(buffer, row, col)); });
    first = whole;
  }
  loop(first, span.validCols, 1, [&](Value col) {
    Value moved = memref::LoadOp::create(b, span.flat, getElementAddress(span, row, col));
    Value element = toScalarStorage(b, fromMemory(moved, span.element));
    memref::StoreOp::create(b, element, buffer.memref, getElementOffset(buffer, row, col));
  });
  emitZeros(buffer, row, span.validCols);
}

/// Transposes as many vectors as a vector has elements, by interleaving the halves of the list again and again.
SmallVector<Value> TileLowering::transpose(SmallVector<Value> vectors) {
  int64_t width = vectors.size();
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < width / 2; ++i) {
    low.append({i, i + width});
    high.append({i + width / 2, i + width / 2 + width});
  }
  for (int64_t step = 1; step < width; step *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < width / 2; ++i)
      for (const SmallVector<int64_t> &lanes : {low, high})
        next.push_back(vector::ShuffleOp::create(b, vectors[i], vectors[i + width / 2], lanes));
    vectors = next;
  }
  return vectors;
}

/// Loads rows into row panels: squares of whole vectors are transposed in registers, the rest moves by elements.
void TileLowering::emitLoadPanels(const Span &span, const Buffer &buffer) {
  int64_t width = machine.vectorWidth;
  Value wholeRows = mul(arith::DivUIOp::create(b, span.validRows, constant(width)), width);
  Value wholeCols = mul(arith::DivUIOp::create(b, span.validCols, constant(width)), width);
  loop(constant(0), wholeRows, width, [&](Value row) {
    loop(constant(0), wholeCols, width, [&](Value col) {
      SmallVector<Value> vectors;
      for (int64_t i = 0; i < width; ++i)
        vectors.push_back(loadSpan(span, add(row, i), col));
      for (auto [i, vector] : llvm::enumerate(transpose(vectors)))
        storeVector(vector, buffer.memref, getElementOffset(buffer, row, add(col, i)));
    });
    loop(row, add(row, width), 1, [&](Value rest) { emitLoadRow(span, buffer, rest, wholeCols, false); });
  });
  loop(wholeRows, span.validRows, 1, [&](Value row) { emitLoadRow(span, buffer, row, constant(0), false); });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores single lanes: any stride, any number of valid rows and columns.
void TileLowering::emitStoreLanes(const Span &span, Value vector, RowPosition &rows, Position *at) {
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t lane = 0; lane < width; ++lane) {
    Value row = rows.isAlongRows() ? add(rows.row, lane) : rows.row;
    Value col = !at ? constant(0) : rows.isAlongRows() ? at->col : add(at->col, lane);
    Value inRows = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, row, span.validRows);
    Value inCols = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, col, span.validCols);
    auto branch = scf::IfOp::create(b, arith::AndIOp::create(b, inRows, inCols), /*withElseRegion=*/false);
    inside(branch.thenBlock(), [&] {
      Value element = vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{lane});
      memref::StoreOp::create(b, element, span.flat, getElementAddress(span, row, col));
    });
  }
}

void TileLowering::emitStoreVector(const Span &span, Value vector, RowPosition &rows, Position *at) {
  auto type = cast<VectorType>(vector.getType());
  vector = toMemory(vector);
  if (!at || rows.isAlongRows())
    return emitStoreLanes(span, vector, rows, at);
  Value inRows = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rows.row, span.validRows);
  Value end = add(at->col, type.getNumElements());
  Value inCols = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, end, span.validCols);
  Value whole = arith::AndIOp::create(b, arith::AndIOp::create(b, inRows, inCols), span.isUnit);
  auto branch = scf::IfOp::create(b, whole, /*withElseRegion=*/true);
  inside(branch.thenBlock(), [&] { storeVector(vector, span.flat, getElementAddress(span, rows.row, at->col)); });
  inside(branch.elseBlock(), [&] { emitStoreLanes(span, vector, rows, at); });
}
