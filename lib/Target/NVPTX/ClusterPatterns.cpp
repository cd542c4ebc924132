//===- ClusterPatterns.cpp - Exchange among the thread blocks of a cluster -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block writes its tiles to its own shared memory, waits for the cluster, and reads its slices of all of them.
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "Fragments.h"
#include "KernelInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {

/// Builds the accesses of one exchange.
class Exchange {
public:
  Exchange(ImplicitLocOpBuilder &b, tile::ExchangeOp op)
      : b(b), programs(op.getPrograms()), thread(getThread(b)), tiles(placeExchange(op, getNumComputing(op))) {}

  /// Threads that hold the tiles: the first ones of the block.
  static int64_t getNumComputing(tile::ExchangeOp op) {
    return getNumWarps(op->getParentOfType<FunctionOpInterface>()) * kLanes;
  }

  void write(ValueRange values) {
    for (auto [tile, value] : llvm::zip_equal(tiles, values)) {
      SmallVector<Value> elements = toElements(b, value);
      Value own = getSharedPointer(b, getChunk(tile).value);
      for (int64_t chunk = 0; chunk < tile.numChunks; ++chunk) {
        ArrayRef<Value> part = ArrayRef(elements).slice(chunk * tile.chunkElements, tile.chunkElements);
        LLVM::StoreOp::create(b, fromElements(b, part), offsetPointer(b, own, chunk * tile.chunkStride),
                              /*alignment=*/tile.getChunkBytes());
      }
    }
  }

  /// The results of the op.
  SmallVector<Value> read() {
    IRInt rank{&b, NVVM::BlockInClusterIdXOp::create(b, b.getI32Type())};
    Type peerType = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/7);
    SmallVector<Value> own = llvm::map_to_vector(
        tiles, [&](const ExchangedTile &tile) { return getSharedPointer(b, getFirstOfSlice(tile, rank).value); });
    SmallVector<Value> results;
    for (int64_t peer = 0; peer < programs; ++peer)
      for (auto [tile, pointer] : llvm::zip_equal(tiles, own))
        results.push_back(readSlice(tile, NVVM::MapaOp::create(b, peerType, pointer, constantI32(b, peer))));
    return results;
  }

private:
  /// Offset of this thread's first chunk.
  IRInt getChunk(const ExchangedTile &tile) { return thread * tile.getChunkBytes() + tile.offset; }

  IRInt getFirstOfSlice(const ExchangedTile &tile, IRInt rank) {
    if (!tile.isSliced())
      return getChunk(tile);
    IRInt column = rank * tile.sliceBlocks;
    column.value = b.createOrFold<arith::MinUIOp>(column.value, column.constant(tile.colBlocks).value);
    return getChunk(tile) + column * tile.chunkStride;
  }

  Value readSlice(const ExchangedTile &tile, Value pointer) {
    auto type = VectorType::get(tile.chunkElements, b.getF32Type());
    Value padding = tile.paddedBlocks > tile.sliceBlocks
                        ? arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f)).getResult()
                        : Value();
    SmallVector<Value> elements;
    for (int64_t row = 0; row < tile.numChunks; row += tile.colBlocks) {
      for (int64_t column = 0; column < tile.sliceBlocks; ++column) {
        Value chunk = offsetPointer(b, pointer, (row + column) * tile.chunkStride);
        llvm::append_range(elements,
                           toElements(b, LLVM::LoadOp::create(b, type, chunk, /*alignment=*/tile.getChunkBytes())));
      }
      elements.append((tile.paddedBlocks - tile.sliceBlocks) * tile.chunkElements, padding);
    }
    return fromElements(b, elements);
  }

  ImplicitLocOpBuilder &b;
  int64_t programs;
  IRInt thread;
  SmallVector<ExchangedTile> tiles;
};

struct ExchangePattern : OpConversionPattern<tile::ExchangeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::ExchangeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Exchange exchange(b, op);
    // Others may still multiply what lies there. (Kernels without roles have waited.)
    if (isWarpgroupKernel(op->getParentOfType<FunctionOpInterface>()))
      NVVM::BarrierOp::create(b, Type(), constantI32(b, BarrierNumber::kComputing),
                              constantI32(b, Exchange::getNumComputing(op)), NVVM::BarrierReductionAttr(), Value());
    exchange.write(adaptor.getTiles());
    NVVM::ClusterArriveOp::create(b, b.getUnitAttr());
    NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
    SmallVector<Value> parts = exchange.read();
    // `await_peers` has the wait.
    NVVM::ClusterArriveOp::create(b, b.getUnitAttr());
    rewriter.replaceOp(op, parts);
    return success();
  }
};

struct AwaitPeersPattern : OpConversionPattern<tile::AwaitPeersOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::AwaitPeersOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterWaitOp>(op, rewriter.getUnitAttr());
    return success();
  }
};

} // namespace

void nvptx::populateClusterPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ExchangePattern, AwaitPeersPattern>(converter, patterns.getContext());
}
