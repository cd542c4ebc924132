//===- NumberTypes.cpp - Types of the numbers of a kernel -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Utils/NumberTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

static bool hasCode(Type type) {
  Type element = getElementTypeOrSelf(type);
  return !isa<FloatType>(element) || element.isF64() || element.isF32() || element.isF16() || element.isBF16();
}

static WalkResult verifyTypes(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!hasCode(type))
      return op->emitError() << "'" << op->getName() << "' in a region is on " << getElementTypeOrSelf(type)
                             << ", for which there is no code; f64, f32, f16 and bf16 work";
  return WalkResult::advance();
}

LogicalResult attn::verifyNumberTypes(AttentionOp op) {
  if (Value bias = op.getBias(); bias && !hasCode(bias.getType()))
    return op.emitError() << "has a bias of " << getElementTypeOrSelf(bias.getType())
                          << ", for which there is no code; f64, f32, f16 and bf16 work";
  for (Region &region : op->getRegions()) {
    WalkResult result = region.walk([](Operation *nested) -> WalkResult {
      WalkResult operands = verifyTypes(nested, nested->getOperandTypes());
      return operands.wasInterrupted() ? operands : verifyTypes(nested, nested->getResultTypes());
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}
