//===- PairDots.cpp - Products of pairs of bf16 -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Columns of the register tile of a product that widens pairs: it is rare and need not be large.
static constexpr int64_t kWidenedGroup = 2;

/// Instructions for pairs take numbers below 2^-126 for 0, as operands and as results, so blocks with small elements
/// are widened. README.md says why what is left is within the bound.
void TileLowering::emitPairDot(tile::DotOp dot, const Buffer &result, Value panel) {
  bool isScores = dot.getTransposeRhs(), useTiles = machine.pairDots == PairDots::Tiles;
  PanelProduct product{dot.getAcc(), getTileType(dot.getResult()).getDimSize(1)};
  product.lhs = isScores ? buffers.lookup(dot.getLhs()) : pairs.lookup(dot);
  product.rhs = buffers.lookup(dot.getRhs());
  product.result = result;
  product.validCols = isScores ? validRows.lookup(dot.getRhs()) : constant(product.cols);
  Value isWidened = hasSmall.lookup(dot.getRhs());
  if (isScores)
    isWidened = arith::OrIOp::create(b, isWidened, hasSmall.lookup(dot.getLhs()));
  if (useTiles)
    isWidened = arith::OrIOp::create(b, isWidened, areTilesDenied);
  auto branch = scf::IfOp::create(b, isWidened, /*withElseRegion=*/true);
  inside(branch.thenBlock(), [&] {
    product.multiply = Multiply::WidenedPairs;
    product.group = kWidenedGroup;
    emitPanelProduct(product, panel);
  });
  inside(branch.elseBlock(), [&] {
    product.multiply = Multiply::Pairs;
    product.group = useTiles ? Machine::kTileRows : machine.getKeyGroup();
    useTiles ? emitTileProduct(product, panel) : emitPanelProduct(product, panel);
  });
}

//===----------------------------------------------------------------------===//
// Tile registers
//===----------------------------------------------------------------------===//

/// Asks the operating system for tile registers, which a process may do as often as it likes; i1, true where it
/// declines.
Value TileLowering::requestTiles() {
  // Linux, x86-64: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
  auto number = [&](int64_t value) { return arith::ConstantIntOp::create(b, b.getI64Type(), value); };
  SmallVector<Value> arguments = {number(158), number(0x1023), number(18)};
  auto call =
      LLVM::InlineAsmOp::create(b, b.getI64Type(), arguments, "syscall", "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory}",
                                /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                LLVM::AsmDialectAttr(), ArrayAttr());
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, call.getResult(0), number(0));
}

/// Computes 16 columns from `col` on of one row panel: a tile of them for each vector of rows.
void TileLowering::emitTileKernel(const PanelProduct &product, Value panel, Value col) {
  const Buffer &lhs = product.lhs, &rhs = product.rhs, &result = product.result;
  auto halves = amx::TileType::get({Machine::kTileRows, Machine::kTileElements}, b.getBF16Type());
  auto floats = amx::TileType::get({Machine::kTileRows, Machine::kTileRows}, b.getF32Type());
  SmallVector<RowPosition> rows = getPanelRows(panel);
  bool isZero = matchPattern(product.acc, m_AnyZeroFloat());
  SmallVector<Value> sums, places;
  for (RowPosition &position : rows) {
    Position at{&position, col, machine.vectorWidth};
    places.push_back(getOffset(result, position, &at));
    sums.push_back(isZero ? Value(amx::TileZeroOp::create(b, floats))
                          : amx::TileLoadOp::create(b, floats, result.memref, places.back(), constant(result.step)));
  }
  Value panelBase = mul(getPanelOffset(lhs, panel), 2), rowBase = mul(col, 2 * rhs.step);
  sums = loop(constant(0), constant(lhs.cols), Machine::kTileRows, sums, [&](Value depth, ValueRange args) {
    Value elements =
        amx::TileLoadOp::create(b, halves, rhs.memref, add(rowBase, mul(depth, 2)), constant(2 * rhs.step));
    Value base = add(panelBase, mul(depth, 2 * lhs.step));
    SmallVector<Value> next;
    for (auto [i, position] : llvm::enumerate(rows)) {
      Value vectors =
          amx::TileLoadOp::create(b, halves, lhs.memref, add(base, 2 * position.lane), constant(2 * lhs.step));
      next.push_back(amx::TileMulFOp::create(b, floats, elements, vectors, args[i]));
    }
    return next;
  });
  for (auto [place, sum] : llvm::zip(places, sums))
    amx::TileStoreOp::create(b, result.memref, place, sum, constant(result.step));
}

void TileLowering::emitTileProduct(const PanelProduct &product, Value panel) {
  int64_t group = product.group;
  Value end = mul(arith::CeilDivUIOp::create(b, product.validCols, constant(group)), group);
  bool isZero = matchPattern(product.acc, m_AnyZeroFloat());
  // Tiles start from what is in the result.
  loop(isZero ? end : constant(0), constant(product.cols), 1, [&](Value col) { emitPanelInit(product, panel, col); });
  loop(constant(0), end, group, [&](Value col) { emitTileKernel(product, panel, col); });
}
