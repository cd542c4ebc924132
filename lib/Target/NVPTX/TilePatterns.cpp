//===- TilePatterns.cpp - Elementwise operations, coordinates and reductions of tiles -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {

/// An elementwise operation on tiles becomes the same operation on vectors.
struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() != 0)
      return failure();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    Operation *newOp = rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands, types, op->getAttrs());
    rewriter.replaceOp(op, newOp->getResults());
    return success();
  }
};

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = getTypeConverter()->convertType<VectorType>(op.getType());
    if (!splat || !type)
      return rewriter.notifyMatchFailure(op, "not a splat constant tile");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    return success();
  }
};

struct SplatPattern : OpConversionPattern<tile::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::SplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type, adaptor.getScalar());
    return success();
  }
};

struct BroadcastPattern : OpConversionPattern<tile::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::BroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    AccLayout layout = getAccLayout(getTileType(op.getTile()));
    SmallVector<Value> rows = toElements(b, adaptor.getRows()), elements;
    for (int64_t i = 0; i < layout.getNumElements(); ++i)
      elements.push_back(rows[layout.getRowElement(i)]);
    rewriter.replaceOp(op, fromElements(b, elements));
    return success();
  }
};

struct IotaPattern : OpConversionPattern<tile::IotaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::IotaOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = getTileType(op.getTile());
    AccLayout layout = getAccLayout(type);
    IRInt thread = getThread(b);
    SmallVector<Value> elements;
    for (int64_t i = 0, n = getNumElements(type); i < n; ++i) {
      Value position = op.getDim() == 1      ? layout.getCol(thread, i).value
                       : type.getRank() == 1 ? layout.getRow(thread, i).value
                                             : layout.getRow(thread, layout.getRowElement(i)).value;
      elements.push_back(type.getElementType().isIndex() ? toIndex(b, position) : position);
    }
    rewriter.replaceOp(op, fromElements(b, elements));
    return success();
  }
};

/// Comparing column numbers with one bound per row: `column < bound` becomes `constant < bound - first column of the
/// thread`, which needs no register for each column. Bounds are at most 2^30 by the contract of `attn-to-tile`.
struct CompareColumnsPattern : OpConversionPattern<arith::CmpIOp> {
  CompareColumnsPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto columns = op.getLhs().getDefiningOp<tile::IotaOp>();
    auto bounds = op.getRhs().getDefiningOp<tile::BroadcastOp>();
    if (!columns || !bounds || columns.getDim() != 1 || !getElementTypeOrSelf(columns.getType()).isInteger(32))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    AccLayout layout = getAccLayout(getTileType(op.getResult()));
    IRInt first = layout.getCol(getThread(b), 0);
    SmallVector<Value> relative, elements;
    for (Value bound : toElements(b, rewriter.getRemappedValue(bounds.getRows())))
      relative.push_back(arith::SubIOp::create(b, bound, first.value));
    for (int64_t i = 0; i < layout.getNumElements(); ++i) {
      Value column = first.constant(layout.getCol<int64_t>(/*thread=*/0, i)).value;
      elements.push_back(arith::CmpIOp::create(b, op.getPredicate(), column, relative[layout.getRowElement(i)]));
    }
    rewriter.replaceOp(op, fromElements(b, elements));
    return success();
  }
};

/// The operand that `value` extends to twice its 32 bits; null for another value.
static Value getExtended(Value value) {
  auto extend = value.getDefiningOp<arith::ExtUIOp>();
  return extend && getElementTypeOrSelf(extend.getIn().getType()).isInteger(32) ? extend.getIn() : Value();
}

/// The upper half of a product of two i32 is an instruction of its own.
struct MultiplyHighPattern : OpConversionPattern<arith::TruncIOp> {
  MultiplyHighPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::TruncIOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto shift = op.getIn().getDefiningOp<arith::ShRUIOp>();
    auto product = shift ? shift.getLhs().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
    APInt bits;
    if (!product || !matchPattern(shift.getRhs(), m_ConstantInt(&bits)) || bits != 32 ||
        !getElementTypeOrSelf(product.getType()).isInteger(64) || !getElementTypeOrSelf(op.getType()).isInteger(32))
      return failure();
    Value lhs = getExtended(product.getLhs()), rhs = getExtended(product.getRhs());
    if (!lhs || !rhs || !isa<RankedTensorType>(lhs.getType()) || !isa<RankedTensorType>(rhs.getType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> elements;
    for (auto [l, r] :
         llvm::zip_equal(toElements(b, rewriter.getRemappedValue(lhs)), toElements(b, rewriter.getRemappedValue(rhs))))
      elements.push_back(
          LLVM::CallIntrinsicOp::create(b, b.getI32Type(), b.getStringAttr("llvm.nvvm.mulhi.ui"), ValueRange{l, r})
              .getResult(0));
    rewriter.replaceOp(op, fromElements(b, elements));
    return success();
  }
};

/// Column numbers as floats times a slope, added to one value per row: `column * slope + row` becomes `constant * slope
/// + (first column of the thread * slope + row)`, which needs no conversion for each column.
struct FmaColumnsPattern : OpConversionPattern<math::FmaOp> {
  FmaColumnsPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::FmaOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto convert = op.getA().getDefiningOp<arith::SIToFPOp>();
    auto columns = convert ? convert.getIn().getDefiningOp<tile::IotaOp>() : tile::IotaOp();
    if (!columns || columns.getDim() != 1 || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> slopes = getRowValues(b, op.getB(), rewriter), rows = getRowValues(b, op.getC(), rewriter);
    if (slopes.empty() || rows.empty())
      return failure();
    AccLayout layout = getAccLayout(getTileType(op.getResult()));
    Value first = arith::SIToFPOp::create(b, b.getF32Type(), layout.getCol(getThread(b), 0).value);
    slopes.resize(layout.getNumRowElements(), slopes.front());
    rows.resize(layout.getNumRowElements(), rows.front());
    SmallVector<Value> elements;
    for (auto [slope, row] : llvm::zip_equal(slopes, rows))
      row = math::FmaOp::create(b, first, slope, row);
    for (int64_t i = 0; i < layout.getNumElements(); ++i) {
      int64_t row = layout.getRowElement(i);
      Value column = arith::ConstantOp::create(b, b.getF32FloatAttr(layout.getCol<int64_t>(/*thread=*/0, i)));
      elements.push_back(math::FmaOp::create(b, column, slopes[row], rows[row]));
    }
    rewriter.replaceOp(op, fromElements(b, elements));
    return success();
  }

  /// The values of a thread's rows in a tile that is constant along them, or one for all; empty for other tiles.
  static SmallVector<Value> getRowValues(ImplicitLocOpBuilder &b, Value tile, ConversionPatternRewriter &rewriter) {
    if (auto broadcast = tile.getDefiningOp<tile::BroadcastOp>())
      return toElements(b, rewriter.getRemappedValue(broadcast.getRows()));
    if (auto splat = tile.getDefiningOp<tile::SplatOp>())
      return {rewriter.getRemappedValue(splat.getScalar())};
    SplatElementsAttr constant;
    if (matchPattern(tile, m_Constant(&constant)))
      return {arith::ConstantOp::create(b, cast<TypedAttr>(constant.getSplatValue<Attribute>()))};
    return {};
  }
};

/// Each thread reduces its own elements of a row, then the four lanes that share the row exchange theirs.
struct RowReducePattern : OpConversionPattern<tile::RowReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  static Value combine(ImplicitLocOpBuilder &b, tile::ReduceKind kind, Value lhs, Value rhs) {
    if (kind == tile::ReduceKind::Max)
      return arith::MaxNumFOp::create(b, lhs, rhs);
    return arith::AddFOp::create(b, lhs, rhs);
  }

  /// A balanced tree: short chains of dependent operations.
  static Value reduce(ImplicitLocOpBuilder &b, tile::ReduceKind kind, ArrayRef<Value> values) {
    if (values.size() == 1)
      return values.front();
    size_t half = values.size() / 2;
    return combine(b, kind, reduce(b, kind, values.take_front(half)), reduce(b, kind, values.drop_front(half)));
  }

  static Value exchange(ImplicitLocOpBuilder &b, tile::ReduceKind kind, Value value) {
    Value all = arith::ConstantIntOp::create(b, -1, 32), clamp = arith::ConstantIntOp::create(b, 31, 32);
    for (int64_t distance : {1, 2}) {
      Value other = NVVM::ShflOp::create(b, value.getType(), all, value, arith::ConstantIntOp::create(b, distance, 32),
                                         clamp, NVVM::ShflKind::bfly, /*return_value_and_is_valid=*/UnitAttr());
      value = combine(b, kind, value, other);
    }
    return value;
  }

  LogicalResult matchAndRewrite(tile::RowReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = getTileType(op.getTile());
    AccLayout layout = getAccLayout(type);
    if (!type.getElementType().isF32() || type.getDimSize(1) != layout.cols)
      return op.emitError() << "a GPU row reduction needs f32 and a multiple of 16 columns, but got " << type;
    SmallVector<Value> elements = toElements(b, adaptor.getTile()), inits = toElements(b, adaptor.getInit()), results;
    for (auto [row, init] : llvm::enumerate(inits)) {
      SmallVector<Value> own;
      for (auto [i, element] : llvm::enumerate(elements))
        if (layout.getRowElement(i) == static_cast<int64_t>(row))
          own.push_back(element);
      results.push_back(combine(b, op.getKind(), exchange(b, op.getKind(), reduce(b, op.getKind(), own)), init));
    }
    rewriter.replaceOp(op, fromElements(b, results));
    return success();
  }
};

/// Threads hold the elements of a column block in the same places: block is joined with block by `JoinOp`.
template <typename FoldOp, typename JoinOp> struct FoldPattern : OpConversionPattern<FoldOp> {
  using OpConversionPattern<FoldOp>::OpConversionPattern;

  LogicalResult matchAndRewrite(FoldOp op, typename FoldOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    AccLayout layout = getAccLayout(getTileType(op.getTile())), folded = getAccLayout(getTileType(op.getResult()));
    SmallVector<Value> elements = toElements(b, adaptor.getTile()), joined(folded.getNumElements());
    for (int64_t rowBlock = 0; rowBlock < layout.getRowBlocks(); ++rowBlock)
      for (int64_t colBlock = 0; colBlock < layout.getColBlocks(); ++colBlock)
        for (int64_t r = 0; r < 4; ++r) {
          Value &result = joined[folded.getElement(rowBlock, colBlock % folded.getColBlocks(), r)];
          Value element = elements[layout.getElement(rowBlock, colBlock, r)];
          result = result ? JoinOp::create(b, result, element).getResult() : element;
        }
    rewriter.replaceOp(op, fromElements(b, joined));
    return success();
  }
};

/// Blocks of eight columns are whole in each thread.
struct ColumnsPattern : OpConversionPattern<tile::ColumnsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::ColumnsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = getTileType(op.getResult());
    AccLayout layout = getAccLayout(getTileType(op.getTile())), result = getAccLayout(type);
    int64_t first = op.getFirst();
    if (first % kMmaCols != 0 || type.getDimSize(1) != result.cols)
      return op.emitError() << "a GPU takes columns of a tile in blocks of " << kMmaCols << ", but these are "
                            << type.getDimSize(1) << " from " << first << " on";
    SmallVector<Value> elements = toElements(b, adaptor.getTile()), taken;
    for (int64_t rowBlock = 0; rowBlock < result.getRowBlocks(); ++rowBlock)
      for (int64_t colBlock = 0; colBlock < result.getColBlocks(); ++colBlock)
        for (int64_t r = 0; r < 4; ++r)
          taken.push_back(elements[layout.getElement(rowBlock, first / kMmaCols + colBlock, r)]);
    rewriter.replaceOp(op, fromElements(b, taken));
    return success();
  }
};

} // namespace

void nvptx::populateTilePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ElementwisePattern, CompareColumnsPattern, MultiplyHighPattern, FmaColumnsPattern>(
      converter, patterns.getContext());
  patterns.add<ConstantPattern, SplatPattern, BroadcastPattern, IotaPattern, RowReducePattern,
               FoldPattern<tile::FoldOp, arith::AddFOp>, FoldPattern<tile::FoldBitsOp, arith::OrIOp>, ColumnsPattern>(
      converter, patterns.getContext());
}
