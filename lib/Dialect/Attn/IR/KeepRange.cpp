//===- KeepRange.cpp - The diagonal band of keys that an op keeps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeepRange.h"
#include "fovea/Dialect/Attn/Utils/Predicates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea::attn;

//===----------------------------------------------------------------------===//
// Sum
//===----------------------------------------------------------------------===//

constexpr int64_t kLimit = int64_t(1) << 62;

LogicalResult Sum::add(int64_t value, int64_t factor) {
  int64_t product, sum;
  if (llvm::MulOverflow(value, factor, product) || llvm::AddOverflow(constant, product, sum) || sum <= -kLimit ||
      sum >= kLimit)
    return failure();
  constant = sum;
  return success();
}

void Sum::add(Value value, int64_t factor) {
  int64_t &present = terms[value];
  present += factor;
  if (present == 0)
    terms.erase(value);
}

LogicalResult Sum::add(const Sum &other, int64_t factor) {
  for (auto [value, otherFactor] : other.terms)
    add(value, factor * otherFactor);
  return add(other.constant, factor);
}

std::optional<int64_t> Sum::minus(const Sum &other) const {
  Sum difference = *this;
  if (failed(difference.add(other, -1)) || !difference.isConstant())
    return std::nullopt;
  return difference.constant;
}

Value Sum::materialize(OpBuilder &b, Location loc) const {
  Value sum = arith::ConstantIndexOp::create(b, loc, constant); // adding 0 folds
  for (auto [value, factor] : terms) {
    Value term = value.getType().isIndex() ? value : arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    if (std::abs(factor) != 1)
      term = arith::MulIOp::create(b, loc, term, arith::ConstantIndexOp::create(b, loc, std::abs(factor)));
    if (factor < 0)
      sum = arith::SubIOp::create(b, loc, sum, term);
    else
      sum = arith::AddIOp::create(b, loc, sum, term);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Adds `factor * value` to `sum`, looking through additions inside of `region`. Work is bounded: an addition may be
/// shared by many others.
static LogicalResult linearize(Value value, int64_t factor, Region &region, Sum &sum) {
  SmallVector<std::pair<Value, int64_t>> worklist = {{value, factor}};
  for (unsigned steps = 0; !worklist.empty(); ++steps) {
    auto [current, scale] = worklist.pop_back_val();
    APInt constant;
    if (steps == 64 || (!current.getType().isIndex() && !current.getType().isSignlessInteger(64)))
      return failure();
    if (matchPattern(current, m_ConstantInt(&constant))) {
      if (failed(sum.add(constant.getSExtValue(), scale)))
        return failure();
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (!op || !region.isAncestor(op->getParentRegion())) {
      sum.add(current, scale);
      continue;
    }
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      worklist.push_back({op->getOperand(0), scale});
      worklist.push_back({op->getOperand(1), isa<arith::SubIOp>(op) ? -scale : scale});
    } else if (isa<arith::IndexCastOp>(op)) {
      worklist.push_back({op->getOperand(0), scale});
    } else {
      return failure();
    }
  }
  return success();
}

/// `predicate` for comparisons of signed numbers; nothing where an unsigned one may see a negative number, as it does
/// unless both sides are a position plus a non-negative constant.
static std::optional<arith::CmpIPredicate> makeSigned(arith::CmpIPredicate predicate, const Sum &lhs, const Sum &rhs,
                                                      Region &region) {
  auto isPosition = [&](const Sum &sum) {
    return sum.constant >= 0 && llvm::all_of(sum.terms, [&](auto &term) {
             auto arg = dyn_cast<BlockArgument>(term.first);
             return arg && arg.getParentRegion() == &region && term.second == 1;
           });
  };
  arith::CmpIPredicate result = getSignedPredicate(predicate);
  if (result != predicate && (!isPosition(lhs) || !isPosition(rhs)))
    return std::nullopt;
  return result;
}

/// Takes `sign * (j - i)` out of `sum`; 0, and `sum` as it was, where it has no such difference.
static int64_t takeDifference(Sum &sum, Region &maskMod) {
  Value i = maskMod.getArgument(2), j = maskMod.getArgument(3);
  int64_t sign = sum.terms.lookup(j);
  if ((sign != 1 && sign != -1) || sum.terms.lookup(i) != -sign)
    return 0;
  sum.terms.erase(i);
  sum.terms.erase(j);
  return sign;
}

/// The signed numbers, both ends included, that compare so with `constant`, where they are one interval: unsigned order
/// begins with 0 and ends with -1, and between them the largest number stands before the smallest.
static std::optional<std::pair<int64_t, int64_t>> getUnsignedInterval(arith::CmpIPredicate predicate,
                                                                      int64_t constant) {
  using P = arith::CmpIPredicate;
  if (predicate == P::ult && constant > 0)
    return std::pair(int64_t(0), constant - 1);
  if (predicate == P::ule && constant >= 0)
    return std::pair(int64_t(0), constant);
  if (predicate == P::ugt && constant < -1)
    return std::pair(constant + 1, int64_t(-1));
  if (predicate == P::uge && constant < 0)
    return std::pair(constant, int64_t(-1));
  return std::nullopt;
}

/// An unsigned comparison of `sign * (j - i) + constant` with a constant. Constants are below 2^62 and positions far
/// below that, so that the sum does not wrap around and is the signed number that it seems.
static std::optional<Band> matchUnsignedBand(arith::CmpIPredicate predicate, Sum difference, const Sum &bound,
                                             Region &maskMod) {
  int64_t sign = takeDifference(difference, maskMod);
  if (sign == 0 || !difference.isConstant() || !bound.isConstant())
    return std::nullopt;
  std::optional<std::pair<int64_t, int64_t>> interval = getUnsignedInterval(predicate, bound.constant);
  if (!interval)
    return std::nullopt;
  // j - i = sign * (x - constant) for x of the interval.
  Sum first, last;
  for (auto [end, x] : {std::pair(&first, interval->first), {&last, interval->second}})
    if (failed(end->add(x, sign)) || failed(end->add(difference.constant, -sign)))
      return std::nullopt;
  return sign == 1 ? Band{first, last} : Band{last, first};
}

std::optional<Band> fovea::attn::matchBand(Value condition, Region &maskMod) {
  using P = arith::CmpIPredicate;
  auto cmp = condition.getDefiningOp<arith::CmpIOp>();
  Sum lhs, rhs;
  if (!cmp || failed(linearize(cmp.getLhs(), 1, maskMod, lhs)) || failed(linearize(cmp.getRhs(), 1, maskMod, rhs)))
    return std::nullopt;
  if (std::optional<Band> band = matchUnsignedBand(cmp.getPredicate(), lhs, rhs, maskMod))
    return band;
  std::optional<P> predicate = makeSigned(cmp.getPredicate(), lhs, rhs, maskMod);
  if (!predicate || *predicate == P::ne || failed(lhs.add(rhs, -1)))
    return std::nullopt;
  // lhs = sign * (j - i) + rest, compared with 0.
  int64_t sign = takeDifference(lhs, maskMod);
  if (sign == 0)
    return std::nullopt;
  for (auto &term : lhs.terms)
    if (maskMod.isAncestor(term.first.getParentRegion()))
      return std::nullopt;
  int64_t strict = *predicate == P::slt ? 1 : *predicate == P::sgt ? -1 : 0;
  Sum bound;
  if (failed(lhs.add(strict, 1)) || failed(bound.add(lhs, -sign)))
    return std::nullopt;
  Band band;
  bool isUpper = (*predicate == P::sle || *predicate == P::slt) == (sign == 1);
  if (isUpper || *predicate == P::eq)
    band.upper = bound;
  if (!isUpper || *predicate == P::eq)
    band.lower = bound;
  return band;
}

//===----------------------------------------------------------------------===//
// KeepRange
//===----------------------------------------------------------------------===//

/// The offset operand as a sum; none for one offset per batch that is not one constant.
static std::optional<Sum> getOffsetSum(Value offset) {
  Sum sum;
  Attribute constant;
  if (matchPattern(offset, m_Constant(&constant))) {
    if (auto dense = dyn_cast<DenseIntElementsAttr>(constant)) {
      if (!dense.isSplat() || failed(sum.add(dense.getSplatValue<APInt>().getSExtValue(), 1)))
        return std::nullopt;
      return sum;
    }
    if (auto scalar = dyn_cast<IntegerAttr>(constant); scalar && succeeded(sum.add(scalar.getInt(), 1)))
      return sum;
  }
  if (!offset.getType().isIndex())
    return std::nullopt;
  sum = Sum();
  sum.add(offset, 1);
  return sum;
}

KeepRange KeepRange::read(AttentionOp op) {
  KeepRange range;
  range.diagonal = op.getDiagonal();
  range.left = op.getWindowLeft();
  range.right = op.getRightBound();
  int64_t queries = op.getQueryLength(), keys = op.getKVLength();
  if (range.diagonal == Diagonal::TopLeft)
    range.off = Sum();
  else if (range.diagonal == Diagonal::Offset)
    range.off = getOffsetSum(op.getOffset());
  else if (range.diagonal && !ShapedType::isDynamic(queries) && !ShapedType::isDynamic(keys) && !op.getKvLengths() &&
           op.getBase().empty())
    range.off = Sum{keys - queries, {}};
  return range;
}

/// Moves the diagonal by a known distance; bounds keep their place.
void KeepRange::anchor(const Sum &newOff) {
  int64_t distance = *newOff.minus(*off);
  off = newOff;
  diagonal = Diagonal::Offset;
  if (left)
    *left += distance;
  if (right)
    *right -= distance;
}

LogicalResult KeepRange::intersectUpper(const Sum &upper) {
  if (!diagonal) {
    diagonal = Diagonal::Offset;
    off = upper;
    right = 0;
    return success();
  }
  std::optional<int64_t> distance = off ? upper.minus(*off) : std::nullopt;
  if (!distance || (left && *left + *distance < 0)) // not comparable, or no key would be left
    return failure();
  if (*distance < 0) {
    right = *distance;
    anchor(upper);
  } else {
    right = std::min(right.value_or(*distance), *distance);
  }
  return success();
}

LogicalResult KeepRange::intersectLower(const Sum &lower) {
  if (!diagonal) {
    diagonal = Diagonal::Offset;
    off = lower;
    left = 0;
    return success();
  }
  std::optional<int64_t> distance = off ? off->minus(lower) : std::nullopt;
  if (!distance || (right && *right + *distance < 0))
    return failure();
  if (*distance < 0) {
    left = *distance;
    anchor(lower);
  } else {
    left = std::min(left.value_or(*distance), *distance);
  }
  return success();
}

LogicalResult KeepRange::intersect(const Band &band) {
  KeepRange result = *this;
  if ((band.upper && failed(result.intersectUpper(*band.upper))) ||
      (band.lower && failed(result.intersectLower(*band.lower))))
    return failure();
  *this = result;
  return success();
}

/// Without a base, `0 <= i < Sq` and `0 <= j < Lk <= Skv`; with the diagonal at the bottom right `off = Lk - Sq`.
void KeepRange::dropUnreachable(AttentionOp op) {
  int64_t queries = op.getQueryLength(), keys = op.getKVLength();
  bool hasQueries = !ShapedType::isDynamic(queries), hasKeys = !ShapedType::isDynamic(keys);
  bool atBottomRight = diagonal == Diagonal::BottomRight;
  if (!op.getBase().empty() || (!atBottomRight && !(off && off->isConstant())))
    return;
  int64_t constant = atBottomRight ? 0 : off->constant;
  if (right && (atBottomRight ? hasQueries && *right >= queries - 1 : hasKeys && constant + *right >= keys - 1))
    right = std::nullopt;
  if (left && (atBottomRight ? hasKeys && *left >= keys - 1 : hasQueries && *left >= queries - 1 + constant))
    left = std::nullopt;
}

void KeepRange::simplify(AttentionOp op) {
  if (!diagonal)
    return;
  dropUnreachable(op);
  if (!left && !right) {
    diagonal = std::nullopt;
    return;
  }
  if (!off || !off->isConstant() || diagonal == Diagonal::TopLeft)
    return;
  if (diagonal == Diagonal::BottomRight && off->constant != 0)
    return;
  KeepRange shifted = *this;
  shifted.anchor(Sum());
  shifted.diagonal = Diagonal::TopLeft;
  if (shifted.left.value_or(0) >= 0 && shifted.right.value_or(0) >= 0)
    *this = shifted;
}

/// Whether `operand` says `off` already.
static bool isOffset(Value operand, const std::optional<Sum> &off) {
  if (!operand)
    return false;
  if (!off)
    return true; // the operand was never read as a sum, and stays
  if (!operand.getType().isIndex())
    return false;
  std::optional<Sum> present = getOffsetSum(operand);
  return present && present->minus(*off) == 0;
}

LogicalResult KeepRange::write(AttentionOp op, RewriterBase &rewriter) const {
  bool isCausal = diagonal && right == 0, hasOffset = diagonal == Diagonal::Offset;
  std::optional<int64_t> newLeft = diagonal ? left : std::nullopt;
  std::optional<int64_t> newRight = diagonal && !isCausal ? right : std::nullopt;
  bool keepsOffset = hasOffset ? isOffset(op.getOffset(), off) : !op.getOffset();
  if (op.getCausal() == isCausal && op.getDiagonal() == diagonal && keepsOffset &&
      std::optional<int64_t>(op.getWindowLeft()) == newLeft && std::optional<int64_t>(op.getWindowRight()) == newRight)
    return failure();
  Value offset = hasOffset && !keepsOffset ? off->materialize(rewriter, op.getLoc()) : Value();
  rewriter.modifyOpInPlace(op, [&] {
    op.setCausal(isCausal);
    op.setDiagonalAttr(diagonal ? DiagonalAttr::get(op.getContext(), *diagonal) : DiagonalAttr());
    op.setWindowLeftAttr(newLeft ? rewriter.getI64IntegerAttr(*newLeft) : IntegerAttr());
    op.setWindowRightAttr(newRight ? rewriter.getI64IntegerAttr(*newRight) : IntegerAttr());
    if (offset)
      op.getOffsetMutable().assign(offset);
    else if (!hasOffset)
      op.getOffsetMutable().clear();
  });
  return success();
}
