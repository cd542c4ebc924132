//===- Conditions.cpp - Which pairs of query and key are kept -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// For a constant matrix that is true exactly where j <= i + off: off.
static std::optional<int64_t> matchTriangle(DenseElementsAttr dense, int64_t rows, int64_t columns, bool isNegated) {
  SmallVector<bool> keeps = llvm::map_to_vector(dense.getValues<bool>(), [&](bool keep) { return keep != isNegated; });
  auto count = [&](int64_t row) { return llvm::count(ArrayRef<bool>(keeps).slice(row * columns, columns), true); };
  // A row that is neither empty nor full tells the offset.
  std::optional<int64_t> off;
  for (int64_t row = 0; row < rows && !off; ++row)
    if (int64_t kept = count(row); kept > 0 && kept < columns)
      off = kept - 1 - row;
  if (!off)
    return std::nullopt;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (keeps[row * columns + column] != (column <= row + *off))
        return std::nullopt;
  return off;
}

/// The comparison that a constant matrix stands for, else null.
static Expr toComparison(Expressions &expressions, Expr element, bool isNegated) {
  DenseElementsAttr dense;
  if (!element->isA(Kind::Element) || !matchPattern(element->value, m_Constant(&dense)))
    return nullptr;
  Positions at = llvm::filter_to_vector<4>(expressions.loops.flattenAll(element->at),
                                           [](const Position &position) { return !position.empty(); });
  SmallVector<int64_t> sizes = llvm::filter_to_vector(dense.getType().getShape(), [](int64_t n) { return n != 1; });
  if (at.size() != 2 || sizes.size() != 2)
    return nullptr;
  std::optional<int64_t> off = matchTriangle(dense, sizes[0], sizes[1], isNegated);
  if (!off)
    return nullptr;
  Builder b(element->type.getContext());
  Type index = b.getIndexType();
  Expr bound = expressions.apply<arith::AddIOp>(
      {expressions.index(at[0], index), expressions.constant(b.getIndexAttr(*off))}, index, element->origin);
  auto sle = arith::CmpIPredicateAttr::get(b.getContext(), arith::CmpIPredicate::sle);
  return expressions.apply(OperationName(arith::CmpIOp::getOperationName(), b.getContext()),
                           b.getDictionaryAttr(b.getNamedAttr("predicate", sle)),
                           {expressions.index(at[1], index), bound}, b.getI1Type(), element->origin);
}

static Expr invert(Expressions &expressions, Expr comparison) {
  Builder b(comparison->type.getContext());
  auto predicate = cast<arith::CmpIPredicateAttr>(comparison->attributes.get("predicate")).getValue();
  auto inverse = arith::CmpIPredicateAttr::get(b.getContext(), arith::invertPredicate(predicate));
  return expressions.apply(*comparison->name, b.getDictionaryAttr(b.getNamedAttr("predicate", inverse)),
                           comparison->operands, comparison->type, comparison->origin);
}

/// x compared with a boolean constant, or xor one: x, and whether it is negated.
static std::optional<Condition> matchBooleanTest(Expressions &expressions, Expr term) {
  if (!term->isApply<arith::XOrIOp, arith::CmpIOp>() || !term->rhs()->type.isInteger(1))
    return std::nullopt;
  std::optional<double> number = expressions.getNumber(term->rhs());
  if (!number)
    return std::nullopt;
  bool isTrue = *number != 0;
  if (term->isApply<arith::XOrIOp>())
    return Condition{term->lhs(), isTrue};
  auto predicate = cast<arith::CmpIPredicateAttr>(term->attributes.get("predicate")).getValue();
  if (predicate != arith::CmpIPredicate::eq && predicate != arith::CmpIPredicate::ne)
    return std::nullopt;
  return Condition{term->lhs(), (predicate == arith::CmpIPredicate::eq) != isTrue};
}

static void split(Expressions &expressions, Condition condition, SmallVectorImpl<Condition> &result) {
  Expr term = expressions.resolve(condition.value);
  bool isNegated = condition.isNegated;
  if (std::optional<double> number = expressions.getNumber(term); number && (*number != 0) != isNegated)
    return;
  if (isNegated ? term->isApply<arith::OrIOp>() : term->isApply<arith::AndIOp>()) {
    split(expressions, {term->lhs(), isNegated}, result);
    return split(expressions, {term->rhs(), isNegated}, result);
  }
  if (!isNegated && term->isApply<arith::SelectOp>() && expressions.isNumber(term->operands[2], 0)) {
    split(expressions, {term->operands[0], false}, result);
    return split(expressions, {term->operands[1], false}, result);
  }
  if (auto test = matchBooleanTest(expressions, term))
    return split(expressions, {test->value, test->isNegated != isNegated}, result);
  if (Expr comparison = toComparison(expressions, term, isNegated))
    return result.push_back({comparison, false}), void();
  if (isNegated && term->isApply<arith::CmpIOp>())
    return result.push_back({invert(expressions, term), false}), void();
  result.push_back({term, isNegated});
}

SmallVector<Condition> fovea::conversion::splitConditions(Expressions &expressions, ArrayRef<Condition> conditions) {
  SmallVector<Condition> result;
  for (const Condition &condition : conditions)
    split(expressions, condition, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Rows that keep a key
//===----------------------------------------------------------------------===//

namespace {
/// A constant and a multiple of each loop's position.
struct Linear {
  int64_t constant = 0;
  llvm::SmallMapVector<LoopId, int64_t, 4> factors;
};
} // namespace

static LogicalResult addTo(Linear &sum, Expressions &expressions, Expr term, int64_t factor) {
  term = expressions.resolve(term);
  if (std::optional<double> number = expressions.getNumber(term); number && std::abs(*number) < 0x1p52) {
    sum.constant += factor * int64_t(*number);
    return success();
  }
  if (term->isA(Kind::Index)) {
    Position flat = expressions.loops.flatten(term->index);
    for (LoopId loop : flat)
      sum.factors[loop] += factor;
    return success(flat.size() <= 1);
  }
  if (!holdsPositions(term->type))
    return failure();
  if (term->isApply<arith::IndexCastOp, arith::ExtSIOp>())
    return addTo(sum, expressions, term->lhs(), factor);
  if (!term->isApply<arith::AddIOp, arith::SubIOp>() || failed(addTo(sum, expressions, term->lhs(), factor)))
    return failure();
  return addTo(sum, expressions, term->rhs(), term->isApply<arith::SubIOp>() ? -factor : factor);
}

/// Whether `sum <= 0` at every position.
static bool isNeverPositive(const LoopSpace &loops, const Linear &sum) {
  int64_t largest = sum.constant;
  for (auto [loop, factor] : sum.factors) {
    int64_t size = loops.getStaticSize(loop);
    if (factor > 0 && ShapedType::isDynamic(size))
      return false;
    if (factor > 0)
      largest += factor * (size - 1);
  }
  return largest <= 0;
}

/// Whether a comparison holds at every position where the key is that of loop `key`, or the first one if there is none.
static bool holdsAtKey(Expressions &expressions, Expr comparison, LoopId keyLoop, std::optional<LoopId> key) {
  using P = arith::CmpIPredicate;
  if (!comparison->isApply<arith::CmpIOp>())
    return false;
  P predicate = cast<arith::CmpIPredicateAttr>(comparison->attributes.get("predicate")).getValue();
  bool isLess = predicate == P::sle || predicate == P::slt;
  bool isStrict = predicate == P::slt || predicate == P::sgt;
  if (!isLess && predicate != P::sge && predicate != P::sgt)
    return false;
  Linear sum;
  int64_t sign = isLess ? 1 : -1;
  if (failed(addTo(sum, expressions, comparison->lhs(), sign)) ||
      failed(addTo(sum, expressions, comparison->rhs(), -sign)))
    return false;
  sum.constant += isStrict;
  int64_t factor = sum.factors.lookup(keyLoop);
  sum.factors.erase(keyLoop);
  if (key)
    sum.factors[*key] += factor;
  return isNeverPositive(expressions.loops, sum);
}

bool fovea::conversion::everyRowKeepsKey(Expressions &expressions, ArrayRef<Condition> conditions,
                                         const AttentionMatch &match) {
  Position keys = expressions.loops.flatten(match.keyLoops);
  if (keys.size() != 1)
    return conditions.empty();
  LoopId keyLoop = keys.front();
  auto allHold = [&](std::optional<LoopId> key) {
    return llvm::all_of(conditions, [&](const Condition &condition) {
      return !condition.isNegated && holdsAtKey(expressions, condition.value, keyLoop, key);
    });
  };
  if (allHold(std::nullopt))
    return true;
  int64_t numKeys = expressions.loops.getStaticSize(keyLoop);
  for (const Position &position : expressions.loops.flattenAll(match.rootAt))
    for (LoopId loop : position)
      if (int64_t size = expressions.loops.getStaticSize(loop);
          !ShapedType::isDynamic(size) && !ShapedType::isDynamic(numKeys) && size <= numKeys && allHold(loop))
        return true;
  return false;
}

static void collectIndexLoops(Expressions &expressions, Expr term, llvm::SetVector<LoopId> &loops,
                              llvm::SmallPtrSetImpl<Expr> &seen) {
  term = expressions.resolve(term);
  if (!seen.insert(term).second)
    return;
  if (term->isA(Kind::Index))
    for (LoopId loop : expressions.loops.flatten(term->index))
      loops.insert(loop);
  if (term->isA(Kind::Apply))
    for (Expr operand : term->operands)
      collectIndexLoops(expressions, operand, loops, seen);
}

void fovea::conversion::collectIndexLoops(Expressions &expressions, Expr term, llvm::SetVector<LoopId> &loops) {
  llvm::SmallPtrSet<Expr, 16> seen;
  ::collectIndexLoops(expressions, term, loops, seen);
}
