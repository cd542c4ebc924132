//===- BulkPatterns.cpp - Bulk copies to rings of shared memory -*- C++ -*-===//
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// How long one try to pass a barrier may suspend a thread, in nanoseconds; the wait repeats it.
static constexpr int64_t kWaitTicks = 10000000;

static tile::SwizzledAttr getRing(RankedTensorType type) { return cast<tile::SwizzledAttr>(type.getEncoding()); }

/// Barrier of a band of a slot; `barriers` is `full` or `empty` of the ring.
static Value getBarrier(ImplicitLocOpBuilder &b, tile::SwizzledAttr ring, int64_t barriers, IRInt slot,
                        std::optional<IRInt> band) {
  IRInt number = slot * ring.getParts();
  if (band)
    number = number + *band;
  return getSharedPointer(b, (number * SwizzledLayout::kBarrierBytes + barriers).value);
}

/// The optional operand `band` of an operation.
static std::optional<IRInt> toBand(ImplicitLocOpBuilder &b, Value band) {
  return band ? std::optional<IRInt>(IRInt{&b, band}) : std::nullopt;
}

static void waitFor(ImplicitLocOpBuilder &b, Value barrier, Value phase) {
  NVVM::MBarrierTryWaitParityOp::create(b, barrier, phase, constantI32(b, kWaitTicks));
}

/// Coordinates of a box, those of the last dimension first.
static SmallVector<Value> getCoordinates(ImplicitLocOpBuilder &b, ValueRange indices, int64_t rowDim, IRInt row,
                                         int64_t col) {
  SmallVector<Value> coordinates;
  int64_t lastDim = indices.size() - 1;
  for (int64_t dim = lastDim; dim >= 0; --dim) {
    IRInt index{&b, arith::IndexCastOp::create(b, b.getI32Type(), indices[dim])};
    coordinates.push_back(dim == rowDim ? (index + row).value : (index + (dim == lastDim ? col : 0)).value);
  }
  return coordinates;
}

namespace {

struct BulkFetchPattern : OpConversionPattern<tile::BulkFetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::BulkFetchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getLayout());
    SwizzledLayout layout = getSwizzledLayout(type);
    tile::SwizzledAttr ring = getRing(type);
    IRInt slot{&b, adaptor.getSlot()};
    Value isFree = (IRInt{&b, adaptor.getPhase()} ^ 1).value;
    IRInt offset = slot * ring.getSlotBytes() + ring.getOffset();
    int64_t cluster = ring.getCluster(), boxRows = layout.getBandRows() / cluster;
    IRInt rank{&b, cluster > 1 ? Value(NVVM::BlockInClusterIdXOp::create(b, b.getI32Type())) : constantI32(b, 0)};
    for (int64_t part = 0; part < ring.getParts(); ++part) {
      waitFor(b, getBarrier(b, ring, ring.getEmpty(), slot, slot.constant(part)), isFree);
      Value full = getBarrier(b, ring, ring.getFull(), slot, slot.constant(part));
      NVVM::MBarrierArriveExpectTxOp::create(b, b.getI64Type(), full, constantI32(b, layout.getCopiedBytes()),
                                             NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
      for (int64_t panel = 0; panel < layout.getCopiedPanels(); ++panel) {
        int64_t inside = part * layout.getBandBytes() + panel * layout.getPanelBytes();
        IRInt place = offset + rank * (boxRows * SwizzledLayout::kPanelPitch) + inside;
        IRInt row = rank * boxRows + part * layout.getBandRows();
        copy(b, op, place.value, full, row, panel * SwizzledLayout::kPanelCols, cluster);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }

  /// Begins the copy of one box to all blocks of the cluster.
  static void copy(ImplicitLocOpBuilder &b, tile::BulkFetchOp op, Value offset, Value barrier, IRInt row, int64_t col,
                   int64_t cluster) {
    SmallVector<Value> coordinates = getCoordinates(b, op.getIndices(), op.getRowDim(), row, col);
    Type clusterPointer = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/7);
    Value destination = LLVM::AddrSpaceCastOp::create(b, clusterPointer, getSharedPointer(b, offset));
    Value everyBlock = cluster > 1 ? Value(arith::ConstantIntOp::create(b, (1 << cluster) - 1, 16)) : Value();
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, destination, op.getMap(), coordinates, barrier, /*im2colOffsets=*/ValueRange(), everyBlock,
        /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(),
        /*predicate=*/Value());
  }
};

struct AwaitTilePattern : OpConversionPattern<tile::AwaitTileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::AwaitTileOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = getTileType(op.getTile());
    tile::SwizzledAttr ring = getRing(type);
    IRInt slot{&b, adaptor.getSlot()};
    IRInt place = slot * (ring.getSlotBytes() / SwizzledLayout::kUnit) + ring.getOffset() / SwizzledLayout::kUnit;
    std::optional<IRInt> band = toBand(b, adaptor.getBand());
    if (band)
      place = place + *band * (getSwizzledLayout(type).getBandBytes() / SwizzledLayout::kUnit);
    waitFor(b, getBarrier(b, ring, ring.getFull(), slot, band), adaptor.getPhase());
    rewriter.replaceOp(op, place.value);
    return success();
  }
};

/// In each warp one lane arrives for each block of the cluster; a predicate costs less than a branch.
struct ReleasePattern : OpConversionPattern<tile::ReleaseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::ReleaseOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    tile::SwizzledAttr ring = getRing(getTileType(op.getTile()));
    std::optional<IRInt> band = toBand(b, adaptor.getBand());
    Value barrier = getBarrier(b, ring, ring.getEmpty(), IRInt{&b, adaptor.getSlot()}, band);
    Value lane = (getThread(b) & (kLanes - 1)).value;
    Value arrives = isBelow(b, lane, constantI32(b, ring.getCluster()));
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), barrier);
    if (adaptor.getAfter())
      address = addNothingOf(b, address, adaptor.getAfter());
    if (ring.getCluster() > 1)
      buildAsm(
          b, Type(), {address, arrives, lane},
          "{ .reg .b32 a; @$1 mapa.shared::cluster.u32 a, $0, $2; @$1 mbarrier.arrive.shared::cluster.b64 _, [a]; }",
          "r,b,r,~{memory}", /*hasSideEffects=*/true);
    else
      buildAsm(b, Type(), {address, arrives}, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,~{memory}",
               /*hasSideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }

  /// `address`, known only when the values are: shifts by more than 31 give 0, which the assembler cannot see of this
  /// one.
  static Value addNothingOf(ImplicitLocOpBuilder &b, Value address, Value values) {
    IRInt thread = getThread(b);
    Value far = arith::OrIOp::create(b, thread.value, constantI32(b, 64));
    for (Value value : toElements(b, values)) {
      Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
      address =
          buildAsm(b, b.getI32Type(), {bits, far, address}, "{ .reg .b32 z; shr.u32 z, $1, $2; add.u32 $0, z, $3; }",
                   "=r,r,r,r", /*hasSideEffects=*/false);
    }
    return address;
  }
};

/// Every warp writes its accumulators to its warpgroup's band with matrix stores, then one thread begins the copies.
struct BulkStorePattern : OpConversionPattern<tile::BulkStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::BulkStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getLayout());
    SwizzledLayout layout = getSwizzledLayout(type);
    IRInt band{&b, adaptor.getBand()};
    IRInt base = band * layout.getBandBytes() + getRing(type).getOffset();
    IRInt thread = getThread(b) & (kWarpsOfGroup * kLanes - 1);
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread.value, constantI32(b, 0));

    auto earlier = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(earlier.thenBlock());
    NVVM::CpAsyncBulkWaitGroupOp::create(b, /*group=*/0, /*read=*/b.getUnitAttr());
    b.setInsertionPointAfter(earlier);
    synchronizeWarpgroup(b, band);
    storeMatrices(b, getAccLayout(getTileType(op.getTile())), adaptor.getTile(), layout, base, thread);
    NVVM::FenceProxyOp::create(b, NVVM::ProxyKind::async_shared,
                               NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
    synchronizeWarpgroup(b, band);
    auto copies = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(copies.thenBlock());
    for (int64_t panel = 0; panel < layout.getPanels(); ++panel)
      copy(b, op, (base + panel * layout.getPanelBytes()).value, band * layout.getBandRows(),
           panel * SwizzledLayout::kPanelCols);
    NVVM::CpAsyncBulkCommitGroupOp::create(b);
    rewriter.eraseOp(op);
    return success();
  }

  static void synchronizeWarpgroup(ImplicitLocOpBuilder &b, IRInt number) {
    NVVM::BarrierOp::create(b, Type(), (number + BarrierNumber::kFirstOfWarpgroups).value,
                            constantI32(b, kWarpsOfGroup * kLanes), NVVM::BarrierReductionAttr(), Value());
  }

  /// A lane names a row of one of four matrices: rows 0-7 and 8-15 of one column block, then those of the next one.
  static void storeMatrices(ImplicitLocOpBuilder &b, const AccLayout &acc, Value tile, const SwizzledLayout &layout,
                            IRInt base, IRInt thread) {
    auto words = VectorType::get(acc.getNumElements() / 2, b.getI32Type());
    SmallVector<Value> values = toElements(b, vector::BitCastOp::create(b, words, tile));
    IRInt lane = thread & (kLanes - 1), row = (lane & 15) + (thread >> 5) * kMmaRows;
    IRInt rowOffset = base + row * SwizzledLayout::kPanelPitch;
    int64_t chunksPerPanel = SwizzledLayout::kPanelPitch / kChunkBytes;
    for (int64_t colBlock = 0; colBlock < acc.getColBlocks(); colBlock += 2) {
      IRInt chunk = ((lane >> 4) + colBlock % chunksPerPanel) ^ (lane & 7);
      IRInt offset = rowOffset + chunk * kChunkBytes + colBlock / chunksPerPanel * layout.getPanelBytes();
      SmallVector<Value> matrices;
      for (int64_t matrix = 0; matrix < 4; ++matrix)
        matrices.push_back(values[acc.getElement(0, colBlock + matrix / 2, matrix % 2 * 2) / 2]);
      NVVM::StMatrixOp::create(b, getSharedPointer(b, offset.value), matrices, NVVM::MMALayout::row,
                               NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
    }
  }

  static void copy(ImplicitLocOpBuilder &b, tile::BulkStoreOp op, Value offset, IRInt row, int64_t col) {
    SmallVector<Value> coordinates = getCoordinates(b, op.getIndices(), op.getRowDim(), row, col);
    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(b, op.getMap(), getSharedPointer(b, offset), coordinates,
                                                       /*l2CacheHint=*/Value(), NVVM::TMAStoreModeAttr(),
                                                       /*predicate=*/Value());
  }
};

/// Each warpgroup clears all rows: it may not wait here for others, which may be waiting for its turn to end. What one
/// writes late is zero already for those that read.
struct ClearRowsPattern : OpConversionPattern<tile::ClearRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::ClearRowsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SwizzledLayout layout = getSwizzledLayout(getTileType(op.getTile()));
    constexpr int64_t threads = kWarpsOfGroup * kLanes;
    IRInt thread = getThread(b), number = thread >> 7;
    Value rest = getRelativeLimit(b, adaptor.getLimit(), adaptor.getFirst(), layout.rows);
    auto crosses = scf::IfOp::create(b, isBelow(b, rest, constantI32(b, layout.rows)), /*withElseRegion=*/false);
    b.setInsertionPointToStart(crosses.thenBlock());
    // Chunks of 16 bytes from the first row on that does not exist, panel after panel.
    int64_t chunks = SwizzledLayout::kPanelPitch / kChunkBytes;
    Value begin =
        arith::IndexCastOp::create(b, b.getIndexType(), (IRInt{&b, rest} * chunks + (thread & (threads - 1))).value);
    Value end = arith::ConstantIndexOp::create(b, layout.rows * chunks);
    auto loop = scf::ForOp::create(b, begin, end, arith::ConstantIndexOp::create(b, threads));
    b.setInsertionPointToStart(loop.getBody());
    IRInt chunk{&b, arith::IndexCastOp::create(b, b.getI32Type(), loop.getInductionVar())};
    auto word = VectorType::get(4, b.getI32Type());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(word));
    for (int64_t panel = 0; panel < layout.getCopiedPanels(); ++panel) {
      IRInt offset =
          IRInt{&b, adaptor.getTile()} * SwizzledLayout::kUnit + chunk * kChunkBytes + panel * layout.getPanelBytes();
      LLVM::StoreOp::create(b, zero, getSharedPointer(b, offset.value), /*alignment=*/kChunkBytes);
    }
    b.setInsertionPointAfter(loop);
    NVVM::FenceProxyOp::create(b, NVVM::ProxyKind::async_shared,
                               NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
    NVVM::BarrierOp::create(b, Type(), (number + BarrierNumber::kFirstOfWarpgroups).value, constantI32(b, threads),
                            NVVM::BarrierReductionAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void nvptx::populateBulkPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BulkFetchPattern, AwaitTilePattern, ReleasePattern, BulkStorePattern, ClearRowsPattern>(
      converter, patterns.getContext());
}
