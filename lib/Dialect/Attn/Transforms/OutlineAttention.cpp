//===- OutlineAttention.cpp - Attention kernels and what merges their parts -*- C++ -*-===//
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

bool OpPlanner::belongsToCombine(OpOperand &operand) {
  MutableOperandRange sink = op.getSinkMutable();
  return op.isDpsInit(&operand) || (!sink.empty() && &sink[0] == &operand);
}

MemRefType OpPlanner::getPartType(bool depth) {
  SmallVector<int64_t> shape = {ShapedType::kDynamic, op.getBatch(), op.getNumQueryHeads(), op.getQueryLength()};
  if (depth)
    shape.push_back(op.getVDepth());
  return MemRefType::get(shape, builder.getF32Type());
}

SmallVector<Attribute> OpPlanner::getPartBuffers(AffineExpr splits) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims = {splits, getSymbolExpr(ProblemSymbol::Batch, context),
                                  getSymbolExpr(ProblemSymbol::QueryHeads, context),
                                  getSymbolExpr(ProblemSymbol::QueryLength, context)};
  auto makeBuffer = [&]() -> Attribute {
    auto map = AffineMap::get(0, kNumProblemSymbols, dims, context);
    return TemporaryAttr::get(context, builder.getF32Type(), AffineMapAttr::get(map));
  };
  Attribute lses = makeBuffer();
  dims.push_back(getAffineConstantExpr(op.getVDepth(), context));
  return {makeBuffer(), lses};
}

AttentionOp OpPlanner::cloneAttention(const PlannedVariant &variant, const KernelSignature &signature, Block &body) {
  auto get = [&](auto &&operand) { return getArgument(signature, operand); };
  Value output = get(op.getOutputMutable()), lse = get(op.getLseMutable());
  if (variant.strategy.hasPartialResults()) {
    output = body.getArgument(body.getNumArguments() - 2);
    lse = body.getArgument(body.getNumArguments() - 1);
  }
  SmallVector<Value> base;
  for (OpOperand &operand : op.getBaseMutable())
    base.push_back(get(operand));
  Value blockList = variant.blockMap ? Value(body.getArguments().back()) : Value();
  return AttentionOp::create(builder, op.getLoc(), TypeRange{}, get(op.getQueryMutable()), get(op.getKeyMutable()),
                             get(op.getValueMutable()), get(op.getScaleMutable()), get(op.getBiasMutable()),
                             get(op.getMaskMutable()), get(op.getSinkMutable()), get(op.getKvLengthsMutable()),
                             get(op.getOffsetMutable()), base, get(op.getBlockMapMutable()), blockList, output, lse,
                             op.getStaticScaleAttr(), op.getCausalAttr(), op.getDiagonalAttr(), op.getWindowLeftAttr(),
                             op.getWindowRightAttr(), op.getBlockMapSizesAttr(), op.getAllowTf32Attr(),
                             op.getAllowApproxAttr(), op.getAllowNondeterminismAttr(), variant.strategy);
}

FailureOr<func::FuncOp> OpPlanner::getAttention(const PlannedVariant &variant, StringRef name) {
  if (variant.blockMap || variant.splits)
    return outlineAttention(variant, name);
  auto it = attentions.find(variant.strategy);
  if (it != attentions.end())
    return it->second;
  FailureOr<func::FuncOp> kernel = outlineAttention(variant, name);
  if (succeeded(kernel))
    attentions[variant.strategy] = *kernel;
  return kernel;
}

FailureOr<func::FuncOp> OpPlanner::outlineAttention(const PlannedVariant &variant, StringRef name) {
  bool split = variant.strategy.hasPartialResults();
  KernelSignature signature;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!split || !belongsToCombine(operand))
      signature.addOperand(operand);
  }
  signature.addCaptures(op);
  if (split) {
    signature.addTemporary(0, getPartType(/*depth=*/true));
    signature.addTemporary(1, getPartType(/*depth=*/false));
  }
  if (variant.blockMap)
    signature.addTemporary(1, getTableType(variant));
  IRMapping mapping;
  SmallVector<AffineExpr> grid = getKernelGrid(variant.strategy, split ? variant.splits : nullptr);
  func::FuncOp kernel = build(signature, name, grid, mapping);
  Block &body = kernel.getBody().front();
  AttentionOp clone = cloneAttention(variant, signature, body);
  if (failed(cloneRegionsIntoKernel(
          op, clone, {{&op.getScoreMod(), &clone.getScoreMod()}, {&op.getMaskMod(), &clone.getMaskMod()}}, mapping))) {
    kernel->erase();
    return failure();
  }
  return finish(kernel);
}

func::FuncOp OpPlanner::getCombine(const PlannedVariant &variant, StringRef name) {
  StrategyAttr strategy = variant.combine;
  if (!strategy)
    strategy = getRowCombine(op.getContext(), op.getVDepth());
  func::FuncOp &kernel = combines[strategy];
  if (!kernel)
    kernel = outlineCombine(strategy, name);
  return kernel;
}

func::FuncOp OpPlanner::outlineCombine(StrategyAttr strategy, StringRef name) {
  KernelSignature signature;
  signature.addTemporary(0, getPartType(/*depth=*/true));
  signature.addTemporary(1, getPartType(/*depth=*/false));
  for (OpOperand &operand : op->getOpOperands())
    if (belongsToCombine(operand))
      signature.addOperand(operand);
  IRMapping mapping;
  func::FuncOp kernel = build(signature, name, getCombineGrid(strategy, op.getVDepth()), mapping);
  Block &body = kernel.getBody().front();
  auto combine =
      CombineOp::create(builder, op.getLoc(), TypeRange{}, body.getArgument(0), body.getArgument(1),
                        getArgument(signature, op.getSinkMutable()), getArgument(signature, op.getOutputMutable()),
                        getArgument(signature, op.getLseMutable()));
  combine->setAttr(kStrategyAttrName, strategy);
  return finish(kernel);
}
