//===- RepeatedLoads.cpp - Loads of tiles in which rows repeat each other -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <map>

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {

/// A tile whose element (r + 1, c + shift) is (r, c): the rows of a warp together hold a *window* of few more elements
/// than a row. Lanes load it side by side, each once, and exchange elements where they are needed: that takes a load
/// for each 32 elements, in place of one with many lanes at the same address for each element of a thread, and no
/// register for each of these before their use.
///
/// With `place = column - shift * row` within the warp, rows 8 apart have the same places 8 columns apart, so that a
/// thread of an accumulator, with pairs of columns 8 apart, needs few more places than columns. Place `8 * j + e + c`
/// is that of step `j`, column `e` of a pair and the part `c` of a lane, which is at most 13: of the places of a step
/// those of the next register are the first lanes of it, and those of this register are others.
class RepeatedLoad {
public:
  RepeatedLoad(ImplicitLocOpBuilder &b, tile::LoadOp op)
      : b(b), op(op), type(getTileType(op.getTile())), layout(getAccLayout(type)), thread(getThread(b)),
        shift(*op.getShift()) {}

  /// Builds the loads at the builder's position.
  void load();
  /// Builds the tile, there or further on.
  Value exchange();

private:
  int64_t getMostRow() const { return layout.rowsPerWarp - 1; }
  int64_t getFirstPlace() const { return shift > 0 ? -getMostRow() : 0; }
  int64_t getNumPlaces() const { return layout.cols + (shift == 0 ? 0 : getMostRow()); }
  /// The place of an element of lane 0, from the first one.
  int64_t getStep(int64_t element) const {
    int64_t col = element / 4 % layout.getColBlocks() * kMmaCols + element % 2;
    int64_t base = shift > 0 ? kMmaRows / 2 - 1 : 0;
    return col - shift * layout.getRowElement(element) * (kMmaRows / 2) - getFirstPlace() - base;
  }
  /// What a lane adds to it.
  Value buildLanePart();
  Value loadPlaces(int64_t number);
  Value fetch(int64_t step);

  ImplicitLocOpBuilder &b;
  tile::LoadOp op;
  RankedTensorType type;
  AccLayout layout;
  IRInt thread;
  int64_t shift;
  /// The window: register `n` of lane `l` has place `32 * n + l`.
  SmallVector<Value> window;
  Value address, colStride, firstPlace, lastPlace, lanePart, isLow;
};

} // namespace

/// Places that exist lie between bounds: those of the first column and the last row that exist, or of the first row and
/// the last column.
void RepeatedLoad::load() {
  GlobalView view(b, op.getSource());
  int64_t rowDim = op.getRowDim(), colDim = cast<MemRefType>(op.getSource().getType()).getRank() - 1;
  IRInt warpRow = (thread >> 5) * layout.rowsPerWarp;
  Value size = b.createOrFold<memref::DimOp>(op.getSource(), colDim);
  Value cols = op.getColLimit() ? b.createOrFold<arith::MinSIOp>(op.getColLimit(), size) : size;
  cols = getRelativeLimit(b, cols, op.getIndices()[colDim], type.getDimSize(1));
  Value rows = getRelativeLimit(b, op.getRowLimit(), op.getIndices()[rowDim], type.getDimSize(0));
  rows = b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::SubIOp>(rows, warpRow.value),
                                        constantI32(b, layout.rowsPerWarp));
  Value one = constantI32(b, 1), lastRow = b.createOrFold<arith::SubIOp>(rows, one);
  lastPlace = b.createOrFold<arith::SubIOp>(cols, one);
  firstPlace = constantI32(b, 0);
  if (shift > 0)
    firstPlace = b.createOrFold<arith::SubIOp>(firstPlace, lastRow);
  if (shift < 0)
    lastPlace = b.createOrFold<arith::AddIOp>(lastPlace, lastRow);
  // Without a row or a column there is no place.
  Value none = constantI32(b, std::numeric_limits<int32_t>::min());
  Value hasRows = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sgt, rows, constantI32(b, 0));
  Value hasCols = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sgt, cols, constantI32(b, 0));
  lastPlace = b.createOrFold<arith::SelectOp>(b.createOrFold<arith::AndIOp>(hasRows, hasCols), lastPlace, none);

  colStride = view.getByteStride(colDim);
  // Places count from the warp's first row.
  Value rowPlace = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), (warpRow * -shift).value);
  address = addIndex(b, view.getAddress(b, op.getIndices()), mulIndex(b, rowPlace, colStride));
  for (int64_t number = 0; number * kLanes < getNumPlaces(); ++number)
    window.push_back(loadPlaces(number));
}

/// The word of the lane's place in register `number`.
Value RepeatedLoad::loadPlaces(int64_t number) {
  Value place = ((thread & (kLanes - 1)) + (number * kLanes + getFirstPlace())).value;
  auto compare = [&](arith::CmpIPredicate predicate, Value bound) {
    return b.createOrFold<arith::CmpIOp>(predicate, place, bound);
  };
  Value exists =
      andMask(b, compare(arith::CmpIPredicate::sge, firstPlace), compare(arith::CmpIPredicate::sle, lastPlace));
  Value offset = mulIndex(b, b.createOrFold<arith::IndexCastOp>(b.getIndexType(), place), colStride);
  return buildPredicatedWord(b, type.getElementType(), addIndex(b, address, offset), exists);
}

Value RepeatedLoad::buildLanePart() {
  IRInt lane = thread & (kLanes - 1), row = lane >> 2, pair = (lane & 3) * 2;
  if (shift == 0)
    return pair.value;
  return shift < 0 ? (pair + row).value : (pair + row * -1 + (kMmaRows / 2 - 1)).value;
}

/// The most that a lane adds.
static constexpr int64_t kMostLanePart = 6 + 7;

Value RepeatedLoad::fetch(int64_t step) {
  int64_t number = step / kLanes, first = step % kLanes;
  Value word = window[number];
  bool crosses = first + (shift == 0 ? 6 : kMostLanePart) >= kLanes && number + 1 < static_cast<int64_t>(window.size());
  if (crosses)
    word = arith::SelectOp::create(b, isLow, window[number + 1], word);
  // The number of a lane is taken modulo 32.
  Value source = (IRInt{&b, lanePart} + first).value;
  return NVVM::ShflOp::create(b, b.getI32Type(), constantI32(b, -1), word, source, constantI32(b, kLanes - 1),
                              NVVM::ShflKind::idx, /*return_value_and_is_valid=*/UnitAttr());
}

Value RepeatedLoad::exchange() {
  lanePart = buildLanePart();
  isLow = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, (thread & (kLanes - 1)).value,
                                        constantI32(b, kLanes / 2));
  std::map<int64_t, Value> steps;
  SmallVector<Value> elements;
  for (int64_t i = 0; i < layout.getNumElements(); ++i) {
    auto [step, isNew] = steps.try_emplace(getStep(i));
    if (isNew)
      step->second = fromWord(b, fetch(step->first), type.getElementType());
    elements.push_back(step->second);
  }
  return fromElements(b, elements);
}

/// The first operation of the tile's block that reads it, itself or in a region.
static Operation *findFirstUser(tile::LoadOp op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

namespace {
struct RepeatedLoadPattern : OpConversionPattern<tile::LoadOp> {
  RepeatedLoadPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Type element = getTileType(op.getTile()).getElementType();
    bool isWord = !element.isIndex() && element.getIntOrFloatBitWidth() <= 32;
    if (!op.getShift() || std::abs(static_cast<int64_t>(*op.getShift())) > 1 || !isWord)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RepeatedLoad load(b, op);
    load.load();
    if (Operation *user = findFirstUser(op))
      b.setInsertionPoint(user);
    rewriter.replaceOp(op, load.exchange());
    return success();
  }
};
} // namespace

void nvptx::populateRepeatedLoadPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<RepeatedLoadPattern>(converter, patterns.getContext());
}
