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

static LogicalResult raise(func::CallOp call) {
  if (call.getNumOperands() != 3)
    return call.emitError() << "@sdpa takes query, key and value, not " << call.getNumOperands() << " operands";
  OpBuilder builder(call);
  attn::AttentionClauses clauses;
  clauses.causal = true;
  clauses.diagonal = attn::Diagonal::TopLeft;
  auto op = attn::buildAttention(builder, call.getLoc(), call.getOperand(0), call.getOperand(1), call.getOperand(2),
                                 createDestination(builder, call), clauses);
  call.replaceAllUsesWith(op.getResults());
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
