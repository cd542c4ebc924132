//===- Dots.cpp - Products of blocks of queries: register-tiled FMA kernels -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

void TileLowering::emitDot(tile::DotOp dot, const Buffer &result) {
  if (!wide)
    return emitRowDot(dot, result);
  if (usesPairs)
    return forEachPanel([&](Value panel) { emitPairDot(dot, result, panel); });
  if (!dot.getTransposeRhs())
    return emitWideUpdate(dot, result);
  PanelProduct product{dot.getAcc(), result.cols};
  product.lhs = buffers.lookup(dot.getLhs());
  product.rhs = buffers.lookup(dot.getRhs());
  product.result = result;
  product.validCols = validRows.lookup(dot.getRhs());
  product.group = machine.getKeyGroup();
  if (dot.getPart())
    product.multiply = Multiply::Doubles;
  forEachPanel([&](Value panel) { emitPanelProduct(product, panel); });
}

Value TileLowering::getActiveRows(int64_t rows) {
  return rows == blockRows && activeRows ? activeRows : constant(rows);
}

SmallVector<RowPosition> TileLowering::getPanelRows(Value panel) {
  SmallVector<RowPosition> rows(machine.getPanelRows() / machine.vectorWidth);
  for (auto [i, position] : llvm::enumerate(rows)) {
    position.panel = panel;
    position.lane = i * machine.vectorWidth;
    position.row = add(mul(panel, machine.getPanelRows()), position.lane);
    position.width = machine.vectorWidth;
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Panel products: vectors along a panel of query rows, broadcasts of elements of the right side
//===----------------------------------------------------------------------===//

/// The error of a sum of products grows with the length of its chain and with the size of the sums so far, so an
/// element is the sum of independent chains: `Machine::kScoreChains` at once for each of its stretches of `kStretch`
/// products. Sums in f64 need neither.
static constexpr int64_t kStretch = 128;

/// The steps along k that make `kStretch` products, or all.
static int64_t getStretch(const PanelProduct &product) {
  if (product.isExact())
    return product.lhs.cols;
  return product.lhs.isPairs() ? kStretch / 2 : kStretch;
}

static int64_t getChains(const PanelProduct &product) { return product.isExact() ? 1 : Machine::kScoreChains; }

/// acc + lhs * rhs, where a pair counts as the sum of two products.
Value TileLowering::multiplyAdd(Multiply kind, Value lhs, Value rhs, Value acc) {
  if (kind == Multiply::Floats)
    return fma(lhs, rhs, acc);
  if (kind == Multiply::Doubles)
    return fma(toDoubles(lhs), toDoubles(rhs), acc);
  auto words = cast<VectorType>(lhs.getType());
  if (kind == Multiply::Pairs) {
    auto halves = VectorType::get(2 * words.getNumElements(), b.getBF16Type());
    auto toHalves = [&](Value value) { return vector::BitCastOp::create(b, halves, value); };
    return x86vector::DotBF16Op::create(b, acc.getType(), acc, toHalves(lhs), toHalves(rhs));
  }
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(b, words, DenseElementsAttr::get(words, b.getI32IntegerAttr(value).getValue()));
  };
  auto toFloat = [&](Value bits) { return arith::BitcastOp::create(b, acc.getType(), bits); };
  auto low = [&](Value value) { return toFloat(arith::ShLIOp::create(b, value, constant(16))); };
  auto high = [&](Value value) { return toFloat(arith::AndIOp::create(b, value, constant(-65536))); };
  return fma(low(lhs), low(rhs), fma(high(lhs), high(rhs), acc));
}

/// Sums the products of `length` steps from `begin` on, starting from `init`: the columns from `col` on of one row
/// panel.
SmallVector<Value> TileLowering::emitStretch(const PanelProduct &product, Value panel, Value col, Value begin,
                                             int64_t length, ArrayRef<Value> init) {
  const Buffer &lhs = product.lhs, &rhs = product.rhs;
  Value lhsMemory = lhs.isPairs() ? lhs.words : lhs.memref, rhsMemory = rhs.isPairs() ? rhs.words : rhs.memref;
  int64_t chains = getChains(product);
  SmallVector<RowPosition> rows = getPanelRows(panel);
  int64_t width = machine.vectorWidth, cols = init.size() / rows.size(), whole = length / chains * chains;
  Value lhsBase = add(getPanelOffset(lhs, panel), mul(begin, lhs.step));
  SmallVector<Value> rhsBases;
  for (int64_t c = 0; c < cols; ++c)
    rhsBases.push_back(add(mul(add(col, c), rhs.step), begin));
  auto step = [&](Value depth, MutableArrayRef<Value> accs) {
    SmallVector<Value> vectors;
    for (RowPosition &position : rows)
      vectors.push_back(loadVector(lhsMemory, add(add(lhsBase, mul(depth, lhs.step)), position.lane), width));
    for (int64_t c = 0; c < cols; ++c) {
      Value element = loadBroadcast(rhsMemory, add(rhsBases[c], depth), width);
      for (auto [i, vector] : llvm::enumerate(vectors)) {
        Value &acc = accs[c * vectors.size() + i];
        acc = multiplyAdd(product.multiply, vector, element, acc);
      }
    }
  };
  SmallVector<Value> accs(init);
  accs.append(init.size() * (chains - 1), zeros(width));
  accs = loop(constant(0), constant(whole), chains, accs, [&](Value depth, ValueRange args) {
    SmallVector<Value> sums(args);
    for (int64_t i = 0; i < chains; ++i)
      step(add(depth, i), MutableArrayRef(sums).slice(i * init.size(), init.size()));
    return sums;
  });
  for (int64_t depth = whole; depth < length; ++depth)
    step(constant(depth), MutableArrayRef(accs).take_front(init.size()));
  for (int64_t i = init.size(), last = accs.size(); i < last; ++i)
    accs[i % init.size()] = arith::AddFOp::create(b, accs[i % init.size()], accs[i]);
  accs.resize(init.size());
  return accs;
}

/// Computes `cols` columns from `col` on of one row panel. The sum of the stretches so far waits in the result.
void TileLowering::emitPanelKernel(const PanelProduct &product, Value panel, Value col, int64_t cols) {
  int64_t width = machine.vectorWidth, depth = product.lhs.cols, length = getStretch(product);
  int64_t stretches = depth / length;
  Value acc = product.acc;
  SmallVector<RowPosition> rows = getPanelRows(panel);
  auto emit = [&](Value begin, int64_t length, bool isFirst) {
    auto forEach = [&](function_ref<void(int64_t, RowPosition &, Position &)> body) {
      for (int64_t c = 0; c < cols; ++c)
        for (auto [i, position] : llvm::enumerate(rows)) {
          Position at{&position, add(col, c), width};
          body(c * rows.size() + i, position, at);
        }
    };
    SmallVector<Value> sums(cols * rows.size(), zeros(width));
    if (isFirst)
      forEach([&](int64_t i, RowPosition &row, Position &at) { sums[i] = evaluateAt(acc, row, &at); });
    if (product.isExact())
      for (Value &sum : sums)
        sum = toDoubles(sum);
    sums = emitStretch(product, panel, col, begin, length, sums);
    if (product.isExact())
      for (Value &sum : sums)
        sum = toFloats(sum);
    forEach([&](int64_t i, RowPosition &row, Position &at) {
      Value sum = sums[i];
      if (!isFirst)
        sum = arith::AddFOp::create(b, readBuffer(product.result, row, &at, width), sum);
      writeBuffer(product.result, sum, row, &at);
    });
  };
  emit(constant(0), std::min(depth, length), /*isFirst=*/true);
  if (stretches > 1)
    loop(constant(length), constant(stretches * length), length,
         [&](Value begin) { emit(begin, length, /*isFirst=*/false); });
  if (stretches > 0 && depth % length != 0)
    emit(constant(stretches * length), depth % length, /*isFirst=*/false);
}

/// A column without products keeps what it starts from.
void TileLowering::emitPanelInit(const PanelProduct &product, Value panel, Value col) {
  SmallVector<RowPosition> rows = getPanelRows(panel);
  for (RowPosition &position : rows) {
    Position at{&position, col, machine.vectorWidth};
    writeBuffer(product.result, evaluateAt(product.acc, position, &at), position, &at);
  }
}

void TileLowering::forEachPanel(function_ref<void(Value)> body) {
  Value panels = arith::CeilDivUIOp::create(b, getActiveRows(blockRows), constant(machine.getPanelRows()));
  loop(constant(0), panels, 1, body);
}

void TileLowering::emitPanelProduct(const PanelProduct &product, Value panel) {
  int64_t cols = product.cols, group = product.group;
  // Rows of the right side past the limit are zero in scratch, so that the last group may cover some of them.
  Value groups = arith::CeilDivUIOp::create(b, product.validCols, constant(group));
  Value groupEnd = minimum(mul(groups, group), constant(cols / group * group));
  loop(constant(0), groupEnd, group, [&](Value col) { emitPanelKernel(product, panel, col, group); });
  bool isWholeGroups = cols % group == 0;
  loop(groupEnd, constant(cols), 1, [&](Value col) {
    isWholeGroups ? emitPanelInit(product, panel, col) : emitPanelKernel(product, panel, col, 1);
  });
}

//===----------------------------------------------------------------------===//
// acc + lhs * rhs: vectors along a panel of columns, broadcasts of elements of the row panel
//===----------------------------------------------------------------------===//

/// Computes one group of rows of one column panel; `group` counts inside the row panel.
void TileLowering::emitUpdateKernel(tile::DotOp dot, const Buffer &result, Value panel, Value colPanel, Value group) {
  Buffer lhs = buffers.lookup(dot.getLhs()), rhs = buffers.lookup(dot.getRhs());
  int64_t width = machine.vectorWidth, numRows = machine.getRowGroup(), numVectors = rhs.step / width;
  Value lane = mul(group, numRows), row = add(mul(panel, lhs.step), lane), col = mul(colPanel, rhs.step);
  SmallVector<RowPosition> rows(numRows);
  SmallVector<Value> inits;
  for (int64_t r = 0; r < numRows; ++r) {
    rows[r].row = add(row, r);
    for (int64_t v = 0; v < numVectors; ++v) {
      Position at{&rows[r], add(col, v * width), width};
      inits.push_back(evaluateAt(dot.getAcc(), rows[r], &at));
    }
  }
  Value lhsBase = add(mul(panel, lhs.step * lhs.cols), lane), rhsBase = mul(colPanel, rhs.step * rhs.rows);
  auto body = [&](Value key, ValueRange accs) {
    SmallVector<Value> vectors, results;
    for (int64_t v = 0; v < numVectors; ++v)
      vectors.push_back(loadVector(rhs.memref, add(add(rhsBase, mul(key, rhs.step)), v * width), width));
    Value elements = add(lhsBase, mul(key, lhs.step));
    for (int64_t r = 0; r < numRows; ++r) {
      Value element = loadBroadcast(lhs.memref, add(elements, r), width);
      for (int64_t v = 0; v < numVectors; ++v)
        results.push_back(fma(element, vectors[v], accs[r * numVectors + v]));
    }
    return results;
  };
  SmallVector<Value> accs = loop(constant(0), validRows.lookup(dot.getRhs()), 1, inits, body);
  for (int64_t r = 0; r < numRows; ++r)
    for (int64_t v = 0; v < numVectors; ++v) {
      Position at{&rows[r], add(col, v * width), width};
      writeBuffer(result, accs[r * numVectors + v], rows[r], &at);
    }
}

void TileLowering::emitWideUpdate(tile::DotOp dot, const Buffer &result) {
  Buffer rhs = buffers.lookup(dot.getRhs());
  int64_t panelRows = machine.getPanelRows();
  Value active = getActiveRows(blockRows);
  Value colPanels = constant(llvm::divideCeil(rhs.cols, rhs.step));
  loop(constant(0), arith::CeilDivUIOp::create(b, active, constant(panelRows)), 1, [&](Value panel) {
    Value rest = minimum(arith::SubIOp::create(b, active, mul(panel, panelRows)), constant(panelRows));
    Value groups = arith::CeilDivUIOp::create(b, rest, constant(machine.getRowGroup()));
    loop(constant(0), colPanels, 1, [&](Value colPanel) {
      loop(constant(0), groups, 1, [&](Value group) { emitUpdateKernel(dot, result, panel, colPanel, group); });
    });
  });
}
