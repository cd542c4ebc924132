//===- KeepTruncations.cpp - Conversions of indices to narrow integers -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNKEEPTRUNCATIONS
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;

static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(element) : element;
}

/// Whether an op converts between an index and a narrow integer, of which `narrow` has the type.
static bool isNarrowCast(Operation *op, Value narrow) {
  Type element = getElementTypeOrSelf(narrow);
  return isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) && !isa<BaseMemRefType>(narrow.getType()) &&
         !element.isIndex() && element.getIntOrFloatBitWidth() < 64;
}

/// Conversions of an index to a narrow integer which is converted back, as it is or behind operations on its type.
static SetVector<Operation *> findTruncations(Operation *root) {
  SetVector<Value> reached;
  root->walk([&](Operation *op) {
    if (op->getNumOperands() == 1 && isNarrowCast(op, op->getOperand(0)))
      reached.insert(op->getOperand(0));
  });
  SetVector<Operation *> truncations;
  for (size_t i = 0; i < reached.size(); ++i) {
    Value value = reached[i];
    Operation *op = value.getDefiningOp();
    if (op && isNarrowCast(op, value))
      truncations.insert(op);
    else if (op)
      for (Value operand : op->getOperands())
        if (operand.getType() == value.getType())
          reached.insert(operand);
  }
  return truncations;
}

/// Writes a conversion as one to 64 bits and a truncation.
static void splitTruncation(Operation *cast) {
  Value source = cast->getOperand(0), result = cast->getResult(0);
  OpBuilder b(cast);
  Type wide = withElement(source.getType(), b.getI64Type());
  Value whole = arith::IndexCastOp::create(b, cast->getLoc(), wide, source);
  result.replaceAllUsesWith(arith::TruncIOp::create(b, cast->getLoc(), result.getType(), whole));
  cast->erase();
}

namespace {
struct AttnKeepTruncations : fovea::attn::impl::AttnKeepTruncationsBase<AttnKeepTruncations> {
  void runOnOperation() override {
    for (Operation *cast : findTruncations(getOperation()))
      splitTruncation(cast);
  }
};
} // namespace
