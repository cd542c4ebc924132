//===- LaunchBuilder.cpp - Code that launches the kernels of an op -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchBuilder.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fovea;

LaunchBuilder::LaunchBuilder(DestinationStyleOpInterface op, const llvm::StringMap<Kernel> &kernels,
                             KernelLauncher &launcher, int64_t threads)
    : op(op), kernels(kernels), launcher(launcher), b(op.getLoc(), op), threads(threads), buffers(b, op) {}

void LaunchBuilder::run() {
  problem.emplace(b, op, buffers.operands, threads);
  auto plan = op->getAttrOfType<ArrayAttr>(attn::AttnDialect::getPlanAttrName());
  auto variants = llvm::to_vector(plan.getAsRange<attn::VariantAttr>());
  buildIf(
      problem->isNonEmpty(), [&] { buildVariants(variants); }, nullptr);
  buffers.replaceOp(b);
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
    return buffers.operands[source.getIndex()];
  case attn::SourceKind::Capture:
    return buffers.captures[source.getIndex()];
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
