//===- ArtifactBuilder.cpp - Builds an artifact from planned modules -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Artifact/ArtifactBuilder.h"
#include "HostFunction.h"
#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace fovea;
using attn::AttentionOp;

ArtifactBuilder::ArtifactBuilder(StringRef producer) {
  artifact.abi_version = kAbiVersion;
  artifact.producer = producer.str();
}

/// FNV-1a, 64 bit, as the schema says.
static uint64_t getChecksum(StringRef bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

int ArtifactBuilder::addCode(CodeObject code) {
  auto table = std::make_unique<abi::CodeT>();
  table->kind = code.kind;
  table->backend = std::move(code.backend);
  table->arch = std::move(code.arch);
  table->features = std::move(code.features);
  table->ptx_version = code.ptxVersion;
  table->checksum = getChecksum(code.bytes);
  table->bytes.assign(code.bytes.begin(), code.bytes.end());
  artifact.codes.push_back(std::move(table));
  return static_cast<int>(artifact.codes.size()) - 1;
}

abi::FunctionT *ArtifactBuilder::lookup(StringRef name) {
  for (const std::unique_ptr<abi::FunctionT> &function : artifact.functions)
    if (function->name == name)
      return function.get();
  return nullptr;
}

std::string ArtifactBuilder::serialize() const {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(abi::CreateArtifact(builder, &artifact), abi::ArtifactIdentifier());
  return std::string(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize());
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// Type and rank of an argument or result; `dims` are left to the caller.
static FailureOr<std::unique_ptr<abi::ValueT>> makeValue(Location loc, Type type, std::string name) {
  auto shaped = dyn_cast<ShapedType>(type);
  FailureOr<abi::ElementType> element = getElementType(loc, shaped ? shaped.getElementType() : type);
  if (failed(element))
    return failure();
  auto value = std::make_unique<abi::ValueT>();
  value->name = std::move(name);
  value->type = *element;
  value->rank = static_cast<int8_t>(shaped ? shaped.getRank() : -1);
  return value;
}

static FailureOr<std::unique_ptr<abi::ValueT>> makeArgument(BlockArgument argument) {
  FailureOr<std::unique_ptr<abi::ValueT>> value =
      makeValue(argument.getLoc(), argument.getType(), "arg" + std::to_string(argument.getArgNumber()));
  auto shaped = dyn_cast<ShapedType>(argument.getType());
  if (failed(value) || !shaped)
    return value;
  if (!shaped.hasRank())
    return emitError(argument.getLoc()) << "an argument of an artifact needs a rank";
  for (int64_t size : shaped.getShape())
    (*value)->dims.push_back(ShapedType::isDynamic(size) ? std::make_unique<abi::ExprT>()
                                                         : toTable(getConstantExpr(size)));
  (*value)->written = llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    return op && isa<MemRefType>(use.get().getType()) && op.isDpsInit(&use);
  });
  return value;
}

static FailureOr<std::unique_ptr<abi::ValueT>> makeResult(OpOperand &returned) {
  Value source = returned.get();
  while (auto cast = source.getDefiningOp<tensor::CastOp>())
    source = cast.getSource();
  unsigned position = returned.getOperandNumber();
  if (!source.getDefiningOp<AttentionOp>())
    return emitError(returned.getOwner()->getLoc())
           << "result " << position << " is not the result of an attention op, as an artifact needs";
  for (OpOperand &other : returned.getOwner()->getOpOperands().take_front(position))
    if (other.get() == returned.get())
      return emitError(returned.getOwner()->getLoc())
             << "results " << other.getOperandNumber() << " and " << position << " are the same value; return it once";
  FailureOr<std::unique_ptr<abi::ValueT>> value =
      makeValue(source.getLoc(), returned.get().getType(), "result" + std::to_string(position));
  if (failed(value))
    return failure();
  for (int64_t dim = 0; dim < (*value)->rank; ++dim) {
    FailureOr<Expr> size = convertDim(returned.get(), dim);
    if (failed(size))
      return failure();
    (*value)->dims.push_back(toTable(std::move(*size)));
  }
  return value;
}

LogicalResult ArtifactBuilder::addFunction(func::FuncOp host) {
  if (failed(verifyHostFunction(host)))
    return failure();
  auto function = std::make_unique<abi::FunctionT>();
  function->name = host.getName().str();
  for (BlockArgument argument : host.getArguments()) {
    FailureOr<std::unique_ptr<abi::ValueT>> value = makeArgument(argument);
    if (failed(value))
      return failure();
    function->arguments.push_back(std::move(*value));
  }
  for (OpOperand &returned : host.getBody().front().getTerminator()->getOpOperands()) {
    FailureOr<std::unique_ptr<abi::ValueT>> value = makeResult(returned);
    if (failed(value))
      return failure();
    function->results.push_back(std::move(*value));
  }
  for (AttentionOp op : getAttentionOps(host))
    if (failed(addConstraints(op, function->constraints)))
      return failure();
  artifact.functions.push_back(std::move(function));
  return success();
}

//===----------------------------------------------------------------------===//
// Implementations
//===----------------------------------------------------------------------===//

/// The launch numbers of kernel `name` after lowering: its function keeps `attn.launch`, wherever it is nested.
static attn::LaunchAttr getLaunch(Operation *lowered, StringRef name) {
  attn::LaunchAttr launch;
  lowered->walk([&](Operation *op) {
    auto symbol = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    auto attr = op->getAttrOfType<attn::LaunchAttr>(attn::AttnDialect::getLaunchAttrName());
    if (attr && symbol && symbol == name)
      launch = attr;
  });
  return launch;
}

namespace {

/// Builds the kernels of one attention op.
class StepBuilder {
public:
  StepBuilder(AttentionOp op, HostStorage &storage, ModuleOp kernels, Operation *lowered, ProblemExprs problem)
      : op(op), storage(storage), kernels(kernels), lowered(lowered), problem(std::move(problem)) {}

  FailureOr<std::unique_ptr<abi::VariantT>> buildVariant(attn::VariantAttr variant);
  FailureOr<std::unique_ptr<abi::KernelT>> buildKernel(func::FuncOp kernel);

private:
  FailureOr<std::unique_ptr<abi::BindingT>> bind(attn::SourceAttr source, Type type);

  AttentionOp op;
  HostStorage &storage;
  ModuleOp kernels;
  Operation *lowered;
  ProblemExprs problem;
};

} // namespace

FailureOr<std::unique_ptr<abi::BindingT>> StepBuilder::bind(attn::SourceAttr source, Type type) {
  if (source.getKind() == attn::SourceKind::Capture)
    return storage.bind(attn::getKernelCaptures(op)[source.getIndex()]);
  if (source.getKind() == attn::SourceKind::Operand) {
    OpOperand &operand = op->getOpOperand(source.getIndex());
    return op.isDpsInit(&operand) ? storage.bindDestination(operand) : storage.bind(operand.get());
  }
  auto shaped = cast<ShapedType>(type);
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
  attn::LaunchAttr launch = getLaunch(lowered, function.getName());
  if (!launch)
    return function.emitError() << "kernel '" << function.getName() << "' lost its attn.launch in the lowering";
  auto kernel = std::make_unique<abi::KernelT>();
  kernel->symbol = function.getName().str();
  kernel->grid = toTable(convertAffineExpr(launch.getGrid().getValue().getResult(0), problem));
  kernel->block = launch.getBlock();
  kernel->shared_bytes = launch.getSharedBytes();
  kernel->scratch_bytes = launch.getScratchBytes();
  for (BlockArgument argument : function.getArguments()) {
    auto source = function.getArgAttrOfType<attn::SourceAttr>(argument.getArgNumber(),
                                                              attn::AttnDialect::getSourceAttrName());
    if (!source)
      return function.emitError() << "argument " << argument.getArgNumber() << " of kernel '" << function.getName()
                                  << "' has no attn.source";
    FailureOr<std::unique_ptr<abi::BindingT>> binding = bind(source, argument.getType());
    if (failed(binding))
      return failure();
    kernel->bindings.push_back(std::move(*binding));
  }
  return kernel;
}

static std::unique_ptr<abi::BufferT> buildBuffer(abi::ElementType type, AffineMap dims, const ProblemExprs &problem) {
  auto buffer = std::make_unique<abi::BufferT>();
  buffer->type = type;
  for (AffineExpr dim : dims.getResults())
    buffer->dims.push_back(toTable(convertAffineExpr(dim, problem)));
  return buffer;
}

FailureOr<std::unique_ptr<abi::VariantT>> StepBuilder::buildVariant(attn::VariantAttr attr) {
  auto variant = std::make_unique<abi::VariantT>();
  variant->name = attr.getName().str();
  if (attr.getWhen())
    variant->when = convertIntegerSet(attr.getWhen().getValue(), problem);
  if (attr.getTemporaries()) {
    for (attn::TemporaryAttr temporary : attr.getTemporaries().getAsRange<attn::TemporaryAttr>()) {
      FailureOr<abi::ElementType> type = getElementType(op.getLoc(), temporary.getElementType());
      if (failed(type))
        return failure();
      variant->temporaries.push_back(buildBuffer(*type, temporary.getDims().getValue(), problem));
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

static FailureOr<std::unique_ptr<abi::StepT>> buildStep(AttentionOp op, HostStorage &storage, ModuleOp kernels,
                                                        Operation *lowered) {
  auto plan = op->getAttrOfType<ArrayAttr>(attn::AttnDialect::getPlanAttrName());
  if (!plan)
    return op.emitError() << "has no plan; run attn-plan first";
  FailureOr<ProblemExprs> problem = getProblemExprs(op);
  if (failed(problem))
    return failure();
  auto step = std::make_unique<abi::StepT>();
  step->name = "attention";
  step->flops = toTable(getFlops(op, *problem));
  for (Value value : {op.getQuery(), op.getKey(), op.getValue()}) {
    FailureOr<std::unique_ptr<abi::BindingT>> binding = storage.bind(value);
    if (failed(binding))
      return failure();
    step->aligned_operands.push_back(std::move(*binding));
  }
  FailureOr<std::unique_ptr<abi::BindingT>> output = storage.bindDestination(op.getDpsInitsMutable()[0]);
  if (failed(output))
    return failure();
  step->aligned_operands.push_back(std::move(*output));
  StepBuilder builder(op, storage, kernels, lowered, std::move(*problem));
  for (auto variant : plan.getAsRange<attn::VariantAttr>()) {
    FailureOr<std::unique_ptr<abi::VariantT>> built = builder.buildVariant(variant);
    if (failed(built))
      return failure();
    step->variants.push_back(std::move(*built));
  }
  return step;
}

LogicalResult ArtifactBuilder::addImplementation(func::FuncOp host, ModuleOp kernels, Operation *lowered, int code) {
  abi::FunctionT *function = lookup(host.getName());
  assert(function && "addFunction comes first");
  auto implementation = std::make_unique<abi::ImplementationT>();
  implementation->code = code;
  HostStorage storage(host);
  for (AttentionOp op : getAttentionOps(host)) {
    FailureOr<std::unique_ptr<abi::StepT>> step = buildStep(op, storage, kernels, lowered);
    if (failed(step))
      return failure();
    implementation->steps.push_back(std::move(*step));
  }
  implementation->temporaries = storage.takeTemporaries();
  function->implementations.push_back(std::move(implementation));
  return success();
}
