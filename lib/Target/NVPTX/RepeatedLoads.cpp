//===- RepeatedLoads.cpp - Loads of tiles in which rows repeat each other -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "fovea/Dialect/Attn/Utils/ElementSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include <map>

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {

/// The elements of a thread in a tile whose element (r + 1, c + shift) is (r, c). Rows of a thread lie 8 apart, as its
/// blocks of columns do, so that block `k` of row element `n` is block `k - n * shift` of row element 0: each such
/// *place* is read once. A tile that lies whole inside the limits of memory without gaps takes a load with a constant
/// offset from one address for each place. Others, which are few, take a predicate and an address for each.
class RepeatedLoad {
public:
  RepeatedLoad(ImplicitLocOpBuilder &b, tile::LoadOp op)
      : b(b), op(op), type(getTileType(op.getTile())), layout(getAccLayout(type)), thread(getThread(b)),
        view(b, op.getSource()), shift(*op.getShift()) {
    for (int64_t i = 0; i < layout.getNumElements(); ++i)
      places[getPlace(i)].push_back(i);
  }

  Value build();

private:
  /// Columns from the thread's first one, in its first row.
  int64_t getPlace(int64_t element) const {
    int64_t block = element / 4 % layout.getColBlocks();
    return (block - layout.getRowElement(element) * shift) * kMmaCols + element % 2;
  }

  int64_t getElementBytes() const { return attn::getElementBytes(type.getElementType()); }

  Value isEqual(Value lhs, Value rhs) { return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs, rhs); }
  Value buildAddress(Value colStride);
  void buildLimits();
  Value buildIsSimple();
  SmallVector<Value> loadSimple();
  SmallVector<Value> loadPredicated();
  Value buildExists(ArrayRef<int64_t> elements);

  ImplicitLocOpBuilder &b;
  tile::LoadOp op;
  RankedTensorType type;
  AccLayout layout;
  IRInt thread;
  GlobalView view;
  int64_t shift;
  /// The elements of each place, by row.
  std::map<int64_t, SmallVector<int64_t>> places;
  Value rowLimit, colLimit;
};

} // namespace

void RepeatedLoad::buildLimits() {
  int64_t rowDim = op.getRowDim(), colDim = cast<MemRefType>(op.getSource().getType()).getRank() - 1;
  rowLimit = getRelativeLimit(b, op.getRowLimit(), op.getIndices()[rowDim], type.getDimSize(0));
  Value size = b.createOrFold<memref::DimOp>(op.getSource(), colDim);
  Value cols = op.getColLimit() ? b.createOrFold<arith::MinSIOp>(op.getColLimit(), size) : size;
  colLimit = getRelativeLimit(b, cols, op.getIndices()[colDim], layout.cols);
}

/// Whether all elements exist and columns lie side by side.
Value RepeatedLoad::buildIsSimple() {
  Value colStride = view.getByteStride(cast<MemRefType>(op.getSource().getType()).getRank() - 1);
  Value isUnit = isEqual(colStride, arith::ConstantIndexOp::create(b, getElementBytes()));
  Value hasRows = isEqual(rowLimit, constantI32(b, type.getDimSize(0)));
  Value hasCols = isEqual(colLimit, constantI32(b, layout.cols));
  return b.createOrFold<arith::AndIOp>(isUnit, b.createOrFold<arith::AndIOp>(hasRows, hasCols));
}

/// Address of the thread's first element.
Value RepeatedLoad::buildAddress(Value colStride) {
  IRInt col = layout.getCol(thread, 0), row = layout.getRow(thread, 0);
  Value place = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), (col + row * -shift).value);
  return addIndex(b, view.getAddress(b, op.getIndices()), mulIndex(b, place, colStride));
}

SmallVector<Value> RepeatedLoad::loadSimple() {
  int64_t bytes = getElementBytes();
  Value address = buildAddress(arith::ConstantIndexOp::create(b, bytes));
  SmallVector<Value> values;
  for (auto &[place, elements] : places)
    values.push_back(buildInvariantLoad(b, type.getElementType(), address, place * bytes));
  return values;
}

/// Whether one of the elements of a place exists. With a positive shift that in the first row exists where another
/// does.
Value RepeatedLoad::buildExists(ArrayRef<int64_t> elements) {
  Value exists;
  for (int64_t element : shift >= 0 ? elements.take_front() : elements) {
    Value row = layout.getRow(thread, layout.getRowElement(element)).value, col = layout.getCol(thread, element).value;
    Value own = andMask(b, isBelow(b, row, rowLimit), isBelow(b, col, colLimit));
    exists = exists ? b.createOrFold<arith::OrIOp>(exists, own) : own;
  }
  return exists;
}

SmallVector<Value> RepeatedLoad::loadPredicated() {
  int64_t colDim = cast<MemRefType>(op.getSource().getType()).getRank() - 1;
  Value colStride = hideInvariance(b, view.getByteStride(colDim)), address = buildAddress(colStride);
  SmallVector<Value> values;
  for (auto &[place, elements] : places) {
    Value offset = mulIndex(b, arith::ConstantIndexOp::create(b, place), colStride);
    values.push_back(
        buildPredicatedLoad(b, type.getElementType(), addIndex(b, address, offset), buildExists(elements)));
  }
  return values;
}

Value RepeatedLoad::build() {
  buildLimits();
  Value isSimple = buildIsSimple();
  SmallVector<Value> values, elements(layout.getNumElements());
  if (matchPattern(isSimple, m_One())) {
    values = loadSimple();
  } else {
    SmallVector<Type> types(places.size(), type.getElementType());
    auto branch = scf::IfOp::create(b, types, isSimple, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loadSimple());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loadPredicated());
    llvm::append_range(values, branch.getResults());
  }
  for (auto [place, value] : llvm::zip_equal(places, values))
    for (int64_t element : place.second)
      elements[element] = value;
  return fromElements(b, elements);
}

namespace {
struct RepeatedLoadPattern : OpConversionPattern<tile::LoadOp> {
  RepeatedLoadPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    // With a large shift a thread has no element twice.
    if (!op.getShift() || std::abs(static_cast<int64_t>(*op.getShift())) > kMostShift)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, RepeatedLoad(b, op).build());
    return success();
  }

  static constexpr int64_t kMostShift = 2;
};
} // namespace

void nvptx::populateRepeatedLoadPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<RepeatedLoadPattern>(converter, patterns.getContext());
}
