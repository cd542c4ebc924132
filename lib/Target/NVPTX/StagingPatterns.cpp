//===- StagingPatterns.cpp - Copies to shared memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Byte offset of a slot in shared memory, i32.
static Value getSlotOffset(ImplicitLocOpBuilder &b, tile::SharedAttr encoding, Value slot) {
  return (IRInt{&b, slot} * encoding.getSlotBytes() + encoding.getOffset()).value;
}

/// Quotient and remainder of a non-negative number.
static Position<IRInt> divide(IRInt number, int64_t divisor) {
  Value count = number.constant(divisor).value;
  return {{number.b, number.b->createOrFold<arith::DivUIOp>(number.value, count)},
          {number.b, number.b->createOrFold<arith::RemUIOp>(number.value, count)}};
}

namespace {

/// The memory of a tile, and which of its rows and columns exist.
struct FetchSource {
  FetchSource(ImplicitLocOpBuilder &b, tile::FetchOp op)
      : view(b, op.getSource()), rowDim(op.getRowDim()),
        colDim(cast<MemRefType>(op.getSource().getType()).getRank() - 1), firstRow(op.getIndices()[rowDim]) {
    base = view.getAddress(b, op.getIndices(), rowDim);
    auto type = cast<RankedTensorType>(op.getLayout());
    rowLimit =
        op.getRowLimit() ? getRelativeLimit(b, op.getRowLimit(), op.getIndices()[rowDim], type.getDimSize(0)) : Value();
    Value cols = op.getColLimit() ? op.getColLimit() : getColumns(b, op);
    colLimit = getRelativeLimit(b, cols, op.getIndices()[colDim], type.getDimSize(1));
  }

  static Value getColumns(ImplicitLocOpBuilder &b, tile::FetchOp op) {
    auto type = cast<MemRefType>(op.getSource().getType());
    if (!type.isDynamicDim(type.getRank() - 1))
      return arith::ConstantIndexOp::create(b, type.getDimSize(type.getRank() - 1));
    return memref::DimOp::create(b, op.getSource(), type.getRank() - 1);
  }

  /// Address of an element of the tile. Only the last term changes from one iteration of a ring to the next; all others
  /// make one address per thread.
  Value getAddress(ImplicitLocOpBuilder &b, Value row, Value colBytes) const {
    Value stride = view.getByteStride(rowDim);
    Value address = addIndex(b, addIndex(b, base, mulIndex(b, toIndex(b, row), stride)), colBytes);
    return addIndex(b, address, mulIndex(b, firstRow, stride));
  }

  GlobalView view;
  int64_t rowDim, colDim;
  Value firstRow, base, rowLimit, colLimit;
};

/// Copies of 4, 8 or 16 bytes that run while the threads compute. What lies past a limit is filled with zeros.
class AsyncCopy {
public:
  AsyncCopy(ImplicitLocOpBuilder &b, tile::FetchOp op, Value slotOffset, int64_t unitBytes)
      : b(b), source(b, op), layout(getSharedLayout(cast<RankedTensorType>(op.getLayout()))), slotOffset(slotOffset),
        threads(getNumThreads(op)), unitBytes(unitBytes), units(layout.cols * layout.elementBytes / unitBytes) {}

  void build() {
    IRInt thread = getThread(b);
    if (int64_t lanes = getLanesOfRow())
      return buildRegular(thread, lanes);
    int64_t total = layout.rows * units;
    for (int64_t first = 0; first < total; first += threads) {
      IRInt unit = thread + first;
      // Threads past the end repeat units of the first ones: equal bytes to an equal place.
      if (first + threads > total)
        unit = {&b, arith::RemUIOp::create(b, unit.value, unit.constant(total).value)};
      auto [row, col] = divide(unit, units);
      copy(b, row, getAddress(row, col), getOffset(row, col, 0, 0), getBytes(col));
    }
  }

private:
  /// Copies of one body of a loop over rows.
  static constexpr int64_t kUnroll = 4;

  /// Lanes that copy one row side by side, so that each thread's units form columns; 0 if there is no such number.
  int64_t getLanesOfRow() const {
    auto isEven = [&](int64_t lanes) { return threads % lanes == 0 && layout.rows % (threads / lanes) == 0; };
    if (isEven(units))
      return units;
    // Whole chunks are few: rows one after the other were up to 15 % faster than columns of them.
    if (unitBytes == kChunkBytes)
      return 0;
    for (int64_t lanes = kLanes; lanes > 1; lanes /= 2)
      if (units % lanes == 0 && isEven(lanes))
        return lanes;
    return 0;
  }

  /// Each thread copies columns of units, in rows that are `threads / lanes` apart.
  void buildRegular(IRInt thread, int64_t lanes) {
    int64_t rowStep = threads / lanes;
    auto [row, lane] = divide(thread, lanes);
    for (int64_t first = 0; first < units; first += lanes)
      buildColumn(row, lane + first, rowStep);
  }

  /// Copies of a whole chunk are few: those are not in a loop.
  void buildColumn(IRInt row, IRInt col, int64_t rowStep) {
    Value address = getAddress(row, col), bytes = getBytes(col);
    Value step = mulIndex(b, source.view.getByteStride(source.rowDim), arith::ConstantIndexOp::create(b, rowStep));
    int64_t body = rowStep * kUnroll;
    if (unitBytes == kChunkBytes || layout.rows <= body || layout.rows % body != 0) {
      copyRows(b, row, col, address, bytes, layout.rows, rowStep, step);
      return;
    }
    auto loop =
        scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0), arith::ConstantIndexOp::create(b, layout.rows),
                           arith::ConstantIndexOp::create(b, body), address);
    ImplicitLocOpBuilder inside(b.getLoc(), OpBuilder::atBlockEnd(loop.getBody()));
    IRInt first{&inside, arith::IndexCastOp::create(inside, inside.getI32Type(), loop.getInductionVar())};
    Value next = copyRows(inside, first + row, {&inside, col.value}, loop.getRegionIterArgs().front(), bytes, body,
                          rowStep, step);
    scf::YieldOp::create(inside, next);
  }

  /// Copies unit `col` of rows `row`, `row + rowStep`, ... below `row + count`; returns the address behind the last
  /// one.
  Value copyRows(ImplicitLocOpBuilder &b, IRInt row, IRInt col, Value address, Value bytes, int64_t count,
                 int64_t rowStep, Value step) {
    for (int64_t first = 0; first < count; first += rowStep) {
      int64_t constRow = unitBytes < kChunkBytes || rowStep % 8 == 0 ? first / 8 * 8 : 0;
      copy(b, row + first, address, getOffset(row, col, first - constRow, constRow), bytes);
      address = addIndex(b, address, step);
    }
    return address;
  }

  /// Units of one element have any stride, longer ones lie side by side.
  Value getAddress(IRInt row, IRInt col) {
    Value colBytes = unitBytes == layout.elementBytes
                         ? mulIndex(b, toIndex(b, col.value), source.view.getByteStride(source.colDim))
                         : toIndex(b, (col * unitBytes).value);
    return source.getAddress(b, row.value, colBytes);
  }

  /// Place of unit `col` of row `row + rest + constRow` in its slot.
  SharedLayout::Offset<IRInt> getOffset(IRInt row, IRInt col, int64_t rest, int64_t constRow) {
    int64_t perChunk = kChunkBytes / unitBytes;
    IRInt chunk = perChunk == 1 ? col : divide({row.b, col.value}, perChunk).row;
    auto offset = layout.getChunk(row + rest, chunk, constRow, 0);
    if (perChunk > 1)
      offset.thread = offset.thread + (col & (perChunk - 1)) * unitBytes;
    return offset;
  }

  /// Bytes of a unit that exist in a row.
  Value getBytes(IRInt col) {
    IRInt limit{&b, source.colLimit};
    Value rest = arith::SubIOp::create(b, (limit * layout.elementBytes).value, (col * unitBytes).value);
    rest = arith::MaxSIOp::create(b, rest, limit.constant(0).value);
    return arith::MinSIOp::create(b, rest, limit.constant(unitBytes).value);
  }

  void copy(ImplicitLocOpBuilder &b, IRInt row, Value address, SharedLayout::Offset<IRInt> offset, Value bytes) {
    if (source.rowLimit)
      bytes = arith::SelectOp::create(b, isBelow(b, row.value, source.rowLimit), bytes, row.constant(0).value);
    Value pointer = getSharedPointer(b, (offset.thread + IRInt{&b, slotOffset} + offset.constant).value);
    Value i64 = arith::IndexCastOp::create(b, b.getI64Type(), address);
    Value global = LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 1), i64);
    auto modifier = unitBytes == kChunkBytes ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(b, pointer, global, unitBytes, modifier, bytes);
  }

  ImplicitLocOpBuilder &b;
  FetchSource source;
  SharedLayout layout;
  Value slotOffset;
  int64_t threads, unitBytes, units;
};

/// Copies elements that are too small for asynchronous copies one by one through registers: any stride, any alignment.
class ElementCopy {
public:
  ElementCopy(ImplicitLocOpBuilder &b, tile::FetchOp op, Value slotOffset)
      : source(b, op), type(cast<RankedTensorType>(op.getLayout())), layout(getSharedLayout(type)),
        slotOffset(slotOffset), threads(getNumThreads(op)) {
    if (!source.rowLimit)
      source.rowLimit = arith::ConstantIntOp::create(b, layout.rows, 32);
  }

  /// A loop over groups of elements, so that several loads are in flight.
  void build(ImplicitLocOpBuilder &b) {
    int64_t total = layout.rows * layout.cols, group = std::min<int64_t>(kGroup, (total + threads - 1) / threads);
    Value zero = arith::ConstantIndexOp::create(b, 0), end = arith::ConstantIndexOp::create(b, total);
    Value step = arith::ConstantIndexOp::create(b, group * threads);
    auto loop = scf::ForOp::create(b, zero, end, step);
    ImplicitLocOpBuilder inside(b.getLoc(), loop.getBody()->getTerminator());
    Value first = arith::IndexCastOp::create(inside, inside.getI32Type(), loop.getInductionVar());
    SmallVector<std::pair<Value, Value>> loaded;
    for (int64_t i = 0; i < group; ++i)
      loaded.push_back(load(inside, getThread(inside) + IRInt{&inside, first} + i * threads));
    for (auto [value, pointer] : loaded)
      LLVM::StoreOp::create(inside, value, pointer);
  }

private:
  static constexpr int64_t kGroup = 8;

  /// Loads element number `element`; returns it and its place. Elements past the end repeat the last one.
  std::pair<Value, Value> load(ImplicitLocOpBuilder &b, IRInt element) {
    Value last = element.constant(layout.rows * layout.cols - 1).value;
    element.value = arith::MinSIOp::create(b, element.value, last);
    auto [row, col] = divide(element, layout.cols);
    Value exists = andMask(b, isBelow(b, row.value, source.rowLimit), isBelow(b, col.value, source.colLimit));
    Value colBytes = mulIndex(b, toIndex(b, col.value), source.view.getByteStride(source.colDim));
    Value address = source.getAddress(b, row.value, colBytes);
    Value value = buildPredicatedLoad(b, type.getElementType(), address, exists);

    int64_t perChunk = kChunkBytes / layout.elementBytes;
    IRInt chunk{&b, arith::DivUIOp::create(b, col.value, col.constant(perChunk).value)};
    auto offset = layout.getChunk(row, chunk, 0, 0);
    IRInt byte = offset.thread + (col & (perChunk - 1)) * layout.elementBytes + IRInt{&b, slotOffset};
    return {value, getSharedPointer(b, byte.value)};
  }

  FetchSource source;
  RankedTensorType type;
  SharedLayout layout;
  Value slotOffset;
  int64_t threads;
};

struct FetchPattern : OpConversionPattern<tile::FetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::FetchOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto encoding = cast<tile::SharedAttr>(cast<RankedTensorType>(op.getLayout()).getEncoding());
    Value slotOffset = getSlotOffset(b, encoding, op.getSlot());
    int64_t unitBytes = std::min<int64_t>(op.getAlignment(), kChunkBytes);
    if (unitBytes >= kLeastCopyBytes)
      AsyncCopy(b, op, slotOffset, unitBytes).build();
    else
      ElementCopy(b, op, slotOffset).build(b);
    rewriter.eraseOp(op);
    return success();
  }
};

struct CommitPattern : OpConversionPattern<tile::CommitFetchesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::CommitFetchesOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct AwaitPattern : OpConversionPattern<tile::AwaitFetchesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::AwaitFetchesOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(), op.getPending());
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

struct StagedPattern : OpConversionPattern<tile::StagedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::StagedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto encoding = cast<tile::SharedAttr>(getTileType(op.getTile()).getEncoding());
    rewriter.replaceOp(op, getSlotOffset(b, encoding, adaptor.getSlot()));
    return success();
  }
};

struct BarrierPattern : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::BarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

} // namespace

void nvptx::populateStagingPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<FetchPattern, CommitPattern, AwaitPattern, StagedPattern, BarrierPattern>(converter,
                                                                                         patterns.getContext());
}
