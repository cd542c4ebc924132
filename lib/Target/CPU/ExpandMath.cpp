//===- ExpandMath.cpp - Math functions as polynomials -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandFloats.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>

namespace fovea::cpu {
#define GEN_PASS_DEF_CPUEXPANDMATH
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea::cpu;

namespace {
constexpr float kInf = std::numeric_limits<float>::infinity();

/// f32 arithmetic on scalars or vectors of one shape.
struct FloatBuilder {
  FloatBuilder(Operation *op, PatternRewriter &rewriter)
      : b(op->getLoc(), rewriter), real(op->getResult(0).getType()), bits(clone(b.getI32Type())) {}

  Type clone(Type element) const {
    auto shaped = dyn_cast<ShapedType>(real);
    return shaped ? Type(shaped.clone(element)) : element;
  }
  Value constant(float value) { return arith::ConstantOp::create(b, splat(real, b.getF32FloatAttr(value))); }
  Value constantBits(int32_t value) { return arith::ConstantOp::create(b, splat(bits, b.getI32IntegerAttr(value))); }
  TypedAttr splat(Type type, TypedAttr value) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? TypedAttr(DenseElementsAttr::get(shaped, Attribute(value))) : value;
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  Value toBits(Value x) { return arith::BitcastOp::create(b, bits, x); }
  Value toReal(Value x) { return arith::BitcastOp::create(b, real, x); }
  Value isLess(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  /// coefficients[0] + x * (coefficients[1] + ...).
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value result = constant(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, constant(coefficient));
    return result;
  }

  ImplicitLocOpBuilder b;
  Type real, bits;
};

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// Adding this number rounds to the nearest integer, whose bits are then the lowest bits of the sum.
constexpr float kRounder = 0x1.8p23f;

/// `fraction * 2^n`, where `rounded` is `n + kRounder`. `x` is the argument, which lies in [low, high) for a finite and
/// normal result: below there is 0, above infinity; a NaN stays one.
Value scaleByPower(FloatBuilder &f, Value fraction, Value rounded, Value x, float low, float high) {
  Value power = arith::ShLIOp::create(f.b, f.toBits(rounded), f.constantBits(23));
  Value result = f.toReal(arith::AddIOp::create(f.b, f.toBits(fraction), power));
  result = f.select(f.isLess(x, f.constant(low)), f.constant(0.0f), result);
  return f.select(f.isLess(x, f.constant(high)), result, f.add(x, f.constant(kInf)));
}

struct ExpandExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return failure();
    FloatBuilder f(op, rewriter);
    Value x = op.getOperand();
    Value rounded = f.add(x, f.constant(kRounder));
    Value rest = f.sub(x, f.sub(rounded, f.constant(kRounder)));
    // 2^r for |r| <= 1/2: relative error of the polynomial 3e-9.
    Value fraction = f.polynomial(
        rest, {1.0f, 0x1.62e43p-1f, 0x1.ebfbdcp-3f, 0x1.c6aee8p-5f, 0x1.3b2d4cp-7f, 0x1.5f3e54p-10f, 0x1.41fbbap-13f});
    rewriter.replaceOp(op, scaleByPower(f, fraction, rounded, x, -126.0f, 128.0f));
    return success();
  }
};

struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return failure();
    FloatBuilder f(op, rewriter);
    Value x = op.getOperand();
    Value rounded = f.fma(x, f.constant(0x1.715476p0f), f.constant(kRounder));
    Value n = f.sub(rounded, f.constant(kRounder));
    // x - n * ln(2) in two steps: the first product is exact.
    Value rest = f.fma(n, f.constant(-0x1.62e4p-1f), x);
    rest = f.fma(n, f.constant(-0x1.7f7d1cp-20f), rest);
    Value fraction = f.polynomial(
        rest, {1.0f, 1.0f, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.1239ep-7f, 0x1.6a2438p-10f});
    rewriter.replaceOp(op, scaleByPower(f, fraction, rounded, x, -0x1.5d589ep6f, 0x1.62e43p6f));
    return success();
  }
};

/// tanh(x) = x + x^3 * P(x^2) near 0, 1 - 2 / (exp(2|x|) + 1) with the sign of x elsewhere.
struct ExpandTanh : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return failure();
    FloatBuilder f(op, rewriter);
    Value x = op.getOperand(), magnitude = math::AbsFOp::create(f.b, x), square = f.mul(x, x);
    Value small = f.fma(
        f.mul(f.polynomial(square, {-0x1.555532p-2f, 0x1.110726p-3f, -0x1.b83c58p-5f, 0x1.522696p-6f, -0x1.75e1b8p-8f}),
              square),
        x, x);
    Value power = math::ExpOp::create(f.b, f.add(magnitude, magnitude));
    Value quotient = arith::DivFOp::create(f.b, f.constant(2.0f), f.add(power, f.constant(1.0f)));
    Value large = math::CopySignOp::create(f.b, f.sub(f.constant(1.0f), quotient), x);
    rewriter.replaceOp(op, f.select(f.isLess(magnitude, f.constant(0.625f)), small, large));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// log(x) = n * log(2) + log1p(m - 1), with x = m * 2^n and m in [2/3, 4/3); denormals are scaled first.
struct ExpandLog : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return failure();
    FloatBuilder f(op, rewriter);
    Value x = op.getOperand();
    Value isDenormal = f.isLess(x, f.constant(0x1p-126f));
    Value scaled = f.select(isDenormal, f.mul(x, f.constant(0x1p23f)), x);
    Value offset = f.constantBits(0x3f2aaaab);
    Value bits = arith::SubIOp::create(f.b, f.toBits(scaled), offset);
    Value exponent = arith::ShRSIOp::create(f.b, bits, f.constantBits(23));
    Value n = arith::SIToFPOp::create(f.b, f.real, exponent);
    n = f.add(n, f.select(isDenormal, f.constant(-23.0f), f.constant(0.0f)));
    Value mantissa = arith::AndIOp::create(f.b, bits, f.constantBits(0x7fffff));
    Value m = f.sub(f.toReal(arith::AddIOp::create(f.b, mantissa, offset)), f.constant(1.0f));
    Value square = f.mul(m, m);
    Value tail = f.mul(f.mul(square, m), f.polynomial(m, {0x1.555556p-2f, -0x1.ffff0ep-3f, 0x1.99977ep-3f,
                                                          -0x1.559908p-3f, 0x1.24f48cp-3f, -0x1.f389f8p-4f,
                                                          0x1.b87e7cp-4f, -0x1.07112cp-3f, 0x1.ebcf88p-4f}));
    Value sum = f.add(m, f.fma(square, f.constant(-0.5f), f.fma(n, f.constant(-0x1.05c61p-29f), tail)));
    Value result = f.fma(n, f.constant(0x1.62e43p-1f), sum);
    // Infinity and NaN stay, 0 gives -infinity, what is below a NaN.
    result = f.select(f.isLess(x, f.constant(kInf)), result, f.add(x, x));
    Value zero = f.constant(0.0f);
    Value isZero = arith::CmpFOp::create(f.b, arith::CmpFPredicate::OEQ, x, zero);
    result = f.select(isZero, f.constant(-kInf), result);
    rewriter.replaceOp(op, f.select(f.isLess(x, zero), f.constant(std::nanf("")), result));
    return success();
  }
};

/// The logarithm of another base is that of e times a constant.
template <typename OpTy> struct ExpandLogOfBase : OpRewritePattern<OpTy> {
  ExpandLogOfBase(MLIRContext *context, float factor) : OpRewritePattern<OpTy>(context), factor(factor) {}
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return failure();
    FloatBuilder f(op, rewriter);
    rewriter.replaceOp(op, f.mul(math::LogOp::create(f.b, op.getOperand()), f.constant(factor)));
    return success();
  }
  float factor;
};

struct SplitFMA : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Rounding to integers
//===----------------------------------------------------------------------===//

/// `x` without its fraction, by a conversion to integer and back; from 2^23 on a number has none, and a NaN stays.
Value truncate(FloatBuilder &f, Value x) {
  Value integer = arith::FPToSIOp::create(f.b, f.bits, x);
  Value whole = math::CopySignOp::create(f.b, arith::SIToFPOp::create(f.b, f.real, integer), x);
  return f.select(f.isLess(math::AbsFOp::create(f.b, x), f.constant(0x1p23f)), whole, x);
}

struct ExpandTrunc : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TruncOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return failure();
    FloatBuilder f(op, rewriter);
    rewriter.replaceOp(op, truncate(f, op.getOperand()));
    return success();
  }
};

struct ExpandFloor : OpRewritePattern<math::FloorOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FloorOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return failure();
    FloatBuilder f(op, rewriter);
    Value x = op.getOperand(), whole = truncate(f, x);
    Value below = f.select(f.isLess(x, whole), f.sub(whole, f.constant(1.0f)), whole);
    rewriter.replaceOp(op, below);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Functions that processors compute, or that convert to integer or basic float arithmetic.
bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::SqrtOp, math::FmaOp, math::IsNaNOp, math::IsFiniteOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp>(op);
}

struct CPUExpandMathPass : fovea::cpu::impl::CPUExpandMathBase<CPUExpandMathPass> {
  using CPUExpandMathBase::CPUExpandMathBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(fovea::checkGivenOnce({&hasF16C, &hasFMA}, report)));
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp2, ExpandExp, ExpandTanh, ExpandLog, ExpandTrunc, ExpandFloor>(&getContext(), /*benefit=*/10);
    patterns.add<ExpandLogOfBase<math::Log2Op>>(&getContext(), 0x1.715476p0f);
    patterns.add<ExpandLogOfBase<math::Log10Op>>(&getContext(), 0x1.bcb7b2p-2f);
    if (!hasFMA)
      patterns.add<SplitFMA>(&getContext());
    populateExpandFloatPatterns(patterns, hasF16C);
    auto isApproximated = [](StringRef name) {
      return llvm::is_contained({"math.sin", "math.cos", "math.erf", "math.erfc", "math.atan", "math.atan2",
                                 "math.asin", "math.acos", "math.log1p", "math.expm1", "math.cbrt"},
                                name);
    };
    populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(patterns, isApproximated);
    math::populateExpansionPatterns(patterns, {"sinh", "cosh", "tan", "asinh", "acosh", "atanh", "powf", "fpowi",
                                               "rsqrt", "ceil", "round", "roundeven", "clampf"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    checkCalls();
  }

  /// What is left would be a call of the C library.
  void checkCalls() {
    WalkResult result = getOperation()->walk([&](Operation *op) {
      bool isMath = isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isNative(op);
      if (!isMath && !isa<arith::RemFOp>(op))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName() << "' on " << op->getResult(0).getType()
                      << " has no expansion on the CPU; use f32 and a function that has one";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
