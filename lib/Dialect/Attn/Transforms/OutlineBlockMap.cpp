//===- OutlineBlockMap.cpp - Kernels that find which blocks a mask keeps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpPlanner.h"
#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

MemRefType OpPlanner::getTableType(const PlannedVariant &variant) {
  BlockTable table(op, variant.strategy);
  return MemRefType::get({table.perBatch ? op.getBatch() : 1, table.perHead ? op.getNumQueryHeads() : 1,
                          ShapedType::kDynamic, ShapedType::kDynamic},
                         builder.getI32Type());
}

SmallVector<Attribute> OpPlanner::getBlockTables(const PlannedVariant &variant) {
  SmallVector<Attribute> tables;
  BlockTable table(op, variant.strategy);
  for (int64_t header : {int64_t(0), kListHeader}) {
    SmallVector<AffineExpr, 4> dims = table.dims;
    dims.back() = dims.back() + header;
    auto map = AffineMap::get(0, kNumProblemSymbols, dims, op.getContext());
    tables.push_back(TemporaryAttr::get(op.getContext(), builder.getI32Type(), AffineMapAttr::get(map)));
  }
  return tables;
}

SmallVector<OpOperand *> OpPlanner::getMaskOperands() {
  SmallVector<OpOperand *> operands = {&op.getQueryMutable(), &op.getKeyMutable()};
  for (MutableOperandRange range : {op.getMaskMutable(), op.getBlockMapMutable(), op.getKvLengthsMutable(),
                                    op.getOffsetMutable(), op.getBaseMutable()})
    for (OpOperand &operand : range)
      operands.push_back(&operand);
  return operands;
}

void OpPlanner::shareTasks(func::FuncOp kernel, Operation *computed, StrategyAttr strategy, AffineExpr tasks,
                           int64_t lanes) {
  if (lanes > 1)
    computed->setAttr(kLanesAttrName, builder.getI64IntegerAttr(lanes));
  kernel->setAttr(AttnDialect::getLaunchAttrName(),
                  getPlannedLaunch(op.getContext(), getScalarGrid(strategy, tasks, lanes)));
}

FailureOr<func::FuncOp> OpPlanner::outlineBlockMap(const PlannedVariant &variant, StringRef name) {
  KernelSignature signature;
  for (OpOperand *operand : getMaskOperands())
    signature.addOperand(*operand);
  signature.addCaptures(op);
  signature.addTemporary(0, getTableType(variant));
  IRMapping mapping;
  SmallVector<AffineExpr, 4> dims = BlockTable(op, variant.blockMap).dims;
  AffineExpr tasks = dims[0] * dims[1] * dims[2] * dims[3];
  func::FuncOp kernel = build(signature, name, tasks, mapping);
  auto get = [&](auto &&operand) { return getArgument(signature, operand); };
  SmallVector<Value> base;
  for (OpOperand &operand : op.getBaseMutable())
    base.push_back(get(operand));
  auto map = BlockMapOp::create(builder, op.getLoc(), get(op.getQueryMutable()), get(op.getKeyMutable()),
                                get(op.getMaskMutable()), get(op.getKvLengthsMutable()), get(op.getOffsetMutable()),
                                base, kernel.getArguments().back(), op.getCausalAttr(), op.getDiagonalAttr(),
                                op.getWindowLeftAttr(), op.getWindowRightAttr(), variant.blockMap);
  if (failed(cloneRegionsIntoKernel(op, map, {{&op.getMaskMod(), &map.getMaskMod()}}, mapping))) {
    kernel->erase();
    return failure();
  }
  if (Value given = get(op.getBlockMapMutable())) {
    inlineBlockMap(map.getMaskMod(), op.getLoc(), given, *op.getBlockMapSizes(), map.getMask());
    map.getMaskMutable().clear();
  }
  shareTasks(kernel, map, variant.blockMap, tasks, getMapLanes(map));
  return finish(kernel);
}

func::FuncOp OpPlanner::outlineBlockList(const PlannedVariant &variant, StringRef name) {
  KernelSignature signature;
  signature.addTemporary(0, getTableType(variant));
  signature.addTemporary(1, getTableType(variant));
  IRMapping mapping;
  SmallVector<AffineExpr, 4> dims = BlockTable(op, variant.blockMap).dims;
  AffineExpr tasks = dims[0] * dims[1] * dims[2];
  func::FuncOp kernel = build(signature, name, tasks, mapping);
  auto list = BlockListOp::create(builder, op.getLoc(), kernel.getArgument(0), kernel.getArgument(1));
  list->setAttr(kStrategyAttrName, variant.blockMap);
  shareTasks(kernel, list, variant.blockMap, tasks, getListLanes(variant.blockMap));
  return finish(kernel);
}

func::FuncOp OpPlanner::outlineBlockOrder(const PlannedVariant &variant, StringRef name) {
  KernelSignature signature;
  signature.addTemporary(1, getTableType(variant));
  IRMapping mapping;
  SmallVector<AffineExpr, 4> dims = BlockTable(op, variant.blockMap).dims;
  AffineExpr tasks = dims[0] * dims[1] * dims[2];
  func::FuncOp kernel = build(signature, name, tasks, mapping);
  auto order = BlockOrderOp::create(builder, op.getLoc(), kernel.getArgument(0));
  order->setAttr(kStrategyAttrName, variant.blockMap);
  shareTasks(kernel, order, variant.blockMap, tasks, getListLanes(variant.blockMap));
  return finish(kernel);
}
