//===- MathToNVVM.cpp - Math functions without a device library -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_MATHTONVVM
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Applies `build` to each element of a scalar or vector.
static Value mapElements(ImplicitLocOpBuilder &b, Value value, llvm::function_ref<Value(Value)> build) {
  if (!isa<VectorType>(value.getType()))
    return build(value);
  SmallVector<Value> results;
  for (Value element : toElements(b, value))
    results.push_back(build(element));
  return fromElements(b, results);
}

static bool isF32(Value value) { return getElementTypeOrSelf(value).isF32(); }

static Value callIntrinsic(ImplicitLocOpBuilder &b, StringRef name, Value operand) {
  return LLVM::CallIntrinsicOp::create(b, operand.getType(), b.getStringAttr(name), operand).getResult(0);
}

/// A constant of the type of `like`.
static Value constant(ImplicitLocOpBuilder &b, Value like, double value) {
  Attribute attr = b.getF32FloatAttr(value);
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, cast<TypedAttr>(attr));
}

namespace {

/// A function that is one instruction: absolute or relative error of at most 2^-22.
template <typename MathOp> struct IntrinsicPattern : OpRewritePattern<MathOp> {
  IntrinsicPattern(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern<MathOp>(context, /*benefit=*/2), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(MathOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, mapElements(b, op.getOperand(), [&](Value element) { return callIntrinsic(b, intrinsic, element); }));
    return success();
  }

  StringRef intrinsic;
};

/// The logarithm of another base is that of 2 times a constant.
template <typename LogOp> struct LogPattern : OpRewritePattern<LogOp> {
  LogPattern(MLIRContext *context, double factor) : OpRewritePattern<LogOp>(context), factor(factor) {}

  LogicalResult matchAndRewrite(LogOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value log2 = math::Log2Op::create(b, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, log2, constant(b, log2, factor));
    return success();
  }

  double factor;
};

/// tanh in one instruction (relative error 2^-11) where the op allows approximation.
struct TanhPattern : OpRewritePattern<math::TanhOp> {
  TanhPattern(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()) || !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, mapElements(b, op.getOperand(), [&](Value element) {
                         return LLVM::InlineAsmOp::create(
                                    b, element.getType(), element, "tanh.approx.f32 $0, $1;", "=f,f",
                                    /*has_side_effects=*/false, /*is_align_stack=*/false,
                                    LLVM::tailcallkind::TailCallKind::None,
                                    LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
                                    /*operand_attrs=*/ArrayAttr())
                             .getResult(0);
                       }));
    return success();
  }
};

/// Division of tiles: at most 2 units in the last place, and no branch for each element. Elements with one divisor are
/// multiplied by its reciprocal.
struct DivPattern : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!isa<VectorType>(op.getType()) || !isF32(op.getLhs()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> results, dividends = toElements(b, op.getLhs()), divisors = getDivisors(b, op.getRhs());
    DenseMap<Value, unsigned> uses;
    DenseMap<Value, Value> reciprocals;
    for (Value divisor : divisors)
      ++uses[divisor];
    for (auto [dividend, divisor] : llvm::zip_equal(dividends, divisors)) {
      if (uses[divisor] == 1) {
        results.push_back(divide(b, dividend, divisor));
        continue;
      }
      Value &reciprocal = reciprocals[divisor];
      if (!reciprocal)
        reciprocal = buildReciprocal(b, divisor);
      results.push_back(arith::MulFOp::create(b, dividend, reciprocal));
    }
    rewriter.replaceOp(op, fromElements(b, results));
    return success();
  }

private:
  /// The elements of a divisor; equal ones are one value where that can be seen.
  static SmallVector<Value> getDivisors(ImplicitLocOpBuilder &b, Value divisor) {
    auto count = static_cast<size_t>(cast<VectorType>(divisor.getType()).getNumElements());
    SplatElementsAttr splat;
    if (matchPattern(divisor, m_Constant(&splat)))
      return SmallVector<Value>(count, arith::ConstantOp::create(b, cast<TypedAttr>(splat.getSplatValue<Attribute>())));
    auto broadcast = divisor.getDefiningOp<vector::BroadcastOp>();
    if (broadcast && !isa<VectorType>(broadcast.getSourceType()))
      return SmallVector<Value>(count, broadcast.getSource());
    return toElements(b, divisor);
  }

  static Value divide(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
    auto name = b.getStringAttr("llvm.nvvm.div.full");
    return LLVM::CallIntrinsicOp::create(b, lhs.getType(), name, ValueRange{lhs, rhs}).getResult(0);
  }

  /// Correctly rounded, and finite where the divisor is not 0: 0 divided by it stays 0.
  static Value buildReciprocal(ImplicitLocOpBuilder &b, Value divisor) {
    Value reciprocal = arith::DivFOp::create(b, constant(b, divisor, 1.0), divisor);
    Value largest = constant(b, divisor, std::numeric_limits<float>::max());
    Value magnitude = arith::MinNumFOp::create(b, math::AbsFOp::create(b, reciprocal), largest);
    Value isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::UEQ, divisor, constant(b, divisor, 0.0));
    Value bounded = math::CopySignOp::create(b, magnitude, reciprocal);
    return arith::SelectOp::create(b, isZero, reciprocal, bounded);
  }
};

/// Pairs of elements are rounded to f16 or bf16 by one instruction.
struct TruncPattern : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !isF32(op.getIn()) || type.getNumElements() % 2 != 0 ||
        !(type.getElementType().isF16() || type.getElementType().isBF16()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> elements = toElements(b, op.getIn()), words;
    for (size_t i = 0; i < elements.size(); i += 2)
      words.push_back(LLVM::BitcastOp::create(b, b.getI32Type(),
                                              roundPair(b, type.getElementType(), elements[i], elements[i + 1])));
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(op, type, fromElements(b, words));
    return success();
  }

  static Value roundPair(ImplicitLocOpBuilder &b, Type type, Value low, Value high) {
    auto pair = VectorType::get(2, type);
    auto rounding = NVVM::FPRoundingMode::RN;
    if (type.isF16())
      return NVVM::ConvertF32x2ToF16x2Op::create(b, pair, high, low, Value(), rounding);
    return NVVM::ConvertF32x2ToBF16x2Op::create(b, pair, high, low, Value(), rounding);
  }
};

struct MathToNVVMPass : nvptx::impl::MathToNVVMBase<MathToNVVMPass> {
  void runOnOperation() override {
    if (failed(verifyNoTiles()))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<IntrinsicPattern<math::Exp2Op>>(context, "llvm.nvvm.ex2.approx.ftz.f32");
    patterns.add<IntrinsicPattern<math::Log2Op>>(context, "llvm.nvvm.lg2.approx.ftz.f");
    patterns.add<LogPattern<math::LogOp>>(context, 0.6931471805599453);
    patterns.add<LogPattern<math::Log10Op>>(context, 0.30102999566398120);
    patterns.add<DivPattern, TanhPattern, TruncPattern>(context);
    auto isPolynomial = [](StringRef name) { return !isDirect(name) && name != "math.exp2" && name != "math.log2"; };
    populateMathF32ExpansionPatterns(patterns, isPolynomial);
    populateMathPolynomialApproximationPatterns(patterns, isPolynomial);
    math::populateExpansionPatterns(patterns,
                                    {"sinh", "cosh", "tan", "asinh", "acosh", "atanh", "powf", "fpowi", "round"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))) || failed(verifyLowered()))
      signalPassFailure();
  }

  /// Functions that LLVM selects for GPUs.
  static bool isDirect(StringRef name) {
    static constexpr llvm::StringLiteral kNames[] = {"math.absf",      "math.absi",  "math.ceil",    "math.copysign",
                                                     "math.ctlz",      "math.ctpop", "math.cttz",    "math.floor",
                                                     "math.fma",       "math.rsqrt", "math.sqrt",    "math.trunc",
                                                     "math.roundeven", "math.isnan", "math.isfinite"};
    return llvm::is_contained(kNames, name);
  }

  /// GPU instructions take numbers and vectors of them.
  LogicalResult verifyNoTiles() {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || !isa<TensorType>(op->getResult(0).getType()))
        return WalkResult::advance();
      return op->emitError() << "'" << op->getName() << "' on a tile has no code for GPUs; run attn-tile-to-nvvm first";
    });
    return failure(result.wasInterrupted());
  }

  /// Whether an op converts between floats and integers by a function that LLVM has no code for.
  static bool convertsWideInteger(Operation *op) {
    if (!isa<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op))
      return false;
    return llvm::any_of(std::array{op->getOperand(0).getType(), op->getResult(0).getType()}, [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() > 64;
    });
  }

  LogicalResult verifyLowered() {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (convertsWideInteger(op)) {
        op->emitError() << op->getName() << " from " << getElementTypeOrSelf(op->getOperand(0)) << " to "
                        << getElementTypeOrSelf(op->getResult(0))
                        << " has no code for GPUs; integers of up to 64 bits work";
        return WalkResult::interrupt();
      }
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || isDirect(op->getName().getStringRef()))
        return WalkResult::advance();
      op->emitError() << op->getName() << " on " << getElementTypeOrSelf(op->getResult(0))
                      << " has no code for GPUs; exp, exp2, log, log2, log10, tanh, sin, cos and erf of f32 work";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
