//===- RepeatedLoads.cpp - Loads of blocks of operands and tables -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "fovea/Dialect/Attn/Utils/ElementSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include <map>

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {

/// The elements of a thread in a tile that is a view of two dimensions. A tile that lies whole inside the limits of
/// memory without gaps takes a load with a constant offset from the address of a row for each *place*, or where all
/// rows allow it for two side by side. Others, which are few, take a predicate and an address for each place.
///
/// With a shift element (r + 1, c + shift) is (r, c). Rows of a thread lie 8 apart, as its blocks of columns do, so
/// that block `k` of row element `n` is block `k - n * shift` of row element 0: all places are ones of that row, and
/// each is read once.
class BlockLoad {
public:
  BlockLoad(ImplicitLocOpBuilder &b, tile::LoadOp op)
      : b(b), op(op), type(getTileType(op.getTile())), layout(getAccLayout(type)), thread(getThread(b)),
        view(b, op.getSource()), shift(op.getShift()) {
    for (int64_t i = 0; i < layout.getNumElements(); ++i)
      places[getPlace(i)].push_back(i);
  }

  Value build();

private:
  /// A row element, and columns from the thread's first one.
  using Place = std::pair<int64_t, int64_t>;

  Place getPlace(int64_t element) const {
    int64_t block = element / 4 % layout.getColBlocks(), row = layout.getRowElement(element);
    return shift ? Place(0, (block - row * *shift) * kMmaCols + element % 2)
                 : Place(row, block * kMmaCols + element % 2);
  }

  int64_t getElementBytes() const { return attn::getElementBytes(type.getElementType()); }

  Value isEqual(Value lhs, Value rhs) { return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs, rhs); }
  SmallVector<Value> buildAddresses(Value colStride);
  void buildLimits();
  Value buildIsSimple();
  bool canLoadPairs() const;
  Value buildIsAligned();
  SmallVector<Value> loadSimple();
  SmallVector<Value> loadPairs();
  SmallVector<Value> loadWhole();
  SmallVector<Value> loadPredicated();
  Value buildExists(ArrayRef<int64_t> elements);

  ImplicitLocOpBuilder &b;
  tile::LoadOp op;
  RankedTensorType type;
  AccLayout layout;
  IRInt thread;
  GlobalView view;
  std::optional<int64_t> shift;
  /// The elements of each place, by row.
  std::map<Place, SmallVector<int64_t>> places;
  Value rowLimit, colLimit;
};

} // namespace

void BlockLoad::buildLimits() {
  int64_t rowDim = op.getRowDim(), colDim = cast<MemRefType>(op.getSource().getType()).getRank() - 1;
  rowLimit = getRelativeLimit(b, op.getRowLimit(), op.getIndices()[rowDim], type.getDimSize(0));
  Value size = b.createOrFold<memref::DimOp>(op.getSource(), colDim);
  Value cols = op.getColLimit() ? b.createOrFold<arith::MinSIOp>(op.getColLimit(), size) : size;
  colLimit = getRelativeLimit(b, cols, op.getIndices()[colDim], layout.cols);
}

/// Whether all elements exist and columns lie side by side.
Value BlockLoad::buildIsSimple() {
  Value colStride = view.getByteStride(cast<MemRefType>(op.getSource().getType()).getRank() - 1);
  Value isUnit = isEqual(colStride, arith::ConstantIndexOp::create(b, getElementBytes()));
  Value hasRows = isEqual(rowLimit, constantI32(b, type.getDimSize(0)));
  Value hasCols = isEqual(colLimit, constantI32(b, layout.cols));
  return b.createOrFold<arith::AndIOp>(isUnit, b.createOrFold<arith::AndIOp>(hasRows, hasCols));
}

/// Addresses of the first place of each row.
SmallVector<Value> BlockLoad::buildAddresses(Value colStride) {
  IRInt col = layout.getCol(thread, 0);
  Value base = view.getAddress(b, op.getIndices());
  if (shift) {
    // Places of later rows lie in front of the tile's first column.
    Value place = (col + layout.getRow(thread, 0) * -*shift).value;
    return {addIndex(b, base, mulIndex(b, b.createOrFold<arith::IndexCastOp>(b.getIndexType(), place), colStride))};
  }
  base = addIndex(b, base, mulIndex(b, toIndex(b, col.value), colStride));
  return llvm::map_to_vector(llvm::seq(layout.getNumRowElements()), [&](int64_t element) {
    Value row = toIndex(b, layout.getRow(thread, element).value);
    return addIndex(b, base, mulIndex(b, row, view.getByteStride(op.getRowDim())));
  });
}

SmallVector<Value> BlockLoad::loadSimple() {
  int64_t bytes = getElementBytes();
  SmallVector<Value> addresses = buildAddresses(arith::ConstantIndexOp::create(b, bytes));
  SmallVector<Value> values;
  for (auto &[place, elements] : places)
    values.push_back(buildInvariantLoad(b, type.getElementType(), addresses[place.first], place.second * bytes));
  return values;
}

/// Whether pairs of columns may be aligned in all rows of a thread.
bool BlockLoad::canLoadPairs() const {
  return shift.value_or(0) == 0 && (getElementBytes() == 2 || getElementBytes() == 4);
}

Value BlockLoad::buildIsAligned() {
  Value sum = view.getAddress(b, op.getIndices());
  if (!shift)
    sum = b.createOrFold<arith::OrIOp>(sum, view.getByteStride(op.getRowDim()));
  Value bits = b.createOrFold<arith::AndIOp>(sum, arith::ConstantIndexOp::create(b, 2 * getElementBytes() - 1));
  return isEqual(bits, arith::ConstantIndexOp::create(b, 0));
}

/// Places are in order, and with an even one there is the next.
SmallVector<Value> BlockLoad::loadPairs() {
  int64_t bytes = getElementBytes();
  SmallVector<Value> addresses = buildAddresses(arith::ConstantIndexOp::create(b, bytes));
  Type element = type.getElementType();
  SmallVector<Value> values;
  for (auto &[place, elements] : places) {
    if (place.second % 2 != 0)
      continue;
    Value pair = buildInvariantLoad(b, b.getIntegerType(16 * bytes), addresses[place.first], place.second * bytes);
    llvm::append_range(values, toElements(b, LLVM::BitcastOp::create(b, VectorType::get(2, element), pair)));
  }
  return values;
}

/// The places of a tile that lies whole inside memory without gaps.
SmallVector<Value> BlockLoad::loadWhole() {
  if (!canLoadPairs())
    return loadSimple();
  SmallVector<Type> types(places.size(), type.getElementType());
  auto branch = scf::IfOp::create(b, types, buildIsAligned(), /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loadPairs());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loadSimple());
  return branch.getResults();
}

/// Whether one of the elements of a place exists. With a positive shift that in the first row exists where another
/// does.
Value BlockLoad::buildExists(ArrayRef<int64_t> elements) {
  Value exists;
  for (int64_t element : shift.value_or(0) >= 0 ? elements.take_front() : elements) {
    Value row = layout.getRow(thread, layout.getRowElement(element)).value, col = layout.getCol(thread, element).value;
    Value own = andMask(b, isBelow(b, row, rowLimit), isBelow(b, col, colLimit));
    exists = exists ? b.createOrFold<arith::OrIOp>(exists, own) : own;
  }
  return exists;
}

SmallVector<Value> BlockLoad::loadPredicated() {
  int64_t colDim = cast<MemRefType>(op.getSource().getType()).getRank() - 1;
  Value colStride = hideInvariance(b, view.getByteStride(colDim));
  SmallVector<Value> addresses = buildAddresses(colStride), values;
  for (auto &[place, elements] : places) {
    Value offset = mulIndex(b, arith::ConstantIndexOp::create(b, place.second), colStride);
    Value address = addIndex(b, addresses[place.first], offset);
    values.push_back(buildPredicatedLoad(b, type.getElementType(), address, buildExists(elements)));
  }
  return values;
}

Value BlockLoad::build() {
  buildLimits();
  Value isSimple = buildIsSimple();
  SmallVector<Value> values, elements(layout.getNumElements());
  if (matchPattern(isSimple, m_One())) {
    values = loadWhole();
  } else {
    SmallVector<Type> types(places.size(), type.getElementType());
    auto branch = scf::IfOp::create(b, types, isSimple, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loadWhole());
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
struct BlockLoadPattern : OpConversionPattern<tile::LoadOp> {
  BlockLoadPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    if (!isBlock(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, BlockLoad(b, op).build());
    return success();
  }

private:
  static constexpr int64_t kMostShift = 2;

  static bool isBlock(tile::LoadOp op) {
    // With a large shift a thread has no element twice.
    if (std::optional<int64_t> shift = op.getShift())
      return std::abs(*shift) <= kMostShift;
    int64_t bits = cast<MemRefType>(op.getSource().getType()).getElementTypeBitWidth();
    bool isView = cast<MemRefType>(op.getSource().getType()).getRank() == 2;
    return isView && getTileType(op.getTile()).getRank() == 2 && (bits == 16 || bits == 32);
  }
};
} // namespace

void nvptx::populateRepeatedLoadPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BlockLoadPattern>(converter, patterns.getContext());
}
