//===- StepBuilder.cpp - Kernels of one attention op in an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"
#include "Limits.h"
#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace fovea;
using attn::AttentionOp;

/// Kernel `name` after lowering: its function keeps `attn.launch`, wherever it is nested. Null: there is none.
static Operation *lookupLowered(Operation *lowered, StringRef name) {
  Operation *found = nullptr;
  lowered->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (function.getName() != name || !function->hasAttr(attn::AttnDialect::getLaunchAttrName()))
      return WalkResult::skip();
    found = function;
    return WalkResult::interrupt();
  });
  return found;
}

/// The least of the results of a launch's grid.
static Expr convertGrid(AffineMap grid, const ProblemExprs &problem) {
  Expr least;
  for (auto [index, result] : llvm::enumerate(grid.getResults())) {
    Expr expr = convertAffineExpr(result, problem);
    least = index ? getBinaryExpr(abi::ExprOp::Min, std::move(least), expr) : std::move(expr);
  }
  return least;
}

/// Adds the tensor maps of a lowered kernel whose bindings are complete.
static LogicalResult addTensorMaps(Operation *lowered, abi::KernelT &kernel) {
  auto maps = lowered->getAttrOfType<ArrayAttr>(attn::AttnDialect::getTensorMapsAttrName());
  if (!maps)
    return success();
  for (Attribute attr : maps) {
    auto map = cast<attn::TensorMapAttr>(attr);
    int64_t arguments = kernel.bindings.size();
    if (map.getArgument() >= arguments)
      return lowered->emitError() << attr << " describes argument " << map.getArgument() << " of kernel '"
                                  << kernel.symbol << "', which has " << arguments;
    auto table = std::make_unique<abi::TensorMapT>();
    table->binding = map.getArgument();
    table->rows = map.getRows();
    table->cols = map.getCols();
    table->row_dim = map.getRowDim();
    kernel.tensor_maps.push_back(std::move(table));
  }
  return success();
}

/// Refuses a kernel with more parameters than a launch passes; behind tensors and numbers there are the tensor maps.
static LogicalResult checkParameters(AttentionOp op, const abi::KernelT &kernel) {
  constexpr size_t kWordsOfMap = 16;
  size_t words = 0;
  for (const std::unique_ptr<abi::BindingT> &binding : kernel.bindings)
    words += binding->rank < 0 ? 1 : 3 + 2 * binding->rank;
  if (size_t maps = kernel.tensor_maps.size())
    words = llvm::alignTo(words, kWordsOfMap / 2) + kWordsOfMap * maps;
  if (words <= kMaxWords)
    return success();
  return op.emitError() << "has a kernel with " << words << " words of parameters, but up to " << kMaxWords
                        << " can be passed: a number is one, a tensor three and two for each dimension; capture fewer "
                        << "values or such of fewer dimensions";
}

/// One error at `op` where it has `count` of what `source` names, and not the one in question.
static LogicalResult checkSource(AttentionOp op, attn::SourceAttr source, int64_t count, StringRef what) {
  if (source.getIndex() < count)
    return success();
  return op.emitError() << "a kernel of its plan takes " << source << ", but it has " << count << " " << what;
}

FailureOr<std::unique_ptr<abi::BindingT>> StepBuilder::bind(attn::SourceAttr source, Type type) {
  if (source.getKind() == attn::SourceKind::Capture) {
    SmallVector<Value> captures = attn::getKernelCaptures(op);
    if (failed(checkSource(op, source, captures.size(), "captured values")))
      return failure();
    return storage.bind(captures[source.getIndex()]);
  }
  if (source.getKind() == attn::SourceKind::Operand) {
    if (failed(checkSource(op, source, op->getNumOperands(), "operands")))
      return failure();
    OpOperand &operand = op->getOpOperand(source.getIndex());
    return op.isDpsInit(&operand) ? storage.bindDestination(operand) : storage.bind(operand.get());
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return op.emitError() << "a kernel of its plan takes " << source << " as " << type << "; temporaries are memrefs";
  FailureOr<abi::ElementType> element = getElementType(op.getLoc(), shaped.getElementType());
  if (failed(element))
    return failure();
  auto binding = std::make_unique<abi::BindingT>();
  binding->kind = abi::BindingKind::VariantTemporary;
  binding->index = source.getIndex();
  binding->type = *element;
  binding->rank = static_cast<int8_t>(shaped.getRank());
  return binding;
}

FailureOr<std::unique_ptr<abi::KernelT>> StepBuilder::buildKernel(func::FuncOp function) {
  Operation *loweredKernel = lookupLowered(lowered, function.getName());
  if (!loweredKernel)
    return function.emitError() << "kernel '" << function.getName() << "' lost its attn.launch in the lowering";
  auto launch = loweredKernel->getAttrOfType<attn::LaunchAttr>(attn::AttnDialect::getLaunchAttrName());
  auto kernel = std::make_unique<abi::KernelT>();
  kernel->symbol = function.getName().str();
  kernel->grid = toTable(convertGrid(launch.getGrid().getValue(), problem));
  kernel->block = launch.getBlock();
  kernel->shared_bytes = launch.getSharedBytes();
  kernel->scratch_bytes = launch.getScratchBytes();
  for (BlockArgument argument : function.getArguments()) {
    auto source =
        function.getArgAttrOfType<attn::SourceAttr>(argument.getArgNumber(), attn::AttnDialect::getSourceAttrName());
    if (!source)
      return function.emitError() << "argument " << argument.getArgNumber() << " of kernel '" << function.getName()
                                  << "' has no attn.source";
    FailureOr<std::unique_ptr<abi::BindingT>> binding = bind(source, argument.getType());
    if (failed(binding))
      return failure();
    kernel->bindings.push_back(std::move(*binding));
  }
  if (failed(addTensorMaps(loweredKernel, *kernel)) || failed(checkParameters(op, *kernel)))
    return failure();
  return kernel;
}

std::unique_ptr<abi::BufferT> StepBuilder::buildBuffer(abi::ElementType type, AffineMap dims) const {
  auto buffer = std::make_unique<abi::BufferT>();
  buffer->type = type;
  for (AffineExpr dim : dims.getResults())
    buffer->dims.push_back(toTable(convertAffineExpr(dim, problem)));
  return buffer;
}

FailureOr<std::unique_ptr<abi::VariantT>> StepBuilder::buildVariant(attn::VariantAttr attr, ModuleOp kernels) {
  auto variant = std::make_unique<abi::VariantT>();
  variant->name = attr.getName().str();
  if (attr.getWhen())
    variant->when = convertIntegerSet(attr.getWhen().getValue(), problem);
  if (attr.getTemporaries()) {
    for (attn::TemporaryAttr temporary : attr.getTemporaries().getAsRange<attn::TemporaryAttr>()) {
      FailureOr<abi::ElementType> type = getElementType(op.getLoc(), temporary.getElementType());
      if (failed(type))
        return failure();
      variant->temporaries.push_back(buildBuffer(*type, temporary.getDims().getValue()));
    }
  }
  for (auto symbol : attr.getKernels().getAsRange<FlatSymbolRefAttr>()) {
    auto function = kernels.lookupSymbol<func::FuncOp>(symbol);
    if (!function)
      return op.emitError() << "plan names the kernel " << symbol << ", which does not exist";
    FailureOr<std::unique_ptr<abi::KernelT>> kernel = buildKernel(function);
    if (failed(kernel))
      return failure();
    variant->kernels.push_back(std::move(*kernel));
  }
  return variant;
}

LogicalResult StepBuilder::bindAlignedOperands(abi::StepT &step) {
  for (Value value : {op.getQuery(), op.getKey(), op.getValue()}) {
    FailureOr<std::unique_ptr<abi::BindingT>> binding = storage.bind(value);
    if (failed(binding))
      return failure();
    step.aligned_operands.push_back(std::move(*binding));
  }
  FailureOr<std::unique_ptr<abi::BindingT>> output = storage.bindDestination(op.getDpsInitsMutable()[0]);
  if (failed(output))
    return failure();
  step.aligned_operands.push_back(std::move(*output));
  return success();
}

FailureOr<std::unique_ptr<abi::StepT>> StepBuilder::buildStep(ModuleOp kernels) {
  auto plan = op->getAttrOfType<ArrayAttr>(attn::AttnDialect::getPlanAttrName());
  if (!plan)
    return op.emitError() << "has no plan; run attn-plan first";
  auto step = std::make_unique<abi::StepT>();
  step->name = "attention";
  step->flops = toTable(getFlops(op, problem));
  if (failed(bindAlignedOperands(*step)))
    return failure();
  if (plan.empty())
    return op.emitError() << "has a plan without a variant";
  for (auto variant : plan.getAsRange<attn::VariantAttr>()) {
    FailureOr<std::unique_ptr<abi::VariantT>> built = buildVariant(variant, kernels);
    if (failed(built))
      return failure();
    step->variants.push_back(std::move(*built));
  }
  return step;
}
