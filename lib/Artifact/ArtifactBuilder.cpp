//===- ArtifactBuilder.cpp - Builds an artifact from planned modules -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Artifact/ArtifactBuilder.h"
#include "Limits.h"
#include "StepBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

void CodeObject::addImage(StringRef image, ArrayRef<std::string> kernels) {
  constexpr size_t kAlignment = 16;
  bytes.resize(llvm::alignTo(bytes.size(), kAlignment));
  for (const std::string &kernel : kernels)
    imageOfKernel[kernel] = static_cast<int>(images.size());
  images.emplace_back(bytes.size(), image.size());
  bytes += image;
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
  table->images = std::move(code.images);
  imagesOfKernels.push_back(std::move(code.imageOfKernel));
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
  if (failed(checkExpressions(host, *function)))
    return failure();
  artifact.functions.push_back(std::move(function));
  return success();
}

//===----------------------------------------------------------------------===//
// Implementations
//===----------------------------------------------------------------------===//

/// Says which images of the code hold the kernels of a step.
void ArtifactBuilder::setImages(abi::StepT &step, int code) const {
  for (std::unique_ptr<abi::VariantT> &variant : step.variants)
    for (std::unique_ptr<abi::KernelT> &kernel : variant->kernels)
      kernel->image = imagesOfKernels[code].lookup(kernel->symbol);
}

LogicalResult ArtifactBuilder::addImplementation(func::FuncOp host, ModuleOp kernels, Operation *lowered, int code) {
  abi::FunctionT *function = lookup(host.getName());
  assert(function && "addFunction comes first");
  auto implementation = std::make_unique<abi::ImplementationT>();
  implementation->code = code;
  HostStorage storage(host);
  for (AttentionOp op : getAttentionOps(host)) {
    FailureOr<ProblemExprs> problem = getProblemExprs(op);
    if (failed(problem))
      return failure();
    FailureOr<std::unique_ptr<abi::StepT>> step =
        StepBuilder(op, storage, lowered, std::move(*problem)).buildStep(kernels);
    if (failed(step))
      return failure();
    setImages(**step, code);
    implementation->steps.push_back(std::move(*step));
  }
  implementation->temporaries = storage.takeTemporaries();
  if (size_t count = implementation->temporaries.size(); count > kMaxTemporaries)
    return host.emitError() << "keeps " << count
                            << " results of its ops to itself, but a function of an artifact has room "
                            << "for " << kMaxTemporaries << "; return some, or make several functions of it";
  if (failed(checkExpressions(host, *implementation)))
    return failure();
  function->implementations.push_back(std::move(implementation));
  return success();
}
