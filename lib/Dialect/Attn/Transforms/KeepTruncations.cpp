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

/// Whether a value is converted to an index, as it is or behind operations on integers of its type.
static bool becomesIndex(Value value) {
  SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *user : reached[i].getUsers()) {
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(user))
        return true;
      for (Value result : user->getResults())
        if (result.getType() == value.getType())
          reached.insert(result);
    }
  return false;
}

/// Writes a conversion of an index to less than 64 bits as one to 64 bits and a truncation.
static void splitTruncation(Operation *cast) {
  Value source = cast->getOperand(0), result = cast->getResult(0);
  if (!getElementTypeOrSelf(source).isIndex() || getElementTypeOrSelf(result).getIntOrFloatBitWidth() >= 64)
    return;
  if (!becomesIndex(result))
    return;
  OpBuilder b(cast);
  Type wide = withElement(source.getType(), b.getI64Type());
  Value whole = arith::IndexCastOp::create(b, cast->getLoc(), wide, source);
  result.replaceAllUsesWith(arith::TruncIOp::create(b, cast->getLoc(), result.getType(), whole));
  cast->erase();
}

namespace {
struct AttnKeepTruncations : fovea::attn::impl::AttnKeepTruncationsBase<AttnKeepTruncations> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
        splitTruncation(op);
    });
  }
};
} // namespace
