//===- LanePatterns.cpp - Lanes that compute a task of scalar code together -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInfo.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Number of this thread among those of a block that share its task.
static IRInt getLane(ImplicitLocOpBuilder &b, int64_t lanes) { return getThread(b) & (lanes - 1); }

/// The bits of the lanes of this task in a warp: other tasks of the warp may be elsewhere.
static Value getLaneMask(ImplicitLocOpBuilder &b, int64_t lanes) {
  if (lanes == kLanes)
    return constantI32(b, -1);
  Value first = (getThread(b) & (kLanes - lanes)).value;
  return arith::ShLIOp::create(b, constantI32(b, (int64_t(1) << lanes) - 1), first);
}

namespace {
struct ProgramIdPattern : OpConversionPattern<tile::ProgramIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::ProgramIdOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value id = toIndex(b, NVVM::BlockIdXOp::create(b, b.getI32Type()));
    attn::StrategyAttr strategy = getStrategy(op->getParentOfType<FunctionOpInterface>());
    if (strategy && strategy.getUnit() == attn::DotUnit::Thread) {
      int64_t lanes = op.getLanes();
      Value tasks = arith::ConstantIndexOp::create(b, kLanes * strategy.getWarps() / lanes);
      Value task = toIndex(b, (getThread(b) >> llvm::Log2_64(lanes)).value);
      id = arith::AddIOp::create(b, arith::MulIOp::create(b, id, tasks), task);
    }
    rewriter.replaceOp(op, id);
    return success();
  }
};

struct LanePattern : OpConversionPattern<tile::LaneOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::LaneOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, toIndex(b, getLane(b, op.getLanes()).value));
    return success();
  }
};

/// A whole warp reduces 32 bits by one instruction; other lanes exchange their values.
struct ReduceLanesPattern : OpConversionPattern<tile::ReduceLanesOp> {
  using OpConversionPattern::OpConversionPattern;
  using Kind = tile::LaneReduceKind;

  static Value combine(ImplicitLocOpBuilder &b, Kind kind, Value lhs, Value rhs) {
    switch (kind) {
    case Kind::Add:
      return arith::AddIOp::create(b, lhs, rhs);
    case Kind::Min:
      return arith::MinSIOp::create(b, lhs, rhs);
    case Kind::Max:
      return arith::MaxSIOp::create(b, lhs, rhs);
    case Kind::And:
      return arith::AndIOp::create(b, lhs, rhs);
    case Kind::Or:
      return arith::OrIOp::create(b, lhs, rhs);
    }
    llvm_unreachable("a kind without a function");
  }

  static Value reduceByWarp(ImplicitLocOpBuilder &b, Kind kind, Value value) {
    auto getKind = [&] {
      switch (kind) {
      case Kind::Add:
        return NVVM::ReduxKind::ADD;
      case Kind::Min:
        return NVVM::ReduxKind::MIN;
      case Kind::Max:
        return NVVM::ReduxKind::MAX;
      case Kind::And:
        return NVVM::ReduxKind::AND;
      case Kind::Or:
        return NVVM::ReduxKind::OR;
      }
      llvm_unreachable("a kind without a function");
    };
    return NVVM::ReduxOp::create(b, b.getI32Type(), value, getKind(), constantI32(b, -1));
  }

  /// The value of the lane whose number differs in the bit `distance`, an i32 or i64.
  static Value exchange(ImplicitLocOpBuilder &b, Value value, int64_t distance, Value mask) {
    auto shuffle = [&](Value half) -> Value {
      return NVVM::ShflOp::create(b, b.getI32Type(), mask, half, constantI32(b, distance), constantI32(b, kLanes - 1),
                                  NVVM::ShflKind::bfly, /*return_value_and_is_valid=*/UnitAttr());
    };
    if (value.getType().isInteger(32))
      return shuffle(value);
    Value shift = arith::ConstantIntOp::create(b, 32, 64);
    Value low = shuffle(arith::TruncIOp::create(b, b.getI32Type(), value));
    Value high = shuffle(arith::TruncIOp::create(b, b.getI32Type(), arith::ShRUIOp::create(b, value, shift)));
    Value shifted = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, b.getI64Type(), high), shift);
    return arith::OrIOp::create(b, shifted, arith::ExtUIOp::create(b, b.getI64Type(), low));
  }

  static Value reduce(ImplicitLocOpBuilder &b, Kind kind, Value value, int64_t lanes) {
    if (lanes == kLanes && value.getType().isInteger(32))
      return reduceByWarp(b, kind, value);
    Value mask = getLaneMask(b, lanes);
    for (int64_t distance = 1; distance < lanes; distance *= 2)
      value = combine(b, kind, value, exchange(b, value, distance, mask));
    return value;
  }

  LogicalResult matchAndRewrite(tile::ReduceLanesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getType();
    if (type.isIndex()) {
      Value wide = arith::IndexCastOp::create(b, b.getI64Type(), adaptor.getValue());
      Value reduced = reduce(b, op.getKind(), wide, op.getLanes());
      rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, type, reduced);
      return success();
    }
    unsigned width = type.getIntOrFloatBitWidth();
    Type exchanged = width <= 32 ? b.getI32Type() : b.getI64Type();
    Value wide = adaptor.getValue();
    if (wide.getType() != exchanged)
      wide = arith::ExtSIOp::create(b, exchanged, wide);
    Value reduced = reduce(b, op.getKind(), wide, op.getLanes());
    if (exchanged != type)
      reduced = arith::TruncIOp::create(b, type, reduced);
    rewriter.replaceOp(op, reduced);
    return success();
  }
};

struct CountLanesPattern : OpConversionPattern<tile::CountLanesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::CountLanesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value holding = NVVM::VoteSyncOp::create(b, b.getI32Type(), getLaneMask(b, op.getLanes()), adaptor.getCondition(),
                                             NVVM::VoteSyncKind::ballot);
    Value before = arith::AndIOp::create(b, holding, NVVM::LaneMaskLtOp::create(b, b.getI32Type()));
    Value counts[] = {LLVM::CtPopOp::create(b, b.getI32Type(), before),
                      LLVM::CtPopOp::create(b, b.getI32Type(), holding)};
    rewriter.replaceOp(op, ValueRange(counts));
    return success();
  }
};
} // namespace

void nvptx::populateLanePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ProgramIdPattern, LanePattern, ReduceLanesPattern, CountLanesPattern>(converter, patterns.getContext());
}
