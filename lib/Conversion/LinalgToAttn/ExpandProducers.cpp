//===- ExpandProducers.cpp - What an element of a tensor is computed from -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expressions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fovea::conversion;

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
      int64_t size = cast<ShapedType>(expanded.getType()).getDimSize(dim), loopSize = loops.getStaticSize(flat);
      bool isPart = size != loopSize && !ShapedType::isDynamic(size) && !ShapedType::isDynamic(loopSize);
      if (isPart || (flat.empty() && size != 1))
        return std::nullopt;
      joined.append(flat);
    }
    result.push_back(joined);
  }
  return result;
}

/// Positions in the source of a slice of known sizes that begins at 0.
static std::optional<Positions> mapToSliceSource(tensor::ExtractSliceOp slice, ArrayRef<Position> at) {
  auto isNumber = [](ArrayRef<int64_t> values, int64_t number) {
    return llvm::all_of(values, [&](int64_t value) { return value == number; });
  };
  if (slice.getSourceType().getRank() != int64_t(at.size()) || !isNumber(slice.getStaticOffsets(), 0) ||
      !isNumber(slice.getStaticStrides(), 1) || !slice.getType().hasStaticShape() ||
      !slice.getSourceType().hasStaticShape())
    return std::nullopt;
  return Positions(at.begin(), at.end());
}

/// The element of the first part of a concatenation where the position stays in it.
static Expr expandConcat(Expressions &expressions, tensor::ConcatOp concat, Expr element) {
  Value first = concat.getInputs().front();
  int64_t dim = concat.getDim(), size = cast<ShapedType>(first.getType()).getDimSize(dim);
  int64_t loopSize = expressions.loops.getStaticSize(element->at[dim]);
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(loopSize) || loopSize > size)
    return nullptr;
  return expressions.element(first, element->at);
}

/// A constant vector of consecutive integers holds positions, moved by the first one. Other dimensions may be of
/// size 1.
static Expr expandConsecutive(Expressions &expressions, Expr element, DenseElementsAttr dense) {
  bool isNarrow = element->type.isInteger() && element->type.getIntOrFloatBitWidth() < 8;
  ArrayRef<int64_t> shape = dense.getType().getShape();
  if (llvm::count_if(shape, [](int64_t size) { return size != 1; }) != 1 || !element->type.isIntOrIndex() || isNarrow)
    return nullptr;
  size_t dim = llvm::find_if(shape, [](int64_t size) { return size != 1; }) - shape.begin();
  auto values = dense.getValues<APInt>();
  int64_t first = (*values.begin()).getSExtValue();
  for (auto [position, value] : llvm::enumerate(values))
    if (value.getSExtValue() != first + int64_t(position))
      return nullptr;
  Expr index = expressions.index(element->at[dim], element->type);
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
      .Case([&](tensor::ExtractSliceOp op) { return elementAt(op.getSource(), mapToSliceSource(op, term->at)); })
      .Case([&](tensor::ConcatOp op) { return expandConcat(*this, op, term); })
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

std::optional<Positions> fovea::conversion::mapToReduction(LoopSpace &loops, OpOperand &operand, ArrayRef<Position> at,
                                                           OpResult result) {
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!op || !op.getNumReductionLoops())
    return std::nullopt;
  return mapThroughStructured(loops, op, operand, at, result);
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
