//===- OpPlanner.cpp - What a variant of an attention op consists of -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpPlanner.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

LaunchAttr fovea::attn::getPlannedLaunch(MLIRContext *context, ArrayRef<AffineExpr> grid) {
  auto map = AffineMap::get(0, kNumProblemSymbols, grid, context);
  return LaunchAttr::get(context, AffineMapAttr::get(map), /*block=*/1, /*shared_bytes=*/0, /*scratch_bytes=*/0);
}

std::string fovea::attn::makeKernelStem(StringRef stem) {
  std::string result = stem.take_front(/*N=*/256).str();
  for (char &c : result)
    if (!llvm::isAlnum(c) && c != '_')
      c = '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  return result;
}

func::FuncOp OpPlanner::build(KernelSignature &signature, StringRef name, ArrayRef<AffineExpr> grid,
                              IRMapping &mapping) {
  builder.clearInsertionPoint();
  func::FuncOp kernel = signature.build(builder, op.getLoc(), name, getPlannedLaunch(op.getContext(), grid), mapping);
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  return kernel;
}

func::FuncOp OpPlanner::finish(func::FuncOp kernel) {
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  func::ReturnOp::create(builder, op.getLoc());
  // The next kernel must not be created in this one.
  builder.clearInsertionPoint();
  symbols.insert(kernel);
  moveConstantsToMemory(kernel);
  outlined.push_back(kernel);
  return kernel;
}

Value OpPlanner::getArgument(const KernelSignature &signature, OpOperand &operand) {
  return signature.getOperandArgument(operand.getOperandNumber());
}

Value OpPlanner::getArgument(const KernelSignature &signature, MutableOperandRange operand) {
  return operand.empty() ? Value() : getArgument(signature, operand[0]);
}

FailureOr<VariantAttr> OpPlanner::plan(const PlannedVariant &variant) {
  bool split = variant.strategy.hasPartialResults();
  std::string name = stem + "_" + variant.name;
  SmallVector<Attribute> kernels, temporaries;
  if (variant.blockMap) {
    FailureOr<func::FuncOp> map = outlineBlockMap(variant, name + "_map");
    if (failed(map))
      return failure();
    kernels.push_back(FlatSymbolRefAttr::get(*map));
    kernels.push_back(FlatSymbolRefAttr::get(outlineBlockList(variant, name + "_list")));
    kernels.push_back(FlatSymbolRefAttr::get(outlineBlockOrder(variant, name + "_order")));
    temporaries = getBlockTables(variant);
  }
  FailureOr<func::FuncOp> kernel = getAttention(variant, split ? name + "_parts" : name);
  if (failed(kernel))
    return failure();
  kernels.push_back(FlatSymbolRefAttr::get(*kernel));
  if (split) {
    kernels.push_back(FlatSymbolRefAttr::get(getCombine(variant, name + "_combine")));
    temporaries = getPartBuffers(variant.splits);
  }
  return VariantAttr::get(op.getContext(), builder.getStringAttr(variant.name),
                          variant.when != IntegerSet() ? IntegerSetAttr::get(variant.when) : IntegerSetAttr(),
                          builder.getArrayAttr(kernels),
                          temporaries.empty() ? ArrayAttr() : builder.getArrayAttr(temporaries));
}

void OpPlanner::erase() {
  for (func::FuncOp kernel : outlined)
    symbols.erase(kernel);
}

FailureOr<ArrayAttr> fovea::attn::outlineVariants(AttentionOp op, ArrayRef<PlannedVariant> variants,
                                                  SymbolTable &symbols, StringRef stem) {
  OpPlanner planner(op, symbols, makeKernelStem(stem));
  SmallVector<Attribute> plan;
  for (const PlannedVariant &variant : variants) {
    FailureOr<VariantAttr> planned = planner.plan(variant);
    if (failed(planned)) {
      planner.erase();
      return failure();
    }
    plan.push_back(*planned);
  }
  return ArrayAttr::get(op.getContext(), plan);
}
