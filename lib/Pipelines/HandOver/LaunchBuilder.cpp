//===- LaunchBuilder.cpp - Code that launches the kernels of an op -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchBuilder.h"
#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fovea;

LaunchBuilder::LaunchBuilder(attn::AttentionOp op, const llvm::StringMap<Kernel> &kernels, KernelLauncher &launcher,
                             int64_t threads)
    : op(op), kernels(kernels), launcher(launcher), b(op.getLoc(), op), threads(threads) {}

void LaunchBuilder::run() {
  bufferize();
  problem.emplace(b, op, buffers, threads);
  auto plan = op->getAttrOfType<ArrayAttr>(attn::AttnDialect::getPlanAttrName());
  auto variants = llvm::to_vector(plan.getAsRange<attn::VariantAttr>());
  buildIf(
      problem->isNonEmpty(), [&] { buildVariants(variants); }, nullptr);
  SmallVector<Value> results;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (isa<TensorType>(init.get().getType()))
      results.push_back(bufferization::ToTensorOp::create(b, init.get().getType(), buffers[init.getOperandNumber()],
                                                          /*restrict=*/true, /*writable=*/true));
  op->replaceAllUsesWith(results);
  op->erase();
}

/// A buffer for a tensor to read.
static Value toBuffer(ImplicitLocOpBuilder &b, Value value) {
  if (!isa<TensorType>(value.getType()))
    return value;
  return bufferization::ToBufferOp::create(b, attn::getKernelArgumentType(value.getType()), value, /*read_only=*/true);
}

/// A new buffer for a result. The destination may be another op's too, and what is written here is hidden from
/// bufferization.
static Value createResultBuffer(ImplicitLocOpBuilder &b, Value destination) {
  auto type = cast<RankedTensorType>(destination.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, destination, dim));
  Value fresh = bufferization::AllocTensorOp::create(b, type, sizes, /*copy=*/Value());
  return bufferization::ToBufferOp::create(b, attn::getKernelArgumentType(type), fresh);
}

void LaunchBuilder::bufferize() {
  for (OpOperand &operand : op->getOpOperands()) {
    bool isResult = op.isDpsInit(&operand) && isa<TensorType>(operand.get().getType());
    buffers.push_back(isResult ? createResultBuffer(b, operand.get()) : toBuffer(b, operand.get()));
  }
  for (Value capture : attn::getKernelCaptures(op))
    captures.push_back(toBuffer(b, capture));
}

/// Code under a condition; a constant one is decided here.
void LaunchBuilder::buildIf(OpFoldResult condition, llvm::function_ref<void()> then,
                            llvm::function_ref<void()> otherwise) {
  if (std::optional<int64_t> constant = getConstantIntValue(condition)) {
    if (*constant)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  auto branch = scf::IfOp::create(b, cast<Value>(condition), /*withElseRegion=*/static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(b);
  // What a branch computes is not there after it.
  const ProblemValues outside = *problem;
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  problem.emplace(outside);
  if (!otherwise)
    return;
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
  problem.emplace(outside);
}

void LaunchBuilder::buildVariants(ArrayRef<attn::VariantAttr> variants) {
  attn::VariantAttr first = variants.front();
  if (!first.getWhen())
    return buildVariant(first);
  buildIf(
      problem->evaluate(first.getWhen().getValue()), [&] { buildVariant(first); },
      [&] { buildVariants(variants.drop_front()); });
}

Value LaunchBuilder::allocate(attn::TemporaryAttr temporary) {
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr dim : temporary.getDims().getValue().getResults())
    sizes.push_back(problem->evaluate(dim));
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  return launcher.allocate(b, MemRefType::get(shape, temporary.getElementType()), dynamicSizes);
}

Value LaunchBuilder::getArgument(attn::SourceAttr source) {
  switch (source.getKind()) {
  case attn::SourceKind::Operand:
    return buffers[source.getIndex()];
  case attn::SourceKind::Capture:
    return captures[source.getIndex()];
  case attn::SourceKind::Temporary:
    return temporaries[source.getIndex()];
  }
  llvm_unreachable("not a source");
}

/// The memref with the type by which a kernel takes it.
static Value castArgument(ImplicitLocOpBuilder &b, Value value, MemRefType type) {
  if (!type || value.getType() == type)
    return value;
  auto from = cast<MemRefType>(value.getType());
  if (from.getMemorySpace() != type.getMemorySpace()) {
    auto generic = MemRefType::Builder(from).setMemorySpace(type.getMemorySpace());
    value = memref::MemorySpaceCastOp::create(b, MemRefType(generic), value);
  }
  return value.getType() == type ? value : memref::CastOp::create(b, type, value).getResult();
}

void LaunchBuilder::buildVariant(attn::VariantAttr variant) {
  launcher.begin(b);
  temporaries.clear();
  if (variant.getTemporaries())
    for (auto temporary : variant.getTemporaries().getAsRange<attn::TemporaryAttr>())
      temporaries.push_back(allocate(temporary));
  for (auto symbol : variant.getKernels().getAsRange<FlatSymbolRefAttr>()) {
    const Kernel &kernel = kernels.at(symbol.getValue());
    SmallVector<Value> arguments;
    for (auto [source, type] : llvm::zip_equal(kernel.sources, kernel.memrefs))
      arguments.push_back(castArgument(b, getArgument(source), type));
    launcher.launch(b, kernel, problem->evaluateLeast(kernel.launch.getGrid().getValue()), arguments);
  }
  launcher.end(b);
}
