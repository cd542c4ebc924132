//===- TermEmitter.cpp - Scalar expressions as operations -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea::conversion;
using Kind = Term::Kind;

Value TermEmitter::getSize(LoopId loop) {
  return getValueOrCreateConstantIndexOp(outer, outer.getLoc(), expressions.loops.getSize(outer, outer.getLoc(), loop));
}

void TermEmitter::bind(ArrayRef<LoopId> position, Value index) {
  Position flat = expressions.loops.flatten(position);
  while (flat.size() > 1) {
    LoopId loop = flat.pop_back_val();
    Value size = getSize(loop);
    indices[loop] = arith::RemUIOp::create(b, index, size);
    index = arith::DivUIOp::create(b, index, size);
  }
  if (!flat.empty())
    indices[flat.front()] = index;
}

Value TermEmitter::emitIndex(ArrayRef<LoopId> position) {
  Value index;
  for (LoopId loop : expressions.loops.flatten(position)) {
    if (index) {
      index = arith::MulIOp::create(b, index, getSize(loop));
      index = arith::AddIOp::create(b, index, indices.lookup(loop));
    } else {
      index = indices.lookup(loop);
    }
  }
  return index ? index : Value(arith::ConstantIndexOp::create(b, 0));
}

Value TermEmitter::toF32(Value value) {
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type || type.isF32())
    return value;
  if (type.getWidth() < 32)
    return arith::ExtFOp::create(b, b.getF32Type(), value);
  return arith::TruncFOp::create(b, b.getF32Type(), value);
}

Value TermEmitter::emit(Expr term) {
  auto it = known.find(term);
  if (it != known.end())
    return it->second;
  Value value = emitUncached(term);
  return known[term] = value;
}

Value TermEmitter::emitUncached(Expr term) {
  switch (term->kind) {
  case Kind::Element:
    return emitElement(term);
  case Kind::Index:
    return term->type.isIndex() ? emitIndex(term->index)
                                : arith::IndexCastOp::create(b, term->type, emitIndex(term->index)).getOut();
  case Kind::Scalar:
    return emitScalar(term);
  case Kind::Apply:
    return emitApply(term);
  case Kind::Reduce:
    break;
  }
  llvm_unreachable("a reduction is read from the tensor that holds it");
}

/// Whether only its tensor gives the term's value.
bool TermEmitter::isReduction(Expr term) const {
  auto isOpen = [&](Expr operand) { return operand && operand->isA(Kind::Reduce) && !known.count(operand); };
  return isOpen(term) || llvm::any_of(term->operands, isOpen);
}

/// Computes an element anew where that takes scalars and indices, else reads the tensor furthest back that has it.
Value TermEmitter::emitElement(Expr term) {
  while (Expr next = expressions.expand(term)) {
    if (!next->isA(Kind::Element) && isReduction(next))
      break;
    if (!next->isA(Kind::Element))
      return emit(next);
    term = next;
  }
  SmallVector<Value> at;
  for (const Position &position : term->at)
    at.push_back(emitIndex(position));
  return toF32(tensor::ExtractOp::create(b, term->value, at));
}

Value TermEmitter::emitScalar(Expr term) {
  if (!term->constant)
    return toF32(term->value);
  Attribute constant = term->constant;
  if (auto number = dyn_cast<FloatAttr>(constant))
    return arith::ConstantOp::create(b, b.getF32FloatAttr(number.getValueAsDouble()));
  if (isa<ShapedType>(term->type))
    return term->value;
  return arith::ConstantOp::create(b, cast<TypedAttr>(constant));
}

//===----------------------------------------------------------------------===//
// Comparisons of positions
//===----------------------------------------------------------------------===//

/// Whether a term is made of positions and integers from outside by additions and multiplications.
bool TermEmitter::isInteger(Expr term) {
  term = expressions.resolve(term);
  if (term->isA(Kind::Index) || (term->isA(Kind::Scalar) && term->type.isIntOrIndex()))
    return true;
  auto it = integers.find(term);
  if (it != integers.end())
    return it->second;
  return integers[term] = holdsPositions(term->type) &&
                          term->isApply<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp, arith::AddIOp,
                                        arith::SubIOp, arith::MulIOp>() &&
                          llvm::all_of(term->operands, [&](Expr operand) { return isInteger(operand); });
}

/// The value as an index: positions do not overflow.
Value TermEmitter::emitInteger(Expr term) {
  term = expressions.resolve(term);
  auto it = knownIntegers.find(term);
  if (it != knownIntegers.end())
    return it->second;
  Value value = emitIntegerUncached(term);
  return knownIntegers[term] = value;
}

Value TermEmitter::emitIntegerUncached(Expr term) {
  if (term->isA(Kind::Index))
    return emitIndex(term->index);
  if (term->isA(Kind::Scalar)) {
    if (auto number = dyn_cast_or_null<IntegerAttr>(term->constant))
      return arith::ConstantIndexOp::create(b, number.getValue().getSExtValue());
    Value value = emit(term);
    return value.getType().isIndex() ? value : arith::IndexCastOp::create(b, b.getIndexType(), value).getOut();
  }
  if (term->operands.size() == 1)
    return emitInteger(term->lhs());
  Value operands[] = {emitInteger(term->lhs()), emitInteger(term->rhs())};
  return b.create(OperationState(b.getLoc(), term->name->getStringRef(), operands, {b.getIndexType()}))->getResult(0);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// f32 that has the values of a narrower type, where the source computes a term in it. One operation in f32, rounded,
/// is that operation in 16 bits.
Value TermEmitter::round(Value value, Expr term) {
  auto type = dyn_cast<FloatType>(term->type);
  if (!type || type.getWidth() >= 32 || (bound && expressions.reaches(term, bound)))
    return value;
  return toF32(arith::TruncFOp::create(b, type, value));
}

/// Operations of `arith` and `math` take f32 instead of other floats; what has a meaning for other bits keeps its
/// types.
static bool keepsTypes(Expr term) {
  Dialect *dialect = term->name->getDialect();
  return !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(dialect) || term->isApply<arith::BitcastOp>();
}

Value TermEmitter::emitOperand(Expr term, bool keepsType) {
  Value value = emit(term);
  auto type = dyn_cast<FloatType>(term->type);
  if (!keepsType || !type || value.getType() == type)
    return value;
  return type.getWidth() < 32 ? Value(arith::TruncFOp::create(b, type, value)) : arith::ExtFOp::create(b, type, value);
}

Value TermEmitter::emitApply(Expr term) {
  if (term->isApply<arith::ExtFOp>())
    return emit(term->lhs());
  if (term->isApply<arith::TruncFOp>())
    return round(emit(term->lhs()), term);
  SmallVector<Value> operands;
  bool comparesPositions = term->isApply<arith::CmpIOp>() && isInteger(term->lhs()) && isInteger(term->rhs());
  bool keepsType = keepsTypes(term);
  for (Expr operand : term->operands)
    operands.push_back(comparesPositions ? emitInteger(operand) : emitOperand(operand, keepsType));
  Type type = isa<FloatType>(term->type) && !keepsType ? b.getF32Type() : term->type;
  OperationState state(b.getLoc(), term->name->getStringRef(), operands, {type});
  if (term->attributes)
    state.addAttributes(term->attributes.getValue());
  Value value = b.create(state)->getResult(0);
  return keepsType ? toF32(value) : round(value, term);
}
