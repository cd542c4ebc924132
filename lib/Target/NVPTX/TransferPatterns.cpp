//===- TransferPatterns.cpp - Loads and stores between memory and registers -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {

/// Addresses and existence of the elements of a tile spread over threads.
class Elements {
public:
  template <typename TransferOp>
  Elements(ImplicitLocOpBuilder &b, TransferOp op, Value memref, RankedTensorType type)
      : b(b), type(type), layout(getAccLayout(type)), thread(getThread(b)), view(b, memref),
        address(view.getAddress(b, op.getIndices())) {
    int64_t rowDim = op.getRowDim(), colDim = cast<MemRefType>(memref.getType()).getRank() - 1;
    rowStride = view.getByteStride(rowDim);
    rowLimit = getRelativeLimit(b, op.getRowLimit(), op.getIndices()[rowDim], type.getDimSize(0));
    if (type.getRank() == 1)
      return;
    colStride = view.getByteStride(colDim);
    // Each element has an offset of its own. (Tiles of two row blocks a warp, which reuse each offset, spill less
    // without.)
    if (layout.getRowBlocks() == 1)
      colStride = hideInvariance(b, colStride);
    Value cols = op.getColLimit() ? op.getColLimit() : memref::DimOp::create(b, memref, colDim).getResult();
    colLimit = getRelativeLimit(b, cols, op.getIndices()[colDim], type.getDimSize(1));
  }

  struct Element {
    Value address, exists;
  };

  /// Element `i` of the thread; `width` adjacent columns, `shift` (null: 0) columns further on.
  Element get(int64_t i, int64_t width = 1, Value shift = Value()) {
    int64_t rowElement = type.getRank() == 1 ? i : layout.getRowElement(i);
    Element &row = getRow(rowElement);
    if (type.getRank() == 1)
      return row;
    IRInt col = layout.getCol(thread, i);
    if (shift)
      col = col + IRInt{&b, shift};
    Value exists = andMask(b, row.exists, isBelow(b, (col + (width - 1)).value, colLimit));
    return {addIndex(b, row.address, mulIndex(b, toIndex(b, col.value), colStride)), exists};
  }

private:
  Element &getRow(int64_t rowElement) {
    auto [it, inserted] = rows.try_emplace(rowElement);
    if (inserted) {
      IRInt row = layout.getRow(thread, rowElement);
      it->second = {addIndex(b, address, mulIndex(b, toIndex(b, row.value), rowStride)),
                    isBelow(b, row.value, rowLimit)};
    }
    return it->second;
  }

  ImplicitLocOpBuilder &b;
  RankedTensorType type;
  AccLayout layout;
  IRInt thread;
  GlobalView view;
  Value address, rowStride, colStride, rowLimit, colLimit;
  llvm::DenseMap<int64_t, Element> rows;
};

struct LoadPattern : OpConversionPattern<tile::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = getTileType(op.getTile());
    Elements elements(b, op, op.getSource(), type);
    SmallVector<Value> values;
    int64_t width = canLoadPairs(op, type) ? 2 : 1;
    for (int64_t i = 0, n = getNumElements(type); i < n; i += width) {
      auto [address, exists] = elements.get(i, width);
      if (width == 1) {
        values.push_back(buildPredicatedLoad(b, type.getElementType(), address, exists));
        continue;
      }
      Value pair = buildPredicatedLoad(b, b.getI64Type(), address, exists);
      pair = LLVM::BitcastOp::create(b, VectorType::get(width, type.getElementType()), pair);
      llvm::append_range(values, toElements(b, pair));
    }
    rewriter.replaceOp(op, fromElements(b, values));
    return success();
  }

  /// Adjacent 32-bit columns in one access: rows are contiguous where more than an element is aligned, and an even
  /// number of columns keeps pairs whole.
  static bool canLoadPairs(tile::LoadOp op, RankedTensorType type) {
    auto memref = cast<MemRefType>(op.getSource().getType());
    return type.getRank() == 2 && memref.getElementTypeBitWidth() == 32 && !op.getColLimit() &&
           static_cast<int64_t>(op.getAlignment()) % 8 == 0 && memref.getShape().back() % 2 == 0 &&
           !memref.isDynamicDim(memref.getRank() - 1);
  }
};

struct StorePattern : OpConversionPattern<tile::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = getTileType(op.getTile());
    Elements elements(b, op, op.getDestination(), type);
    SmallVector<Value> values = toElements(b, adaptor.getTile());
    if (type.getRank() == 1)
      storeRows(b, elements, values);
    else if (type.getElementTypeBitWidth() == 16 && type.getDimSize(1) % (2 * kMmaCols) == 0 && canStoreAtOnce(op, 4))
      storeQuadruples(b, elements, values, getAccLayout(type));
    else if (type.getElementTypeBitWidth() >= 16 && canStoreAtOnce(op, 2))
      storePairs(b, elements, values);
    else
      for (auto [i, value] : llvm::enumerate(values)) {
        auto [address, exists] = elements.get(i);
        buildPredicatedStore(b, value, address, exists);
      }
    rewriter.eraseOp(op);
    return success();
  }

  /// An alignment above the element's means that rows are contiguous; limits that `count` divides keep groups whole.
  static bool canStoreAtOnce(tile::StoreOp op, int64_t count) {
    auto memref = cast<MemRefType>(op.getDestination().getType());
    return !op.getColLimit() &&
           static_cast<int64_t>(op.getAlignment()) * 8 % (count * memref.getElementTypeBitWidth()) == 0 &&
           memref.getShape().back() % count == 0;
  }

  /// Two lanes that share a row have adjacent pairs of each block of eight columns. Of two blocks the even lane takes
  /// both pairs of the first one, the odd lane those of the second one: the four lanes write 32 bytes side by side.
  static void storeQuadruples(ImplicitLocOpBuilder &b, Elements &elements, ArrayRef<Value> values,
                              const AccLayout &layout) {
    IRInt bit = getThread(b) & 1;
    Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit.value, constantI32(b, 0));
    Value shift = (bit * (kMmaCols - 2)).value;
    auto getWord = [&](int64_t element) -> Value {
      return LLVM::BitcastOp::create(b, b.getI32Type(), fromElements(b, values.slice(element, 2)));
    };
    for (int64_t rowBlock = 0; rowBlock < layout.getRowBlocks(); ++rowBlock)
      for (int64_t colBlock = 0; colBlock < layout.getColBlocks(); colBlock += 2)
        for (int64_t half : {0, 2}) {
          int64_t first = layout.getElement(rowBlock, colBlock, half);
          Value low = getWord(first), high = getWord(layout.getElement(rowBlock, colBlock + 1, half));
          Value own = arith::SelectOp::create(b, isOdd, high, low), sent = arith::SelectOp::create(b, isOdd, low, high);
          Value got = NVVM::ShflOp::create(b, b.getI32Type(), constantI32(b, -1), sent, constantI32(b, 1),
                                           constantI32(b, kLanes - 1), NVVM::ShflKind::bfly, UnitAttr());
          Value words = fromElements(
              b, {arith::SelectOp::create(b, isOdd, got, own), arith::SelectOp::create(b, isOdd, own, got)});
          auto [address, exists] = elements.get(first, /*width=*/4, shift);
          buildPredicatedStore(b, words, address, exists);
        }
  }

  static void storePairs(ImplicitLocOpBuilder &b, Elements &elements, ArrayRef<Value> values) {
    for (size_t i = 0; i < values.size(); i += 2) {
      auto [address, exists] = elements.get(i, /*width=*/2);
      buildPredicatedStore(b, fromElements(b, values.slice(i, 2)), address, exists);
    }
  }

  /// One of the four lanes that share a row stores it.
  static void storeRows(ImplicitLocOpBuilder &b, Elements &elements, ArrayRef<Value> values) {
    IRInt quad = getThread(b) & 3;
    Value leads = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, quad.value, quad.constant(0).value);
    for (auto [i, value] : llvm::enumerate(values)) {
      auto [address, exists] = elements.get(i);
      buildPredicatedStore(b, value, address, andMask(b, exists, leads));
    }
  }
};

struct GatherPattern : OpConversionPattern<tile::GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = getTileType(op.getTile());
    GlobalView view(b, op.getSource());
    int64_t count = getNumElements(type);
    SmallVector<Value> masks = toElements(b, adaptor.getMask()), values, addresses, bases;
    for (Value index : op.getIndices())
      bases.push_back(getBase(b, index, rewriter));
    addresses.assign(count, view.getAddress(b, bases));
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      Value offset = getOffset(index);
      if (!isa<RankedTensorType>(offset.getType()))
        continue;
      for (auto [address, element] : llvm::zip_equal(addresses, toElements(b, rewriter.getRemappedValue(offset))))
        address = addIndex(b, address, mulIndex(b, element, view.getByteStride(dim)));
    }
    for (auto [address, mask] : llvm::zip_equal(addresses, masks))
      values.push_back(buildPredicatedLoad(b, type.getElementType(), address, mask));
    rewriter.replaceOp(op, fromElements(b, values));
    return success();
  }

private:
  /// The splat in a sum with one, or null: what all elements have in common is added to the address once.
  static tile::SplatOp getSplat(Value index) {
    auto sum = index.getDefiningOp<arith::AddIOp>();
    return sum ? sum.getRhs().getDefiningOp<tile::SplatOp>() : tile::SplatOp();
  }

  static Value getOffset(Value index) { return getSplat(index) ? index.getDefiningOp()->getOperand(0) : index; }

  static Value getBase(ImplicitLocOpBuilder &b, Value index, ConversionPatternRewriter &rewriter) {
    if (tile::SplatOp splat = getSplat(index))
      return rewriter.getRemappedValue(splat.getScalar());
    return isa<RankedTensorType>(index.getType()) ? arith::ConstantIndexOp::create(b, 0).getResult() : index;
  }
};

} // namespace

void nvptx::populateTransferPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, GatherPattern>(converter, patterns.getContext());
}
