//===- KernelOutline.cpp - Kernel functions from attention ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea::attn;

Type fovea::attn::getKernelArgumentType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return type;
  SmallVector<int64_t> strides(shaped.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(shaped.getShape(), shaped.getElementType(), layout);
}

static bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

SmallVector<Value> fovea::attn::getKernelCaptures(AttentionOp op) {
  SmallVector<Value> captures = op.getCaptures();
  llvm::erase_if(captures, isConstant);
  return captures;
}

//===----------------------------------------------------------------------===//
// KernelSignature
//===----------------------------------------------------------------------===//

void KernelSignature::add(Type type, Value host, SourceAttr source) {
  types.push_back(type);
  hostValues.push_back(host);
  sources.push_back(source);
}

void KernelSignature::addOperand(OpOperand &operand) {
  Value host = operand.get();
  add(getKernelArgumentType(host.getType()), host,
      SourceAttr::get(host.getContext(), SourceKind::Operand, operand.getOperandNumber()));
}

void KernelSignature::addCaptures(AttentionOp op) {
  for (auto [index, host] : llvm::enumerate(getKernelCaptures(op)))
    add(getKernelArgumentType(host.getType()), host,
        SourceAttr::get(host.getContext(), SourceKind::Capture, static_cast<int64_t>(index)));
}

void KernelSignature::addTemporary(int64_t index, MemRefType type) {
  add(getKernelArgumentType(type), Value(), SourceAttr::get(type.getContext(), SourceKind::Temporary, index));
}

void KernelSignature::addPlain(Type type) { add(type, Value(), SourceAttr()); }

func::FuncOp KernelSignature::build(OpBuilder &builder, Location loc, StringRef name, LaunchAttr launch,
                                    IRMapping &mapping) {
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(AttnDialect::getLaunchAttrName(), launch);
  Block *entry = function.addEntryBlock();
  for (auto [index, host] : llvm::enumerate(hostValues)) {
    if (sources[index])
      function.setArgAttr(index, AttnDialect::getSourceAttrName(), sources[index]);
    if (sources[index] && sources[index].getKind() == SourceKind::Operand)
      operandArguments[sources[index].getIndex()] = entry->getArgument(index);
    // A value used twice (K and V the same tensor, a captured operand) keeps its first argument in the regions.
    if (host && !mapping.contains(host))
      mapping.map(host, entry->getArgument(index));
  }
  return function;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Clones the constants that the regions of `op` capture to the builder's position.
static void cloneCapturedConstants(OpBuilder &builder, AttentionOp op, IRMapping &mapping) {
  for (Value capture : op.getCaptures())
    if (isConstant(capture) && !mapping.contains(capture))
      mapping.map(capture, builder.clone(*capture.getDefiningOp())->getResult(0));
}

/// Rewrites the uses of a captured tensor, now a memref, in a cloned region.
static LogicalResult rewriteCapturedTensorUse(Operation *op, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    // The named accessor would promise a tensor.
    rewriter.replaceOpWithNewOp<memref::LoadOp>(op, op->getOperand(0), extract.getIndices());
    return success();
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    rewriter.replaceOpWithNewOp<memref::DimOp>(op, dim.getSource(), dim.getIndex());
    return success();
  }
  return op->emitError() << "'" << op->getName()
                         << "' on a captured tensor cannot be part of a kernel; use tensor.extract or tensor.dim";
}

LogicalResult fovea::attn::cloneRegionsIntoKernel(AttentionOp from, Operation *to,
                                                  ArrayRef<std::pair<Region *, Region *>> regions, IRMapping &mapping) {
  OpBuilder builder(to);
  cloneCapturedConstants(builder, from, mapping);
  for (auto [source, destination] : regions)
    builder.cloneRegionBefore(*source, *destination, destination->end(), mapping);

  IRRewriter rewriter(to->getContext());
  SmallVector<Operation *> tensorOps;
  to->walk([&](Operation *op) {
    if (op != to && llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>) &&
        isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
      tensorOps.push_back(op);
  });
  for (Operation *op : tensorOps)
    if (failed(rewriteCapturedTensorUse(op, rewriter)))
      return failure();
  return success();
}
