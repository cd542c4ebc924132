//===- InlineRegion.cpp - Clones a score or mask region for one element -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/Divisions.h"
#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "fovea/Dialect/Attn/Transforms/FloatFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fovea::attn;

namespace {
/// Clones ops one by one; the values of f32 that it maps have the type of the computation, and divisions have a value
/// for every divisor.
class RegionInliner {
public:
  RegionInliner(ImplicitLocOpBuilder &b, const IRMapping &outer, FloatType type) : b(b), mapping(outer), type(type) {}

  Value run(Region &region, ValueRange arguments);

private:
  void mapCapture(Value capture);
  void cloneBlock(Block &block);
  void cloneOp(Operation &op);
  void cloneIf(scf::IfOp op);
  void cloneAsIs(Operation &op);
  bool replaceTensorRead(Operation &op);
  bool isArithmetic(Operation &op) const;
  void promote(Operation &op);
  bool guard(Operation &op, Operation *clone);
  Value toF32(Value value) { return SoftmaxBuilder::convert(b, value, b.getF32Type()); }
  Type convertType(Type original) const { return original.isF32() ? Type(type) : original; }

  ImplicitLocOpBuilder &b;
  IRMapping mapping;
  FloatType type;
};
} // namespace

Value RegionInliner::run(Region &region, ValueRange arguments) {
  llvm::SetVector<Value> captures;
  getUsedValuesDefinedAbove(region, region, captures);
  for (Value capture : captures)
    mapCapture(capture);
  mapping.map(region.getArguments(), arguments);
  cloneBlock(region.front());
  return mapping.lookup(region.front().getTerminator()->getOperand(0));
}

/// A constant is cloned, as it may not be visible here; an f32 scalar is extended.
void RegionInliner::mapCapture(Value capture) {
  if (!mapping.contains(capture) && matchPattern(capture, m_Constant()))
    return cloneOp(*capture.getDefiningOp());
  Value value = mapping.lookupOrDefault(capture);
  mapping.map(capture, capture.getType().isF32() ? SoftmaxBuilder::convert(b, value, type) : value);
}

void RegionInliner::cloneBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    cloneOp(op);
}

void RegionInliner::cloneOp(Operation &op) {
  if (replaceTensorRead(op))
    return;
  if (type.isF32()) {
    guard(op, b.clone(op, mapping));
    return;
  }
  if (auto ifOp = dyn_cast<scf::IfOp>(op))
    return cloneIf(ifOp);
  if (isArithmetic(op))
    return promote(op);
  cloneAsIs(op);
}

/// A read of a captured tensor that is a memref here.
bool RegionInliner::replaceTensorRead(Operation &op) {
  if (!isa<tensor::ExtractOp, tensor::DimOp>(op))
    return false;
  Value memref = mapping.lookupOrDefault(op.getOperand(0));
  if (!isa<MemRefType>(memref.getType()))
    return false;
  SmallVector<Value> indices;
  for (Value index : op.getOperands().drop_front())
    indices.push_back(mapping.lookupOrDefault(index));
  Value result = isa<tensor::DimOp>(op) ? memref::DimOp::create(b, memref, indices[0]).getResult()
                                        : memref::LoadOp::create(b, memref, indices).getResult();
  mapping.map(op.getResult(0), op.getResult(0).getType().isF32() ? SoftmaxBuilder::convert(b, result, type) : result);
  return true;
}

/// Whether `op` computes on scalars and means the same function at another precision.
bool RegionInliner::isArithmetic(Operation &op) const {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect()) || isa<arith::BitcastOp>(op))
    return false;
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return llvm::all_of(op.getOperandTypes(), isScalar) && llvm::all_of(op.getResultTypes(), isScalar);
}

void RegionInliner::promote(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<FloatAttr>(constant.getValue());
    if (value && value.getType().isF32()) {
      Attribute promoted = b.getFloatAttr(type, value.getValueAsDouble());
      mapping.map(constant.getResult(), arith::ConstantOp::create(b, cast<TypedAttr>(promoted)).getResult());
      return;
    }
  }
  // A conversion between f32 and the type of the computation is none here.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    Value operand = mapping.lookup(op.getOperand(0));
    mapping.map(op.getResult(0), SoftmaxBuilder::convert(b, operand, convertType(op.getResult(0).getType())));
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(mapping.lookupOrDefault(operand));
  if (Value value = expandFloatFunction(b, &op, operands)) {
    mapping.map(op.getResult(0), value);
    return;
  }
  Operation *clone = b.clone(op, mapping);
  for (OpResult result : clone->getResults())
    result.setType(convertType(result.getType()));
  guard(op, clone);
}

/// Guards the divisions of a clone of `op`. Returns whether `op` is one itself, which is mapped then.
bool RegionInliner::guard(Operation &op, Operation *clone) {
  for (Region &region : clone->getRegions()) {
    SmallVector<Operation *> ops;
    region.walk([&](Operation *nested) { ops.push_back(nested); });
    for (Operation *nested : ops)
      guardDivision(nested);
  }
  Value value = guardDivision(clone);
  if (value)
    mapping.map(op.getResult(0), value);
  return static_cast<bool>(value);
}

void RegionInliner::cloneIf(scf::IfOp op) {
  if (op->getNumResults() == 0) // It has no effect either: regions are pure.
    return;
  SmallVector<Type> types;
  for (Type original : op.getResultTypes())
    types.push_back(convertType(original));
  auto clone = scf::IfOp::create(b, types, mapping.lookup(op.getCondition()), /*addThenBlock=*/true,
                                 /*addElseBlock=*/!op.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : llvm::zip(op->getRegions(), clone->getRegions())) {
    if (from.empty())
      continue;
    b.setInsertionPointToEnd(&to.front());
    cloneBlock(from.front());
    SmallVector<Value> yielded;
    for (Value value : from.front().getTerminator()->getOperands())
      yielded.push_back(mapping.lookup(value));
    scf::YieldOp::create(b, yielded);
  }
  mapping.map(op.getResults(), clone.getResults());
}

/// An op that is not plain arithmetic keeps its types: f32 operands are rounded to f32, f32 results extended.
void RegionInliner::cloneAsIs(Operation &op) {
  llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), used);
  IRMapping local = mapping;
  for (Value value : used)
    if (value.getType().isF32())
      local.map(value, toF32(mapping.lookup(value)));
  Operation *clone = b.clone(op, local);
  if (guard(op, clone))
    return;
  for (auto [original, result] : llvm::zip(op.getResults(), clone->getResults()))
    mapping.map(original, original.getType().isF32() ? SoftmaxBuilder::convert(b, result, type) : result);
}

Value fovea::attn::inlineRegion(ImplicitLocOpBuilder &b, Region &region, ValueRange arguments, const IRMapping &mapping,
                                FloatType type) {
  return RegionInliner(b, mapping, type).run(region, arguments);
}
