//===- ExpandFloats.cpp - 16-bit float conversions by integer arithmetic -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace {
/// Integer arithmetic on the bits of f32 and 16-bit floats of one shape.
struct BitBuilder {
  BitBuilder(Operation *op, PatternRewriter &rewriter)
      : b(op->getLoc(), rewriter), shaped(dyn_cast<ShapedType>(op->getResult(0).getType())) {}

  Type type(Type element) { return shaped ? Type(shaped.clone(element)) : element; }
  Type i32() { return type(b.getI32Type()); }
  Type i16() { return type(b.getI16Type()); }
  Type f32() { return type(b.getF32Type()); }
  Value constant(uint32_t value) {
    TypedAttr attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    return arith::ConstantOp::create(
        b, shaped ? TypedAttr(DenseElementsAttr::get(cast<ShapedType>(i32()), Attribute(attr))) : attr);
  }
  Value bits(Value real) { return arith::BitcastOp::create(b, i32(), real); }
  Value real(Value bits) { return arith::BitcastOp::create(b, f32(), bits); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value bitAnd(Value x, uint32_t y) { return arith::AndIOp::create(b, x, constant(y)); }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value left(Value x, uint32_t n) { return arith::ShLIOp::create(b, x, constant(n)); }
  Value right(Value x, uint32_t n) { return arith::ShRUIOp::create(b, x, constant(n)); }
  Value isBelow(Value x, uint32_t y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, constant(y)); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value widen(Value half) { return arith::ExtUIOp::create(b, i32(), arith::BitcastOp::create(b, i16(), half)); }
  Value narrow(Value bits, Type element) {
    return arith::BitcastOp::create(b, type(element), arith::TruncIOp::create(b, i16(), bits));
  }

  ImplicitLocOpBuilder b;
  ShapedType shaped;
};

bool converts(Type from, Type to, bool (*isFrom)(Type), bool (*isTo)(Type)) {
  return isFrom(getElementTypeOrSelf(from)) && isTo(getElementTypeOrSelf(to));
}
bool isF32(Type type) { return type.isF32(); }
bool isBF16(Type type) { return type.isBF16(); }
bool isF16(Type type) { return type.isF16(); }

/// bf16 is the upper half of an f32.
struct ExtendBF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!converts(op.getIn().getType(), op.getType(), isBF16, isF32))
      return failure();
    BitBuilder f(op, rewriter);
    rewriter.replaceOp(op, f.real(f.left(f.widen(op.getIn()), 16)));
    return success();
  }
};

struct TruncateBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!converts(op.getIn().getType(), op.getType(), isF32, isBF16) || op.getRoundingmode())
      return failure();
    BitBuilder f(op, rewriter);
    Value bits = f.bits(op.getIn());
    Value isOdd = f.bitAnd(f.right(bits, 16), 1);
    Value rounded = f.add(f.add(bits, f.constant(0x7fff)), isOdd);
    Value isNaN = arith::CmpFOp::create(f.b, arith::CmpFPredicate::UNO, op.getIn(), op.getIn());
    Value quiet = f.bitOr(bits, f.constant(0x400000));
    rewriter.replaceOp(op, f.narrow(f.right(f.select(isNaN, quiet, rounded), 16), f.b.getBF16Type()));
    return success();
  }
};

/// The exponent and mantissa, moved to their place in an f32, are the value times 2^-112; this holds for denormals too.
struct ExtendF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!converts(op.getIn().getType(), op.getType(), isF16, isF32))
      return failure();
    BitBuilder f(op, rewriter);
    Value half = f.widen(op.getIn());
    Value sign = f.left(f.bitAnd(half, 0x8000), 16), magnitude = f.left(f.bitAnd(half, 0x7fff), 13);
    Value scaled = arith::MulFOp::create(f.b, f.real(magnitude), f.real(f.constant(0x77800000)));
    Value isFinite = f.isBelow(magnitude, 0x0f800000);
    Value bits = f.select(isFinite, f.bits(scaled), f.bitOr(magnitude, f.constant(0x7f800000)));
    rewriter.replaceOp(op, f.real(f.bitOr(bits, sign)));
    return success();
  }
};

/// Normal results round in the integer domain; adding 1/2 aligns and rounds what becomes a denormal.
struct TruncateF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!converts(op.getIn().getType(), op.getType(), isF32, isF16) || op.getRoundingmode())
      return failure();
    BitBuilder f(op, rewriter);
    Value bits = f.bits(op.getIn());
    Value magnitude = f.bitAnd(bits, 0x7fffffff), sign = f.right(f.bitAnd(bits, 0x80000000), 16);
    Value isOdd = f.bitAnd(f.right(magnitude, 13), 1);
    Value normal = f.right(f.add(f.add(magnitude, f.constant(0xc8000fff)), isOdd), 13);
    Value half = f.real(f.constant(0x3f000000));
    Value aligned = f.bits(arith::AddFOp::create(f.b, f.real(magnitude), half));
    Value denormal = arith::SubIOp::create(f.b, aligned, f.constant(0x3f000000));
    Value special = f.select(f.isBelow(magnitude, 0x7f800001), f.constant(0x7c00), f.constant(0x7e00));
    Value result = f.select(f.isBelow(magnitude, 0x38800000), denormal, normal);
    result = f.select(f.isBelow(magnitude, 0x47800000), result, special);
    rewriter.replaceOp(op, f.narrow(f.bitOr(result, sign), f.b.getF16Type()));
    return success();
  }
};
} // namespace

void fovea::cpu::populateExpandFloatPatterns(RewritePatternSet &patterns, bool hasF16C) {
  patterns.add<ExtendBF16, TruncateBF16>(patterns.getContext());
  if (!hasF16C)
    patterns.add<ExtendF16, TruncateF16>(patterns.getContext());
}
