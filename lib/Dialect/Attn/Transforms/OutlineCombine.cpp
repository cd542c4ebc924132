//===- OutlineCombine.cpp - The kernel of a combine op -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpPlanner.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

StrategyAttr fovea::attn::getRowCombine(MLIRContext *context, int64_t depth) {
  return StrategyAttr::get(context, /*blockM=*/1, /*blockN=*/llvm::alignTo(depth, 16));
}

FailureOr<ArrayAttr> fovea::attn::outlineVariants(CombineOp op, const Target &backend, TargetAttr target,
                                                  SymbolTable &symbols, StringRef stem) {
  FailureOr<StrategyAttr> strategy = backend.planCombine(op, target);
  if (failed(strategy))
    return failure();
  MLIRContext *context = op.getContext();
  int64_t depth = cast<ShapedType>(op.getOutput().getType()).getShape().back();
  if (!*strategy)
    strategy = getRowCombine(context, depth);
  KernelSignature signature;
  for (OpOperand &operand : op->getOpOperands())
    signature.addOperand(operand);
  IRMapping mapping;
  OpBuilder builder(context);
  LaunchAttr launch = getPlannedLaunch(context, getCombineGrid(*strategy, depth));
  func::FuncOp kernel = signature.build(builder, op.getLoc(), makeKernelStem(stem) + "_combine", launch, mapping);
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  auto get = [&](MutableOperandRange operand) {
    return operand.empty() ? Value() : signature.getOperandArgument(operand[0].getOperandNumber());
  };
  auto getOne = [&](OpOperand &operand) { return signature.getOperandArgument(operand.getOperandNumber()); };
  auto clone = CombineOp::create(builder, op.getLoc(), TypeRange{}, getOne(op.getPartialOutputsMutable()),
                                 getOne(op.getPartialLsesMutable()), get(op.getSinkMutable()),
                                 getOne(op.getOutputMutable()), get(op.getLseMutable()));
  clone->setAttr(kStrategyAttrName, *strategy);
  func::ReturnOp::create(builder, op.getLoc());
  symbols.insert(kernel);
  Builder b(context);
  Attribute variant = VariantAttr::get(context, b.getStringAttr("combine"), IntegerSetAttr(),
                                       b.getArrayAttr(FlatSymbolRefAttr::get(kernel)), ArrayAttr());
  return b.getArrayAttr(variant);
}
