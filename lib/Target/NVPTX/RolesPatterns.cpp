//===- RolesPatterns.cpp - Warps with roles -*- C++ -*-===//
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

static Value isEqual(ImplicitLocOpBuilder &b, Value lhs, int64_t rhs) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs, constantI32(b, rhs));
}

/// The shuffle tells the assembler that the number is the same in the whole warp.
static Value getWarpgroup(ImplicitLocOpBuilder &b) {
  Value number = (getThread(b) >> 7).value;
  return NVVM::ShflOp::create(b, b.getI32Type(), constantI32(b, -1), number, constantI32(b, 0),
                              constantI32(b, kLanes - 1), NVVM::ShflKind::idx,
                              /*return_value_and_is_valid=*/UnitAttr());
}

namespace {

struct WarpgroupPattern : OpConversionPattern<tile::WarpgroupOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::WarpgroupOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, getWarpgroup(b));
    return success();
  }
};

struct NumProgramsPattern : OpConversionPattern<tile::NumProgramsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::NumProgramsOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, toIndex(b, NVVM::GridDimXOp::create(b, b.getI32Type())));
    return success();
  }
};

struct AwaitTurnPattern : OpConversionPattern<tile::AwaitTurnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::AwaitTurnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value barrier = (IRInt{&b, adaptor.getWarpgroup()} + BarrierNumber::kFirstTurn).value;
    NVVM::BarrierOp::create(b, Type(), barrier, constantI32(b, 2 * kWarpsOfGroup * kLanes),
                            NVVM::BarrierReductionAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct PassTurnPattern : OpConversionPattern<tile::PassTurnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::PassTurnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    IRInt next = IRInt{&b, adaptor.getWarpgroup()} + 1;
    Value wraps = isEqual(b, next.value, op.getWarpgroups());
    IRInt wrapped{&b, arith::SelectOp::create(b, wraps, constantI32(b, 0), next.value)};
    NVVM::BarrierArriveOp::create(b, (wrapped + BarrierNumber::kFirstTurn).value,
                                  constantI32(b, 2 * kWarpsOfGroup * kLanes));
    rewriter.eraseOp(op);
    return success();
  }
};

struct RecomputePattern : OpConversionPattern<tile::RecomputeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::RecomputeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    // Tiles are recomputed by products, which nothing merges from here on.
    if (!op.getValue().getType().isIndex()) {
      rewriter.replaceOp(op, adaptor.getValue());
      return success();
    }
    Value value = arith::IndexCastOp::create(b, b.getI64Type(), adaptor.getValue());
    Value same = buildAsm(b, b.getI64Type(), value, "mov.b64 $0, $1;", "=l,l", /*hasSideEffects=*/true);
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, b.getIndexType(), same);
    return success();
  }
};

struct AnyPattern : OpConversionPattern<tile::AnyOp> {
  using OpConversionPattern::OpConversionPattern;

  static Value agree(ImplicitLocOpBuilder &b, Value condition) {
    Value barrier = ((getThread(b) >> 7) + BarrierNumber::kFirstOfWarpgroups).value;
    Value any = buildAsm(b, b.getI32Type(), {condition, barrier},
                         "{ .reg .pred q; bar.red.or.pred q, $2, 128, $1; selp.b32 $0, 1, 0, q; }", "=r,b,r",
                         /*hasSideEffects=*/true);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, any, constantI32(b, 0));
  }

  LogicalResult matchAndRewrite(tile::AnyOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value any;
    for (Value element : toElements(b, adaptor.getCondition()))
      any = any ? b.createOrFold<arith::OrIOp>(any, element) : element;
    if (op.getUniform())
      rewriter.replaceOp(op, agree(b, any));
    else
      rewriter.replaceOpWithNewOp<NVVM::VoteSyncOp>(op, b.getI1Type(), constantI32(b, -1), any,
                                                    NVVM::VoteSyncKind::any);
    return success();
  }
};

/// Two branches; in that of the copies one thread goes on. With clusters no block uses another one's shared memory
/// before its barriers are made, and none ends while others may still use its own.
struct RolesPattern : OpConversionPattern<tile::RolesOp> {
  using OpConversionPattern::OpConversionPattern;

  static void initBarriers(ImplicitLocOpBuilder &b, RankedTensorType type, int64_t consumers) {
    auto ring = cast<tile::SwizzledAttr>(type.getEncoding());
    int64_t readers = kWarpsOfGroup * (ring.getParts() > 1 ? 1 : consumers) * ring.getCluster();
    for (int64_t i = 0; i < ring.getSlots() * ring.getParts(); ++i) {
      int64_t offset = i * SwizzledLayout::kBarrierBytes;
      NVVM::MBarrierInitOp::create(b, getSharedPointer(b, constantI32(b, ring.getFull() + offset)), constantI32(b, 1),
                                   Value());
      NVVM::MBarrierInitOp::create(b, getSharedPointer(b, constantI32(b, ring.getEmpty() + offset)),
                                   constantI32(b, readers), Value());
    }
  }

  /// All threads of the block write the ring's columns of ones, which products read as they read copies.
  static void fillOnes(ImplicitLocOpBuilder &b, RankedTensorType type, int64_t threads) {
    auto ring = cast<tile::SwizzledAttr>(type.getEncoding());
    SwizzledLayout layout = getSwizzledLayout(type);
    if (layout.ones == 0)
      return;
    // A swizzle moves ones among ones.
    auto words = VectorType::get(kChunkBytes / 2, type.getElementType());
    Value one = arith::ConstantOp::create(b, DenseElementsAttr::get(words, b.getFloatAttr(type.getElementType(), 1.0)));
    auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value); };
    auto loop = scf::ForOp::create(b, toIndex(b, getThread(b).value), index(layout.getPanelBytes() / kChunkBytes),
                                   index(threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    IRInt chunk{&b, arith::IndexCastOp::create(b, b.getI32Type(), loop.getInductionVar())};
    for (int64_t slot = 0; slot < ring.getSlots(); ++slot) {
      int64_t panel = ring.getOffset() + slot * ring.getSlotBytes() + layout.getCopiedBytes();
      LLVM::StoreOp::create(b, one, getSharedPointer(b, (chunk * kChunkBytes + panel).value),
                            /*alignment=*/kChunkBytes);
    }
  }

  static void setRegisters(ImplicitLocOpBuilder &b, int64_t count, NVVM::SetMaxRegisterAction action) {
    if (count != 0)
      NVVM::SetMaxRegisterOp::create(b, static_cast<uint32_t>(count), action);
  }

  static bool usesCluster(tile::RolesOp op) {
    return llvm::any_of(op.getRings().getAsValueRange<TypeAttr>(), [](Type type) {
      return cast<tile::SwizzledAttr>(cast<RankedTensorType>(type).getEncoding()).getCluster() > 1;
    });
  }

  static bool hasOnes(tile::RolesOp op) {
    return llvm::any_of(op.getRings().getAsValueRange<TypeAttr>(), [](Type type) {
      return cast<tile::SwizzledAttr>(cast<RankedTensorType>(type).getEncoding()).getOnes() > 0;
    });
  }

  static void synchronizeCluster(ImplicitLocOpBuilder &b) {
    // Not `aligned`: in the copying warp one lane comes later than the others.
    NVVM::ClusterArriveOp::create(b, UnitAttr());
    NVVM::ClusterWaitOp::create(b, UnitAttr());
  }

  LogicalResult matchAndRewrite(tile::RolesOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t consumers = op.getConsumers();
    IRInt thread = getThread(b);
    auto first = scf::IfOp::create(b, isEqual(b, thread.value, 0), /*withElseRegion=*/false);
    b.setInsertionPointToStart(first.thenBlock());
    for (Attribute ring : op.getRings())
      initBarriers(b, cast<RankedTensorType>(cast<TypeAttr>(ring).getValue()), consumers);
    b.setInsertionPointAfter(first);
    for (Type ring : op.getRings().getAsValueRange<TypeAttr>())
      fillOnes(b, cast<RankedTensorType>(ring), getNumThreads(op));
    if (hasOnes(op))
      NVVM::FenceProxyOp::create(b, NVVM::ProxyKind::async_shared,
                                 NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
    NVVM::FenceMbarrierInitOp::create(b);
    if (usesCluster(op))
      synchronizeCluster(b);
    else
      NVVM::Barrier0Op::create(b);

    auto roles = scf::IfOp::create(b, isEqual(b, getWarpgroup(b), consumers), /*withElseRegion=*/true);
    b.setInsertionPointToStart(roles.thenBlock());
    setRegisters(b, op.getCopyRegisters(), NVVM::SetMaxRegisterAction::decrease);
    auto copies = scf::IfOp::create(b, isEqual(b, thread.value, consumers * kWarpsOfGroup * kLanes), false);
    rewriter.inlineBlockBefore(&op.getCopy().front(), copies.thenBlock()->getTerminator());
    b.setInsertionPointToStart(roles.elseBlock());
    setRegisters(b, op.getComputeRegisters(), NVVM::SetMaxRegisterAction::increase);
    bool stores = op.getCompute().walk([](tile::BulkStoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
    rewriter.inlineBlockBefore(&op.getCompute().front(), roles.elseBlock()->getTerminator());
    b.setInsertionPoint(roles.elseBlock()->getTerminator());
    // Shared memory must outlive the copies that read it.
    if (stores)
      NVVM::CpAsyncBulkWaitGroupOp::create(b, /*group=*/0, /*read=*/b.getUnitAttr());
    b.setInsertionPointAfter(roles);
    if (usesCluster(op))
      synchronizeCluster(b);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void nvptx::populateRolesPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<WarpgroupPattern, NumProgramsPattern, AwaitTurnPattern, PassTurnPattern, RecomputePattern, AnyPattern,
               RolesPattern>(converter, patterns.getContext());
}
