//===- ExpandStructured.cpp - Elements of structured operations and of linalg.softmax -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fovea::conversion;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What one step of a reduction adds to the accumulator, and how.
namespace {
struct Step {
  OperationName combiner;
  SmallVector<Value, 2> added; // two values: their product
};
} // namespace

static bool isGreater(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  return predicate == P::OGT || predicate == P::OGE || predicate == P::UGT || predicate == P::UGE;
}

/// select(x > acc, x, acc) or select(acc > x, acc, x): the maximum, and x.
static std::optional<Step> matchSelectedMax(arith::SelectOp select, Value accumulator) {
  auto cmp = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!cmp || !isGreater(cmp.getPredicate()) || cmp.getLhs() != select.getTrueValue() ||
      cmp.getRhs() != select.getFalseValue())
    return std::nullopt;
  Value added = cmp.getLhs() == accumulator ? cmp.getRhs() : cmp.getLhs();
  if (added == accumulator || (cmp.getLhs() != accumulator && cmp.getRhs() != accumulator))
    return std::nullopt;
  return Step{OperationName(arith::MaximumFOp::getOperationName(), select.getContext()), {added}};
}

static std::optional<Step> matchStep(Value yielded, Value accumulator) {
  Operation *op = yielded.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return matchSelectedMax(select, accumulator);
  if (auto fma = dyn_cast<math::FmaOp>(op); fma && fma.getC() == accumulator)
    return Step{OperationName(arith::AddFOp::getOperationName(), op->getContext()), {fma.getA(), fma.getB()}};
  if (!isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
           arith::MinNumFOp, arith::OrIOp, arith::AndIOp>(op))
    return std::nullopt;
  if (op->getOperand(0) == accumulator)
    return Step{op->getName(), {op->getOperand(1)}};
  if (op->getOperand(1) == accumulator)
    return Step{op->getName(), {op->getOperand(0)}};
  return std::nullopt;
}

/// A sum that starts from something else than 0 is that plus the sum.
static Expr splitInit(Expressions &expressions, Expr reduction) {
  Expr init = reduction->lhs();
  if (!reduction->isReduce<arith::AddFOp>() || expressions.isNumber(init, 0))
    return reduction;
  Expr zero = expressions.constant(FloatAttr::get(reduction->type, 0));
  Expr sum = expressions.withOperands(reduction, {zero, reduction->rhs()});
  return expressions.apply<arith::AddFOp>({sum, init}, reduction->type, reduction->origin);
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

/// The positions of all loops of `op` where its `result` is at `at`; loops that do not index the result get new ones,
/// which are added to `reduced`. None where the result's map is no projection.
static std::optional<Positions> getLoopPositions(LoopSpace &loops, linalg::LinalgOp op, OpResult result,
                                                 ArrayRef<Position> at, Position &reduced) {
  SmallVector<std::optional<Position>> found(op.getNumLoops());
  for (auto [expr, position] : llvm::zip(op.getIndexingMapMatchingResult(result).getResults(), at)) {
    if (isa<AffineConstantExpr>(expr) && loops.flatten(position).empty())
      continue;
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || found[loop.getPosition()])
      return std::nullopt;
    found[loop.getPosition()] = position;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    for (auto [dim, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(result);
      if (!loop || found[loop.getPosition()])
        continue;
      reduced.push_back(loops.add(operand.get(), dim));
      found[loop.getPosition()] = Position{reduced.back()};
    }
  }
  if (!llvm::all_of(found, [](auto &position) { return position.has_value(); }))
    return std::nullopt;
  return llvm::map_to_vector<4>(found, [](auto &position) { return *position; });
}

Expr Expressions::expandStructured(linalg::LinalgOp op, Expr element) {
  if (!op.hasPureTensorSemantics())
    return nullptr;
  auto result = cast<OpResult>(element->value);
  unsigned number = result.getResultNumber();
  Position reduced;
  std::optional<Positions> positions = getLoopPositions(loops, op, result, element->at, reduced);
  if (!positions)
    return nullptr;
  BodyReader reader(*this, op, *positions);
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  if (reduced.empty())
    return reader.read(yielded);
  OpOperand &init = *op.getDpsInitOperand(number);
  std::optional<Step> step = matchStep(yielded, op.getMatchingBlockArgument(&init));
  if (!step)
    return nullptr;
  SmallVector<Expr, 2> added = llvm::map_to_vector<2>(step->added, [&](Value value) { return reader.read(value); });
  Expr start = reader.readOperand(init);
  if (!start || llvm::is_contained(added, nullptr))
    return nullptr;
  Expr body = added.size() == 2 ? apply<arith::MulFOp>(added, element->type, op) : added.front();
  return splitInit(*this, reduce(step->combiner, reduced, start, body, element->at, op));
}

/// exp(x - max x) / sum exp(x - max x).
Expr Expressions::expandSoftmax(linalg::SoftmaxOp op, Expr element) {
  Value input = op.getInput();
  unsigned dim = op.getDimension();
  Type type = element->type;
  if (!isa<RankedTensorType>(input.getType()))
    return nullptr;
  Positions rows = element->at;
  rows[dim].clear();
  auto inputAt = [&](LoopId loop) {
    Positions at = element->at;
    at[dim] = {loop};
    return this->element(input, at);
  };
  auto reduceRow = [&](StringRef name, LoopId loop, Expr body) {
    return reduce(OperationName(name, context), {loop}, nullptr, body, rows, op);
  };
  LoopId maxLoop = loops.add(input, dim), sumLoop = loops.add(input, dim);
  Expr max = reduceRow(arith::MaximumFOp::getOperationName(), maxLoop, inputAt(maxLoop));
  auto weight = [&](Expr score) {
    return apply<math::ExpOp>({apply<arith::SubFOp>({score, max}, type, op)}, type, op);
  };
  Expr sum = reduceRow(arith::AddFOp::getOperationName(), sumLoop, weight(inputAt(sumLoop)));
  return apply<arith::DivFOp>({weight(this->element(input, element->at)), sum}, type, op);
}
