//===- Conditions.cpp - Which pairs of query and key are kept -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

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

namespace {
/// Takes conjunctions apart. What comes a second time says nothing new.
class Splitter {
public:
  explicit Splitter(Expressions &expressions) : expressions(expressions) {}
  void split(Condition condition);
  SmallVector<Condition> result;

private:
  Expressions &expressions;
  /// Of conditions that are to hold, and of those that are not to.
  llvm::SmallPtrSet<Expr, 16> seen[2];
};
} // namespace

void Splitter::split(Condition condition) {
  Expr term = expressions.resolve(condition.value);
  bool isNegated = condition.isNegated;
  if (!seen[isNegated].insert(term).second)
    return;
  if (std::optional<double> number = expressions.getNumber(term); number && (*number != 0) != isNegated)
    return;
  if (isNegated ? term->isApply<arith::OrIOp>() : term->isApply<arith::AndIOp>()) {
    split({term->lhs(), isNegated});
    return split({term->rhs(), isNegated});
  }
  if (!isNegated && term->isApply<arith::SelectOp>() && expressions.isNumber(term->operands[2], 0)) {
    split({term->operands[0], false});
    return split({term->operands[1], false});
  }
  if (auto test = matchBooleanTest(expressions, term))
    return split({test->value, test->isNegated != isNegated});
  if (Expr comparison = toComparison(expressions, term, isNegated))
    return result.push_back({comparison, false}), void();
  if (isNegated && term->isApply<arith::CmpIOp>())
    return result.push_back({invert(expressions, term), false}), void();
  result.push_back({term, isNegated});
}

SmallVector<Condition> fovea::conversion::splitConditions(Expressions &expressions, ArrayRef<Condition> conditions) {
  Splitter splitter(expressions);
  for (const Condition &condition : conditions)
    splitter.split(condition);
  SmallVector<Condition> result = std::move(splitter.result);
  llvm::erase_if(result, [&](const Condition &condition) { return holdsEverywhere(expressions, condition); });
  return result;
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
