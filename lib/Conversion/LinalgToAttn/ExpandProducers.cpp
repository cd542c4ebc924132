//===- ExpandProducers.cpp - What an element of a tensor is computed from -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expressions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

//===----------------------------------------------------------------------===//
// Bodies of structured operations
//===----------------------------------------------------------------------===//

namespace fovea::conversion {
/// Reads the body of a structured operation as terms, for given positions of its loops.
class BodyReader {
public:
  BodyReader(Expressions &expressions, linalg::LinalgOp op, Positions loops)
      : expressions(expressions), op(op), loops(std::move(loops)) {}

  /// The term of a value of the body, null where it is none.
  Expr read(Value value);
  /// The operand that a map reads, null where it does so at other places than positions of loops.
  Expr readOperand(OpOperand &operand);

private:
  Expr readUncached(Value value);
  Expr readExtract(tensor::ExtractOp extract);

  Expressions &expressions;
  linalg::LinalgOp op;
  Positions loops;
  DenseMap<Value, Expr> known;
};
} // namespace fovea::conversion

Expr BodyReader::read(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  return known[value] = readUncached(value);
}

Expr BodyReader::readOperand(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return expressions.scalar(operand.get());
  Positions at;
  for (auto [dim, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(result)) {
      at.push_back(loops[loop.getPosition()]);
      continue;
    }
    if (!isa<AffineConstantExpr>(result) || type.getDimSize(dim) != 1)
      return nullptr;
    at.emplace_back();
  }
  return expressions.element(operand.get(), at);
}

Expr BodyReader::readUncached(Value value) {
  Block *body = op.getBlock();
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == body)
    return readOperand(*op.getMatchingOpOperand(argument));
  Operation *producer = value.getDefiningOp();
  if (!producer || producer->getBlock() != body || producer->hasTrait<OpTrait::ConstantLike>())
    return expressions.scalar(value);
  if (auto index = dyn_cast<linalg::IndexOp>(producer))
    return expressions.index(loops[index.getDim()], index.getType());
  if (auto extract = dyn_cast<tensor::ExtractOp>(producer))
    return readExtract(extract);
  if (producer->getNumRegions() || producer->getNumResults() != 1 || !isMemoryEffectFree(producer))
    return nullptr;
  SmallVector<Expr> operands;
  for (Value operand : producer->getOperands()) {
    operands.push_back(read(operand));
    if (!operands.back())
      return nullptr;
  }
  DictionaryAttr attributes = producer->getAttrDictionary();
  if (isa<arith::ArithDialect, math::MathDialect>(producer->getDialect()) &&
      !isa<arith::CmpFOp, arith::CmpIOp>(producer))
    attributes = {};
  return expressions.apply(producer->getName(), attributes, operands, value.getType(), op);
}

/// An element at positions of loops that run over all of each dimension, or an application of `tensor.extract`.
Expr BodyReader::readExtract(tensor::ExtractOp extract) {
  auto type = extract.getTensor().getType();
  SmallVector<Expr> operands = {expressions.scalar(extract.getTensor())};
  Positions at;
  for (auto [dim, value] : llvm::enumerate(extract.getIndices())) {
    Expr index = read(value);
    if (!index)
      return nullptr;
    operands.push_back(index);
    int64_t size = type.getDimSize(dim);
    if (index->isA(Kind::Index) && !ShapedType::isDynamic(size) &&
        expressions.loops.getStaticSize(index->index) == size)
      at.push_back(index->index);
  }
  if (at.size() == extract.getIndices().size())
    return expressions.element(extract.getTensor(), at);
  return expressions.apply(extract->getName(), {}, operands, extract.getType(), op);
}

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

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Positions of the dimensions that are grouped, from those of the groups.
static std::optional<Positions> distributeGroups(LoopSpace &loops, ArrayRef<Position> at, Value expanded,
                                                 ArrayRef<ReassociationIndices> groups) {
  Positions result(cast<ShapedType>(expanded.getType()).getRank());
  for (auto [position, group] : llvm::zip(at, groups)) {
    std::optional<Positions> found = loops.distribute(position, expanded, group);
    if (!found)
      return std::nullopt;
    for (auto [dim, part] : llvm::zip(group, *found))
      result[dim] = part;
  }
  return result;
}

/// Positions of the groups, from those of the dimensions that are grouped; none where a dimension of another size than
/// 1 is read at 0.
static std::optional<Positions> joinGroups(LoopSpace &loops, ArrayRef<Position> at, Value expanded,
                                           ArrayRef<ReassociationIndices> groups) {
  Positions result;
  for (const ReassociationIndices &group : groups) {
    Position joined;
    for (int64_t dim : group) {
      Position flat = loops.flatten(at[dim]);
      if (flat.empty() && cast<ShapedType>(expanded.getType()).getDimSize(dim) != 1)
        return std::nullopt;
      joined.append(flat);
    }
    result.push_back(joined);
  }
  return result;
}

/// A constant vector of consecutive integers holds positions, moved by the first one.
static Expr expandConsecutive(Expressions &expressions, Expr element, DenseElementsAttr dense) {
  if (element->at.size() != 1 || !isa<IntegerType>(element->type) || element->type.getIntOrFloatBitWidth() < 8)
    return nullptr;
  auto values = dense.getValues<APInt>();
  int64_t first = (*values.begin()).getSExtValue();
  for (auto [position, value] : llvm::enumerate(values))
    if (value.getSExtValue() != first + int64_t(position))
      return nullptr;
  Expr index = expressions.index(element->at.front(), element->type);
  Expr start = expressions.constant(IntegerAttr::get(element->type, first));
  return first == 0 ? index : expressions.apply<arith::AddIOp>({index, start}, element->type, element->origin);
}

Expr Expressions::expandUncached(Expr term) {
  auto elementAt = [&](Value source, std::optional<Positions> at) { return at ? element(source, *at) : nullptr; };
  DenseElementsAttr dense;
  if (matchPattern(term->value, m_Constant(&dense)))
    return dense.isSplat() ? constant(cast<TypedAttr>(dense.getSplatValue<Attribute>()))
                           : expandConsecutive(*this, term, dense);
  if (!term->origin)
    return nullptr;
  return TypeSwitch<Operation *, Expr>(term->origin)
      .Case([&](linalg::LinalgOp op) { return expandStructured(op, term); })
      .Case([&](linalg::SoftmaxOp op) { return expandSoftmax(op, term); })
      .Case([&](tensor::CastOp op) { return elementAt(op.getSource(), term->at); })
      .Case([&](tensor::SplatOp op) { return scalar(op.getInput()); })
      .Case([&](tensor::ExpandShapeOp op) {
        return elementAt(op.getSrc(), joinGroups(loops, term->at, op.getResult(), op.getReassociationIndices()));
      })
      .Case([&](tensor::CollapseShapeOp op) {
        return elementAt(op.getSrc(), distributeGroups(loops, term->at, op.getSrc(), op.getReassociationIndices()));
      })
      .Default([](Operation *) { return nullptr; });
}

//===----------------------------------------------------------------------===//
// The way forward
//===----------------------------------------------------------------------===//

static std::optional<Positions> mapThroughStructured(LoopSpace &loops, linalg::LinalgOp op, OpOperand &operand,
                                                     ArrayRef<Position> at, OpResult result) {
  SmallVector<std::optional<Position>> found(op.getNumLoops());
  for (auto [expr, position] : llvm::zip(op.getMatchingIndexingMap(&operand).getResults(), at))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      found[loop.getPosition()] = position;
  Positions positions;
  auto type = cast<ShapedType>(result.getType());
  for (auto [dim, expr] : llvm::enumerate(op.getIndexingMapMatchingResult(result).getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (loop ? !found[loop.getPosition()] : type.getDimSize(dim) != 1)
      return std::nullopt;
    positions.push_back(loop ? *found[loop.getPosition()] : Position());
  }
  return positions;
}

std::optional<Positions> fovea::conversion::mapToResult(LoopSpace &loops, OpOperand &operand, ArrayRef<Position> at,
                                                        OpResult result) {
  using Found = std::optional<Positions>;
  return TypeSwitch<Operation *, Found>(operand.getOwner())
      .Case([&](linalg::LinalgOp op) -> Found {
        if (op.getNumReductionLoops())
          return std::nullopt;
        return mapThroughStructured(loops, op, operand, at, result);
      })
      .Case([&](tensor::CastOp) -> Found { return Positions(at.begin(), at.end()); })
      .Case([&](tensor::ExpandShapeOp op) {
        return distributeGroups(loops, at, op.getResult(), op.getReassociationIndices());
      })
      .Case(
          [&](tensor::CollapseShapeOp op) { return joinGroups(loops, at, op.getSrc(), op.getReassociationIndices()); })
      .Default([](Operation *) -> Found { return std::nullopt; });
}
