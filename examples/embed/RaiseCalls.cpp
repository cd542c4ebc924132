//===- RaiseCalls.cpp - The example's own pass -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseCalls.h"
#include "fovea/Dialect/Attn/IR/AttnBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace fovea;

/// The result as a fresh tensor: sizes of the query, depth of the value.
static Value createDestination(OpBuilder &builder, func::CallOp call) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, call.getLoc(), call.getOperand(0));
  auto type = cast<RankedTensorType>(call.getResult(0).getType());
  sizes.back() = builder.getIndexAttr(type.getShape().back());
  return tensor::EmptyOp::create(builder, call.getLoc(), sizes, type.getElementType());
}

static bool isHeads(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 4 && !tensor.isDynamicDim(3);
}

static LogicalResult check(func::CallOp call) {
  if (call.getNumOperands() != 3)
    return call.emitError() << "@sdpa takes query, key and value, not " << call.getNumOperands() << " operands";
  if (!llvm::all_of(call.getOperandTypes(), isHeads) || call.getNumResults() != 1 ||
      !isHeads(call.getResultTypes().front()))
    return call.emitError()
           << "@sdpa takes and returns tensors [batch, heads, positions, depth] of a known depth, but is "
           << call.getCalleeType();
  return success();
}

/// Sizes that the destination knows and the call does not are cast away.
static LogicalResult raise(func::CallOp call) {
  if (failed(check(call)))
    return failure();
  OpBuilder builder(call);
  attn::AttentionClauses clauses;
  clauses.causal = true;
  clauses.diagonal = attn::Diagonal::TopLeft;
  Value destination = createDestination(builder, call);
  Type type = call.getResultTypes().front();
  if (!tensor::CastOp::areCastCompatible(destination.getType(), type))
    return call.emitError() << "@sdpa returns " << destination.getType() << " here, but the call " << type;
  auto op = attn::buildAttention(builder, call.getLoc(), call.getOperand(0), call.getOperand(1), call.getOperand(2),
                                 destination, clauses);
  Value result = op->getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(builder, call.getLoc(), type, result);
  call.replaceAllUsesWith(ValueRange(result));
  call.erase();
  return success();
}

namespace {
struct RaiseCalls : PassWrapper<RaiseCalls, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RaiseCalls)
  StringRef getArgument() const override { return "embed-raise-calls"; }
  StringRef getDescription() const override { return "Calls of @sdpa become causal attention"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<attn::AttnDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee() == "sdpa")
        calls.push_back(call);
    });
    for (func::CallOp call : calls)
      if (failed(raise(call)))
        return signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> embed::createRaiseCalls() { return std::make_unique<RaiseCalls>(); }

void embed::registerRaiseCalls() { PassRegistration<RaiseCalls>(); }
