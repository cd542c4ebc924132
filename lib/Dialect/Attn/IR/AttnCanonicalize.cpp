//===- AttnCanonicalize.cpp - Canonical form of attn ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that has a plan is left alone: the kernels of the plan are bound to its operands by number.
//
//===----------------------------------------------------------------------===//

#include "MaskOperand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fovea::attn;

namespace {
/// A pattern on ops without a plan.
struct AttentionPattern : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op, PatternRewriter &rewriter) const final {
    return op->hasAttr(AttnDialect::getPlanAttrName()) ? failure() : rewrite(op, rewriter);
  }
  virtual LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const = 0;
};
} // namespace

static void eraseRegion(AttentionOp op, Region &region, PatternRewriter &rewriter) {
  rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&region.front()); });
}

//===----------------------------------------------------------------------===//
// Constants and operands without effect
//===----------------------------------------------------------------------===//

namespace {
/// scale(%s) with a finite constant %s is scale(constant).
struct FoldScale final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    FloatAttr scale;
    if (!op.getScale() || !matchPattern(op.getScale(), m_Constant(&scale)) || !scale.getValue().isFinite())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setStaticScaleAttr(scale);
      op.getScaleMutable().clear();
    });
    return success();
  }
};

/// A mask that is true, a bias that is 0 and a sink that is -inf everywhere change nothing.
struct DropNeutralOperands final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    bool changed = false;
    auto drop = [&](Value value, MutableOperandRange range, function_ref<bool(DenseElementsAttr)> isNeutral) {
      DenseElementsAttr constant;
      if (!value || !matchPattern(value, m_Constant(&constant)) || !constant.isSplat() || !isNeutral(constant))
        return;
      rewriter.modifyOpInPlace(op, [&] { range.clear(); });
      changed = true;
    };
    drop(op.getMask(), op.getMaskMutable(), [](DenseElementsAttr attr) { return attr.getSplatValue<bool>(); });
    drop(op.getBias(), op.getBiasMutable(),
         [](DenseElementsAttr attr) { return attr.getSplatValue<APFloat>().isZero(); });
    drop(op.getSink(), op.getSinkMutable(), [](DenseElementsAttr attr) {
      APFloat value = attr.getSplatValue<APFloat>();
      return value.isInfinity() && value.isNegative();
    });
    return success(changed);
  }
};

/// A base is read by regions, bias, mask, lengths and the diagonal; elsewhere, and at the origin where no operand of
/// the whole is read, it changes nothing.
struct DropBase final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    if (op.getBase().empty() || op.getBias() || op.getMask() || op.getBlockMap())
      return failure();
    bool isRead = op.hasScoreMod() || op.hasMaskMod() || op.getKvLengths() || op.getDiagonal();
    if (isRead && !llvm::all_of(op.getBase(), [](Value base) { return matchPattern(base, m_Zero()); }))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getBaseMutable().clear(); });
    return success();
  }
};

/// A map that is partial everywhere changes nothing; one that is full everywhere leaves nothing to the other masks.
struct FoldBlockMap final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr constant;
    if (!op.getBlockMap() || !matchPattern(op.getBlockMap(), m_Constant(&constant)) || !constant.isSplat())
      return failure();
    int64_t state = constant.getSplatValue<APInt>().getSExtValue();
    if (state == kNeverBlock)
      return failure();
    bool isFull = state == kFullBlock;
    rewriter.modifyOpInPlace(op, [&] {
      op.getBlockMapMutable().clear();
      op.removeBlockMapSizesAttr();
      if (isFull)
        op.getMaskMutable().clear();
    });
    if (isFull && op.hasMaskMod())
      eraseRegion(op, op.getMaskMod(), rewriter);
    return success();
  }
};

/// An LSE that nobody reads is not computed.
struct DropLse final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    if (!op.getLse() || op->getNumResults() != 2 || !op->getResult(1).use_empty())
      return failure();
    OperationState state(op.getLoc(), op->getName(), op->getOperands().drop_back(), op->getResult(0).getType(),
                         op->getAttrs());
    auto segments = llvm::to_vector(op.getProperties().operandSegmentSizes);
    segments.back() = 0;
    state.attributes.set("operandSegmentSizes", rewriter.getDenseI32ArrayAttr(segments));
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *newOp = rewriter.create(state);
    rewriter.replaceAllUsesWith(op->getResult(0), newOp->getResult(0));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Static dimensions reach the op through tensor.cast. Upstream has this pattern for every destination-style op, but it
/// clones regions in a way that an absent region does not survive: this one must come first.
struct FoldCasts final : OpRewritePattern<AttentionOp> {
  explicit FoldCasts(MLIRContext *context) : OpRewritePattern(context, PatternBenefit(10)) {}
  LogicalResult matchAndRewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    SmallVector<std::pair<OpOperand *, Value>> casts;
    for (OpOperand &operand : op->getOpOperands())
      if (auto cast = operand.get().getDefiningOp<tensor::CastOp>(); cast && tensor::canFoldIntoConsumerOp(cast))
        casts.emplace_back(&operand, cast.getSource());
    if (casts.empty())
      return failure();
    rewriter.setInsertionPointAfter(op);
    for (auto [operand, source] : casts)
      replaceOperand(op, *operand, source, rewriter);
    return success();
  }

private:
  /// The result of a destination takes its type; its users get the old one.
  static void replaceOperand(AttentionOp op, OpOperand &operand, Value source, PatternRewriter &rewriter) {
    auto dpsOp = ::cast<DestinationStyleOpInterface>(op.getOperation());
    OpResult result = dpsOp.isDpsInit(&operand) ? dpsOp.getTiedOpResult(&operand) : OpResult();
    Type oldType = operand.get().getType();
    rewriter.modifyOpInPlace(op, [&] {
      operand.set(source);
      if (result)
        result.setType(source.getType());
    });
    if (!result)
      return;
    auto restored = tensor::CastOp::create(rewriter, op.getLoc(), oldType, result);
    rewriter.replaceAllUsesExcept(result, restored, restored);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Regions and the diagonal
//===----------------------------------------------------------------------===//

static YieldOp getYield(Region &region) { return cast<YieldOp>(region.front().getTerminator()); }

/// The conditions whose conjunction `value` is: through andi and select(a, b, false). A condition that is true is none.
static llvm::SetVector<Value> getConditions(Value value) {
  llvm::SetVector<Value> conditions, visited;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!visited.insert(current) || matchPattern(current, m_One()))
      continue;
    if (auto both = current.getDefiningOp<arith::AndIOp>()) {
      worklist.append({both.getRhs(), both.getLhs()});
      continue;
    }
    auto select = current.getDefiningOp<arith::SelectOp>();
    if (select && matchPattern(select.getFalseValue(), m_Zero()))
      worklist.append({select.getTrueValue(), select.getCondition()});
    else
      conditions.insert(current);
  }
  return conditions;
}

namespace {
/// score_mod(%s, ...) { attn.yield %s : f32 } vanishes.
struct DropIdentityScore final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    Region &region = op.getScoreMod();
    if (region.empty() || getYield(region).getValue() != region.getArgument(0))
      return failure();
    eraseRegion(op, region, rewriter);
    return success();
  }
};

/// Conditions of a mask region that keep a band of keys around the diagonal become causal and window:
///
///   mask_mod(%b, %h, %i, %j) {
///     %c = arith.cmpi sle, %j, %i : index
///     attn.yield %c : i1                        ->  causal(top_left)
///   }
///
/// What is left stays in the region; a region without conditions vanishes.
struct MaskToAttributes final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    Region &region = op.getMaskMod();
    // Causal and window hold in every block of a map, the region in the partial ones alone.
    if (region.empty() || op.getBlockMap())
      return failure();
    llvm::SetVector<Value> conditions = getConditions(getYield(region).getValue());
    KeepRange range = KeepRange::read(op);
    bool changed = intersectBands(conditions, region, range);
    if (!changed && !conditions.empty())
      return failure();
    range.simplify(op);
    (void)range.write(op, rewriter);
    replaceMask(op, conditions.getArrayRef(), rewriter);
    return success();
  }

private:
  /// Moves the bands among `conditions` into `range`; upper bounds first, so that causal is found where it is said.
  static bool intersectBands(llvm::SetVector<Value> &conditions, Region &region, KeepRange &range) {
    SmallVector<std::pair<Value, Band>, 4> bands;
    for (Value condition : conditions)
      if (std::optional<Band> band = matchBand(condition, region))
        bands.emplace_back(condition, *band);
    bool changed = false;
    for (bool isUpper : {true, false})
      for (auto &[condition, band] : bands)
        if (band.upper.has_value() == isUpper && succeeded(range.intersect(band)))
          changed |= conditions.remove(condition);
    return changed;
  }

  static void replaceMask(AttentionOp op, ArrayRef<Value> conditions, PatternRewriter &rewriter) {
    if (conditions.empty())
      return eraseRegion(op, op.getMaskMod(), rewriter);
    YieldOp yield = getYield(op.getMaskMod());
    rewriter.setInsertionPoint(yield);
    Value all = conditions.front();
    for (Value condition : conditions.drop_front())
      all = arith::AndIOp::create(rewriter, condition.getLoc(), all, condition);
    rewriter.modifyOpInPlace(yield, [&] { yield.getValueMutable().assign(all); });
  }
};

/// A constant mask that keeps a band is causal or a window.
struct ConstantMaskToAttributes final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr mask;
    if (!op.getMask() || op.getBlockMap() || !matchPattern(op.getMask(), m_Constant(&mask)))
      return failure();
    std::optional<Band> band = matchConstantMask(mask);
    KeepRange range = KeepRange::read(op);
    if (!band || failed(range.intersect(*band)))
      return failure();
    range.simplify(op);
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    (void)range.write(op, rewriter);
    return success();
  }
};

/// A mask that is computed element by element is a mask region, which needs no memory.
struct ComputedMaskToRegion final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    if (!op.getMask() || !isa<TensorType>(op.getMask().getType()) || !isComputedByElement(op.getMask()))
      return failure();
    OpBuilder::InsertionGuard guard(rewriter);
    if (!op.hasMaskMod())
      createKeepAll(op, rewriter);
    YieldOp yield = getYield(op.getMaskMod());
    rewriter.setInsertionPoint(yield);
    Value element = buildElement(rewriter, op.getLoc(), op.getMask(), getIndices(op, rewriter));
    Value both = arith::AndIOp::create(rewriter, op.getLoc(), yield.getValue(), element);
    rewriter.modifyOpInPlace(yield, [&] { yield.getValueMutable().assign(both); });
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }

private:
  /// A mask region that keeps every pair.
  static void createKeepAll(AttentionOp op, PatternRewriter &rewriter) {
    SmallVector<Type> types(4, rewriter.getIndexType());
    SmallVector<Location> locs(4, op.getLoc());
    rewriter.createBlock(&op.getMaskMod(), {}, types, locs);
    YieldOp::create(rewriter, op.getLoc(), arith::ConstantIntOp::create(rewriter, op.getLoc(), 1, 1).getResult());
  }

  /// Where the mask is read for a pair: dimensions of 1 are broadcast.
  static SmallVector<Value> getIndices(AttentionOp op, PatternRewriter &rewriter) {
    SmallVector<Value> indices;
    auto type = cast<ShapedType>(op.getMask().getType());
    for (auto [dim, argument] : llvm::enumerate(op.getMaskMod().getArguments()))
      indices.push_back(type.getDimSize(dim) == 1 ? arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0).getResult()
                                                  : Value(argument));
    return indices;
  }
};

/// causal and window in one form: right = 0 is causal, unreachable bounds are dropped, constant diagonals are
/// attributes.
struct SimplifyDiagonal final : AttentionPattern {
  using AttentionPattern::AttentionPattern;
  LogicalResult rewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    KeepRange range = KeepRange::read(op);
    range.simplify(op);
    return range.write(op, rewriter);
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldCasts, FoldScale, DropNeutralOperands, FoldBlockMap, DropBase, DropLse, DropIdentityScore,
               MaskToAttributes, SimplifyDiagonal, ConstantMaskToAttributes, ComputedMaskToRegion>(context);
}
