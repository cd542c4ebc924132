//===- AttnOps.cpp - Operations of the attn dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fovea::attn;

#include "fovea/Dialect/Attn/IR/AttnInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "fovea/Dialect/Attn/IR/AttnOps.cpp.inc"

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

MutableOperandRange AttentionOp::getDpsInitsMutable() {
  return MutableOperandRange(*this, getOutputMutable().getOperandNumber(), getLse() ? 2 : 1);
}

std::optional<float> AttentionOp::getConstantScale() {
  if (getScale())
    return std::nullopt;
  if (std::optional<APFloat> scale = getStaticScale())
    return scale->convertToFloat();
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(getQKDepth())));
}

SmallVector<Value> AttentionOp::getCaptures() {
  llvm::SetVector<Value> captures;
  for (Region *region : {&getScoreMod(), &getMaskMod()})
    if (!region->empty())
      getUsedValuesDefinedAbove(*region, *region, captures);
  return captures.takeVector();
}

/// Results are as large as their destinations.
static LogicalResult reifyFromInits(DestinationStyleOpInterface op, OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  for (OpResult result : op->getResults())
    shapes.push_back(tensor::getMixedSizes(b, op.getLoc(), op.getTiedOpOperand(result)->get()));
  return success();
}

LogicalResult AttentionOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromInits(cast<DestinationStyleOpInterface>(getOperation()), b, shapes);
}

/// Memrefs are read where they are inputs and written where they are destinations; tensors have no effects.
static void getDpsEffects(DestinationStyleOpInterface op,
                          SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

void AttentionOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getDpsEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
  // Regions may read memory, and do nothing else with it.
  for (Region &region : getOperation()->getRegions())
    region.walk([&](MemoryEffectOpInterface nested) {
      if (nested.hasEffect<MemoryEffects::Read>())
        effects.emplace_back(MemoryEffects::Read::get());
    });
}

//===----------------------------------------------------------------------===//
// CombineOp
//===----------------------------------------------------------------------===//

MutableOperandRange CombineOp::getDpsInitsMutable() {
  return MutableOperandRange(*this, getOutputMutable().getOperandNumber(), getLse() ? 2 : 1);
}

LogicalResult CombineOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromInits(cast<DestinationStyleOpInterface>(getOperation()), b, shapes);
}

void CombineOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getDpsEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}
