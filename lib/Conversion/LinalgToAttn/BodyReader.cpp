//===- BodyReader.cpp - Bodies of structured operations as terms -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyReader.h"
#include "Conditions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

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

/// The operand that a select always takes, or null: an index that wraps where it is negative, as exporters write it,
/// never wraps where it is a position.
static Expr foldSelect(Expressions &expressions, ArrayRef<Expr> operands) {
  if (!operands[0]->isApply<arith::CmpIOp>())
    return nullptr;
  for (bool isNegated : {false, true})
    if (splitConditions(expressions, {Condition{operands[0], isNegated}}).empty())
      return operands[isNegated ? 2 : 1];
  return nullptr;
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
  if (isa<arith::SelectOp>(producer))
    if (Expr taken = foldSelect(expressions, operands))
      return taken;
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
    index = expressions.resolve(index);
    while (index->isApply<arith::IndexCastOp>() && holdsPositions(index->type))
      index = expressions.resolve(index->lhs());
    if (size == 1)
      at.emplace_back();
    else if (index->isA(Kind::Index) && !ShapedType::isDynamic(size) &&
             expressions.loops.getStaticSize(index->index) == size)
      at.push_back(index->index);
  }
  if (at.size() == extract.getIndices().size())
    return expressions.element(extract.getTensor(), at);
  return expressions.apply(extract->getName(), {}, operands, extract.getType(), op);
}
