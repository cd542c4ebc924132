//===- RowDots.cpp - Products of few rows: vectors along the depth, read in place -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Vectors of one row that are accumulated at once.
static constexpr int64_t kUpdateVectors = 8;
/// Keys whose products are computed at once.
static constexpr int64_t kScoreKeys = 4;

void TileLowering::emitRowDot(tile::DotOp dot, const Buffer &result) {
  auto kernel = [&](const Span &rhs) {
    dot.getTransposeRhs() ? emitRowScores(dot, rhs, result) : emitRowUpdate(dot, rhs, result);
  };
  auto load = dot.getRhs().getDefiningOp<tile::LoadOp>();
  Span copied;
  if (!isReadInPlace(load)) {
    copied = getBufferSpan(buffers.lookup(dot.getRhs()));
    copied.validRows = validRows.lookup(dot.getRhs());
    return kernel(copied);
  }
  Span span = getSpan(load.getSource(), load.getIndices(), load.getRowLimit(), load.getColLimit(), load.getRowDim(),
                      getTileType(load.getTile()));
  auto branch = scf::IfOp::create(b, span.isUnit, /*withElseRegion=*/true);
  inside(branch.thenBlock(), [&] { kernel(span); });
  Buffer copy = allocate(dot.getRhs(), Layout::Rows);
  inside(branch.elseBlock(), [&] {
    emitLoad(load, copy);
    copied = getBufferSpan(copy);
    copied.validRows = span.validRows;
    kernel(copied);
  });
}

/// `width` elements of a row as f32, of which the first `valid` are read; the others are zero.
Value TileLowering::loadPart(Value memref, Type element, Value offset, int64_t width, int64_t valid) {
  if (valid >= width)
    return toStorage(fromMemory(loadVector(memref, offset, width), element));
  auto type = VectorType::get(width, cast<MemRefType>(memref.getType()).getElementType());
  Value mask = vector::ConstantMaskOp::create(b, VectorType::get(width, b.getI1Type()), ArrayRef<int64_t>{valid});
  Value zero = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
  return toStorage(fromMemory(vector::MaskedLoadOp::create(b, type, memref, offset, mask, zero), element));
}

//===----------------------------------------------------------------------===//
// acc + lhs * transpose(rhs)
//===----------------------------------------------------------------------===//

/// The products of one row with `keys` rows of `rhs` from `key` on, each added to its place in `result`.
void TileLowering::emitRowScoreKernel(tile::DotOp dot, const Span &rhs, const Buffer &result, Value row, Value key,
                                      int64_t keys) {
  Buffer lhs = buffers.lookup(dot.getLhs());
  int64_t width = machine.vectorWidth, depth = std::min(lhs.cols, rhs.cols), whole = depth / width * width;
  bool isExact = dot.getPart().has_value();
  auto widen = [&](Value value) { return isExact ? toDoubles(value) : value; };
  Value lhsBase = mul(row, lhs.step);
  SmallVector<Value> rhsBases;
  for (int64_t k = 0; k < keys; ++k)
    rhsBases.push_back(add(rhs.start, mul(add(key, k), rhs.rowStride)));
  auto step = [&](Value col, ValueRange accs, int64_t valid) {
    Value vector = widen(loadPart(lhs.memref, b.getF32Type(), add(lhsBase, col), width, valid));
    SmallVector<Value> sums;
    for (int64_t k = 0; k < keys; ++k) {
      Value other = loadPart(rhs.flat, rhs.element, add(rhsBases[k], col), width, valid);
      sums.push_back(fma(vector, widen(other), accs[k]));
    }
    return sums;
  };
  SmallVector<Value> accs(keys, widen(zeros(width)));
  accs = loop(constant(0), constant(whole), width, accs,
              [&](Value col, ValueRange args) { return step(col, args, width); });
  if (whole != depth)
    accs = step(constant(whole), accs, depth - whole);
  for (int64_t k = 0; k < keys; ++k) {
    Value offset = add(mul(row, result.step), add(key, k));
    Value sum = vector::ReductionOp::create(b, vector::CombiningKind::ADD, accs[k], arith::FastMathFlags::reassoc);
    if (isExact)
      sum = toFloats(sum);
    Value init = memref::LoadOp::create(b, result.memref, offset);
    memref::StoreOp::create(b, arith::AddFOp::create(b, init, sum), result.memref, offset);
  }
}

/// Writes the starting values of one row from column `first` on.
void TileLowering::emitRowInit(tile::DotOp dot, const Buffer &result, Value row, Value first) {
  loop(first, constant(result.step), machine.vectorWidth, [&](Value col) {
    RowPosition position;
    position.row = row;
    Position at{&position, col, machine.vectorWidth};
    writeBuffer(result, evaluateAt(dot.getAcc(), position, &at), position, &at);
  });
}

void TileLowering::emitRowScores(tile::DotOp dot, const Span &rhs, const Buffer &result) {
  Value rows = getActiveRows(result.rows);
  loop(constant(0), rows, 1, [&](Value row) { emitRowInit(dot, result, row, constant(0)); });
  Value groupEnd = mul(arith::DivUIOp::create(b, rhs.validRows, constant(kScoreKeys)), kScoreKeys);
  auto keys = [&](Value begin, Value end, int64_t count) {
    loop(begin, end, count, [&](Value key) {
      loop(constant(0), rows, 1, [&](Value row) { emitRowScoreKernel(dot, rhs, result, row, key, count); });
    });
  };
  keys(constant(0), groupEnd, kScoreKeys);
  keys(groupEnd, rhs.validRows, 1);
}

//===----------------------------------------------------------------------===//
// acc + lhs * rhs
//===----------------------------------------------------------------------===//

/// Accumulates `cols` columns from `col` on of one row over all keys.
void TileLowering::emitRowUpdateKernel(tile::DotOp dot, const Span &rhs, const Buffer &result, Value row, Value col,
                                       int64_t cols) {
  Buffer lhs = buffers.lookup(dot.getLhs());
  int64_t width = machine.vectorWidth, numVectors = llvm::divideCeil(cols, width);
  RowPosition position;
  position.row = row;
  SmallVector<Value> inits;
  for (int64_t v = 0; v < numVectors; ++v) {
    Position at{&position, add(col, v * width), width};
    inits.push_back(evaluateAt(dot.getAcc(), position, &at));
  }
  Value lhsBase = mul(row, lhs.step), rhsBase = add(rhs.start, col);
  SmallVector<Value> accs = loop(constant(0), rhs.validRows, 1, inits, [&](Value key, ValueRange args) {
    SmallVector<Value> sums;
    Value element = loadBroadcast(lhs.memref, add(lhsBase, key), width);
    Value base = add(rhsBase, mul(key, rhs.rowStride));
    for (int64_t v = 0; v < numVectors; ++v) {
      Value vector = loadPart(rhs.flat, rhs.element, add(base, v * width), width, cols - v * width);
      sums.push_back(fma(element, vector, args[v]));
    }
    return sums;
  });
  for (int64_t v = 0; v < numVectors; ++v) {
    Position at{&position, add(col, v * width), width};
    writeBuffer(result, accs[v], position, &at);
  }
}

void TileLowering::emitRowUpdate(tile::DotOp dot, const Span &rhs, const Buffer &result) {
  // The memory may have fewer columns than the tile; the others keep what they start from.
  int64_t group = kUpdateVectors * machine.vectorWidth, cols = std::min(result.cols, rhs.cols);
  int64_t whole = cols / group * group;
  Value rows = getActiveRows(result.rows);
  auto columns = [&](Value begin, Value end, int64_t cols) {
    loop(begin, end, cols, [&](Value col) {
      loop(constant(0), rows, 1, [&](Value row) { emitRowUpdateKernel(dot, rhs, result, row, col, cols); });
    });
  };
  if (whole > 0)
    columns(constant(0), constant(whole), group);
  if (whole != cols)
    columns(constant(whole), constant(cols), cols - whole);
  Value rest = constant(llvm::alignTo(cols, machine.vectorWidth));
  loop(constant(0), rows, 1, [&](Value row) { emitRowInit(dot, result, row, rest); });
}
