//===- Dots.cpp - Products of blocks of queries: register-tiled FMA kernels -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

void TileLowering::emitDot(tile::DotOp dot, const Buffer &result) {
  if (!wide)
    return emitRowDot(dot, result);
  dot.getTransposeRhs() ? emitWideScores(dot, result) : emitWideUpdate(dot, result);
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
// acc + lhs * transpose(rhs): vectors along a panel of query rows, broadcasts of key elements
//===----------------------------------------------------------------------===//

/// The error of a sum of products grows with the length of its chain and with the size of the sums so far, so a score
/// is the sum of independent chains: `Machine::kScoreChains` at once for each of its stretches of `kStretch` products.
static constexpr int64_t kStretch = 128;

/// Sums the products of `length` elements from `begin` on, starting from `init`: `keys` columns from `key` on of one
/// row panel.
SmallVector<Value> TileLowering::emitScoreStretch(tile::DotOp dot, Value panel, Value key, Value begin, int64_t length,
                                                  ArrayRef<Value> init) {
  Buffer lhs = buffers.lookup(dot.getLhs()), rhs = buffers.lookup(dot.getRhs());
  constexpr int64_t chains = Machine::kScoreChains;
  SmallVector<RowPosition> rows = getPanelRows(panel);
  int64_t width = machine.vectorWidth, keys = init.size() / rows.size(), whole = length / chains * chains;
  Value lhsBase = add(mul(panel, lhs.step * lhs.cols), mul(begin, lhs.step));
  SmallVector<Value> rhsBases;
  for (int64_t k = 0; k < keys; ++k)
    rhsBases.push_back(add(mul(add(key, k), rhs.step), begin));
  auto step = [&](Value depth, MutableArrayRef<Value> accs) {
    SmallVector<Value> vectors;
    for (RowPosition &position : rows)
      vectors.push_back(loadVector(lhs.memref, add(add(lhsBase, mul(depth, lhs.step)), position.lane), width));
    for (int64_t k = 0; k < keys; ++k) {
      Value element = loadBroadcast(rhs.memref, add(rhsBases[k], depth), width);
      for (auto [i, vector] : llvm::enumerate(vectors))
        accs[k * vectors.size() + i] = fma(vector, element, accs[k * vectors.size() + i]);
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

/// Computes `keys` columns from `key` on of one row panel. The sum of the stretches so far waits in `result`.
void TileLowering::emitScoreKernel(tile::DotOp dot, const Buffer &result, Value panel, Value key, int64_t keys) {
  int64_t width = machine.vectorWidth, depth = buffers.lookup(dot.getLhs()).cols, stretches = depth / kStretch;
  SmallVector<RowPosition> rows = getPanelRows(panel);
  auto emitStretch = [&](Value begin, int64_t length, bool isFirst) {
    auto forEach = [&](function_ref<void(int64_t, RowPosition &, Position &)> body) {
      for (int64_t k = 0; k < keys; ++k)
        for (auto [i, position] : llvm::enumerate(rows)) {
          Position at{&position, add(key, k), width};
          body(k * rows.size() + i, position, at);
        }
    };
    SmallVector<Value> sums(keys * rows.size(), zeros(width));
    if (isFirst)
      forEach([&](int64_t i, RowPosition &row, Position &at) { sums[i] = evaluateAt(dot.getAcc(), row, &at); });
    sums = emitScoreStretch(dot, panel, key, begin, length, sums);
    forEach([&](int64_t i, RowPosition &row, Position &at) {
      Value sum = sums[i];
      if (!isFirst)
        sum = arith::AddFOp::create(b, readBuffer(result, row, &at, width), sum);
      writeBuffer(result, sum, row, &at);
    });
  };
  emitStretch(constant(0), std::min(depth, kStretch), /*isFirst=*/true);
  if (stretches > 1)
    loop(constant(kStretch), constant(stretches * kStretch), kStretch,
         [&](Value begin) { emitStretch(begin, kStretch, /*isFirst=*/false); });
  if (stretches > 0 && depth % kStretch != 0)
    emitStretch(constant(stretches * kStretch), depth % kStretch, /*isFirst=*/false);
}

/// Columns of keys past the limit keep what they start from.
void TileLowering::emitScoreInit(tile::DotOp dot, const Buffer &result, Value panel, Value key) {
  SmallVector<RowPosition> rows = getPanelRows(panel);
  for (RowPosition &position : rows) {
    Position at{&position, key, machine.vectorWidth};
    writeBuffer(result, evaluateAt(dot.getAcc(), position, &at), position, &at);
  }
}

void TileLowering::emitWideScores(tile::DotOp dot, const Buffer &result) {
  int64_t keys = result.cols, group = machine.getKeyGroup();
  // Keys past the limit are zero in scratch, so that the last group may cover some of them.
  Value valid = validRows.lookup(dot.getRhs());
  Value groups = arith::CeilDivUIOp::create(b, valid, constant(group));
  Value groupEnd = minimum(mul(groups, group), constant(keys / group * group));
  Value panels = arith::CeilDivUIOp::create(b, getActiveRows(blockRows), constant(machine.getPanelRows()));
  loop(constant(0), panels, 1, [&](Value panel) {
    loop(constant(0), groupEnd, group, [&](Value key) { emitScoreKernel(dot, result, panel, key, group); });
    bool isWholeGroups = keys % group == 0;
    loop(groupEnd, constant(keys), 1, [&](Value key) {
      isWholeGroups ? emitScoreInit(dot, result, panel, key) : emitScoreKernel(dot, result, panel, key, 1);
    });
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
