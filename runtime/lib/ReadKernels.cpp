//===- ReadKernels.cpp - Implementations and references of an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Reader.h"

#include <algorithm>

namespace fovea::runtime {

fovea_status Reader::readBuffers(const flatbuffers::Vector<flatbuffers::Offset<abi::Buffer>> *source, Scope scope,
                                 std::vector<Buffer> &buffers) {
  if (sizeOf(source) > kMaxTemporaries)
    return bad("too many temporaries");
  for (size_t i = 0; i < sizeOf(source); ++i) {
    const abi::Buffer &from = *source->Get(i);
    if (!isType(from.type()) || sizeOf(from.dims()) > FOVEA_MAX_RANK)
      return bad("a temporary has an unknown type or too many dimensions");
    Buffer &buffer = buffers.emplace_back();
    buffer.type = toType(from.type());
    for (size_t d = 0; d < sizeOf(from.dims()); ++d) {
      FOVEA_TRY(readExpr(from.dims()->Get(d), scope, buffer.dims.emplace_back()));
      if (buffer.dims.back().empty())
        return bad("a temporary lacks a size");
    }
  }
  return FOVEA_OK;
}

fovea_status Reader::readBinding(const abi::Binding &source, const std::vector<Buffer> *variantTemporaries, Scope scope,
                                 Binding &binding) {
  if (!isType(source.type()) || source.kind() > abi::BindingKind::MAX)
    return bad("a kernel parameter has an unknown kind or type");
  binding = {static_cast<BindingKind>(source.kind()),
             source.index(),
             toType(source.type()),
             source.rank(),
             source.bits(),
             Expr()};
  size_t index = static_cast<size_t>(static_cast<int64_t>(binding.index));
  auto matches = [&](size_t size, auto &&typeAndRank) {
    if (binding.index < 0 || index >= size)
      return bad("a kernel parameter is bound to a value that does not exist");
    auto [type, rank] = typeAndRank(index);
    return type == binding.type && rank == binding.rank
               ? FOVEA_OK
               : bad("a kernel parameter and its value differ in type or rank");
  };
  auto value = [](const std::vector<Value> &values) {
    return [&](size_t i) { return std::make_pair(values[i].type, values[i].rank); };
  };
  auto buffer = [](const std::vector<Buffer> &buffers) {
    return [&](size_t i) { return std::make_pair(buffers[i].type, static_cast<int>(buffers[i].dims.size())); };
  };
  switch (binding.kind) {
  case BindingKind::Argument:
    return matches(function->arguments.size(), value(function->arguments));
  case BindingKind::Result:
    return matches(function->results.size(), value(function->results));
  case BindingKind::Temporary:
    return matches(temporaries->size(), buffer(*temporaries));
  case BindingKind::VariantTemporary:
    if (!variantTemporaries)
      return bad("a parameter is bound to a temporary of a variant where there is none");
    return matches(variantTemporaries->size(), buffer(*variantTemporaries));
  case BindingKind::Constant:
    return binding.rank == -1 ? FOVEA_OK : bad("a constant parameter is no scalar");
  case BindingKind::Expression:
    FOVEA_TRY(readExpr(source.expr(), scope, binding.expr));
    if (binding.rank != -1 || !isInteger(binding.type) || binding.expr.empty())
      return bad("a computed parameter is no integer scalar");
    return FOVEA_OK;
  }
  return FOVEA_OK;
}

fovea_status Reader::readKernel(const abi::Kernel &source, const std::vector<Buffer> *variantTemporaries, Scope scope,
                                Kernel &kernel) {
  kernel.symbol = toString(source.symbol());
  kernel.block = source.block();
  kernel.sharedBytes = source.shared_bytes();
  kernel.scratchBytes = source.scratch_bytes();
  kernel.image = source.image();
  if (kernel.symbol.empty())
    return bad("a kernel has no symbol");
  if (kernel.image < 0 || kernel.image >= static_cast<int64_t>(code->images.size()))
    return bad("a kernel names an image that its code does not have");
  if (kernel.block < 1 || kernel.block > 1024 || kernel.sharedBytes < 0 || kernel.scratchBytes < 0 ||
      kernel.scratchBytes > kMaxScratchBytes)
    return bad("a kernel has an unsupported block, shared memory or scratch size");
  FOVEA_TRY(readExpr(source.grid(), scope, kernel.grid));
  if (kernel.grid.empty())
    return bad("a kernel has no grid");
  int words = 0;
  for (size_t i = 0; i < sizeOf(source.bindings()); ++i) {
    Binding binding;
    FOVEA_TRY(readBinding(*source.bindings()->Get(i), variantTemporaries, scope, binding));
    words += binding.rank < 0 ? 1 : 3 + 2 * binding.rank;
    if (words > kMaxWords)
      return bad("a kernel has too many parameters");
    kernel.bindings.push_back(binding);
  }
  return readTensorMaps(source, words, kernel);
}

fovea_status Reader::readTensorMaps(const abi::Kernel &source, int words, Kernel &kernel) {
  size_t count = sizeOf(source.tensor_maps());
  if (count && code->kind == CodeKind::SharedObject)
    return bad("a CPU kernel has tensor maps");
  if (count > kMaxTensorMaps || (count && (words + 7) / 8 * 8 + 16 * count > kMaxWords))
    return bad("a kernel has too many tensor maps");
  for (size_t i = 0; i < count; ++i) {
    const abi::TensorMap &from = *source.tensor_maps()->Get(i);
    if (from.binding() < 0 || from.binding() >= static_cast<int64_t>(kernel.bindings.size()))
      return bad("a tensor map describes a parameter that does not exist");
    const Binding &binding = kernel.bindings[from.binding()];
    if ((binding.type != FOVEA_F16 && binding.type != FOVEA_BF16) || binding.rank < 2 ||
        binding.rank > kMaxTensorMapRank)
      return bad("a tensor map describes a parameter that is no f16 or bf16 tensor of rank 2 to 5");
    if (from.swizzle() != 128 || from.cols() != 64)
      return bad("the rows of a tensor map's box are not 128 bytes");
    if (from.rows() < 1 || from.rows() > 256)
      return bad("the box of a tensor map has less than 1 or more than 256 rows");
    if (from.row_dim() < 0 || from.row_dim() >= binding.rank - 1)
      return bad("the rows of a tensor map lie in the last dimension, or in none");
    kernel.tensorMaps.push_back({from.binding(), from.rows(), from.cols(), from.row_dim()});
  }
  return FOVEA_OK;
}

fovea_status Reader::readVariant(const abi::Variant &source, Variant &variant) {
  variant.name = toString(source.name());
  for (size_t i = 0; i < sizeOf(source.when()); ++i) {
    FOVEA_TRY(readExpr(source.when()->Get(i), kStepScope, variant.when.emplace_back()));
    if (variant.when.back().empty())
      return bad("a variant has an empty condition");
  }
  FOVEA_TRY(readBuffers(source.temporaries(), kStepScope, variant.temporaries));
  for (size_t i = 0; i < sizeOf(source.kernels()); ++i)
    FOVEA_TRY(readKernel(*source.kernels()->Get(i), &variant.temporaries, kStepScope, variant.kernels.emplace_back()));
  return FOVEA_OK;
}

fovea_status Reader::readStep(const abi::Step &source, Step &step) {
  step.name = toString(source.name());
  for (size_t i = 0; i < sizeOf(source.aligned_operands()); ++i) {
    FOVEA_TRY(
        readBinding(*source.aligned_operands()->Get(i), nullptr, kStepScope, step.alignedOperands.emplace_back()));
    if (step.alignedOperands.back().rank < 0)
      return bad("an aligned operand is a scalar");
  }
  for (size_t i = 0; i < sizeOf(source.variants()); ++i)
    FOVEA_TRY(readVariant(*source.variants()->Get(i), step.variants.emplace_back()));
  if (step.variants.empty())
    return bad("a step has no variant");
  return readExpr(source.flops(), kFunctionScope, step.flops);
}

fovea_status Reader::readImplementation(const abi::Implementation &source, Implementation &implementation) {
  implementation.code = source.code();
  if (source.code() < 0 || source.code() >= static_cast<int64_t>(artifact.codes.size()))
    return bad("an implementation names code that does not exist");
  code = artifact.codes[source.code()].get();
  FOVEA_TRY(readBuffers(source.temporaries(), kFunctionScope, implementation.temporaries));
  temporaries = &implementation.temporaries;
  if (sizeOf(source.steps()) > kMaxSteps)
    return bad("an implementation has too many steps");
  for (size_t i = 0; i < sizeOf(source.steps()); ++i)
    FOVEA_TRY(readStep(*source.steps()->Get(i), implementation.steps.emplace_back()));
  for (Step &step : implementation.steps)
    for (Variant &variant : step.variants)
      for (Kernel &kernel : variant.kernels)
        kernel.ordinal = implementation.kernelCount++;
  implementation.entries.resize(implementation.kernelCount);
  return FOVEA_OK;
}

fovea_status Reader::readReferenceOutputs(const Reference &reference) {
  const std::vector<Value> &values = reference.inArguments ? function->arguments : function->results;
  int64_t count = values.size();
  if (reference.output < 0 || reference.output >= count || reference.lse < -1 || reference.lse >= count)
    return bad("a reference names an output that does not exist");
  const Value &output = values[reference.output];
  if (output.rank < 1 || (reference.inArguments && !output.written) || isInteger(output.type))
    return bad("a reference names an output that is no float tensor");
  if (reference.lse >= 0 && values[reference.lse].rank != output.rank - 1)
    return bad("the LSE of a reference has the wrong rank");
  if (reference.kvLengths < -1 || reference.kvLengths >= static_cast<int64_t>(function->arguments.size()))
    return bad("a reference names lengths that do not exist");
  if (reference.kvLengths >= 0 &&
      (function->arguments[reference.kvLengths].rank != 1 || !isInteger(function->arguments[reference.kvLengths].type)))
    return bad("a reference names lengths that are no vector of integers");
  return FOVEA_OK;
}

fovea_status Reader::readReferenceTemporaries(const Reference &reference) {
  const std::vector<Value> &values = reference.inArguments ? function->arguments : function->results;
  size_t rank = values[reference.output].rank;
  const size_t ranks[] = {rank, rank - 1, rank, rank - 1, rank};
  if (reference.temporaries.size() < 5)
    return bad("a reference has fewer than five outputs");
  for (int i = 0; i < 5; ++i)
    if (reference.temporaries[i].type != FOVEA_F64 || reference.temporaries[i].dims.size() != ranks[i])
      return bad("an output of a reference has the wrong type or rank");
  return FOVEA_OK;
}

fovea_status Reader::readReference(const abi::Reference &source, Reference &reference) {
  reference.code = source.code();
  reference.output = source.output();
  reference.lse = source.lse();
  reference.kvLengths = source.kv_lengths();
  reference.inArguments = source.outputs_are_arguments();
  reference.allowTF32 = source.allow_tf32();
  reference.allowApprox = source.allow_approx();
  if (source.code() < 0 || source.code() >= static_cast<int64_t>(artifact.codes.size()) ||
      artifact.codes[source.code()]->kind != CodeKind::SharedObject)
    return bad("a reference names no CPU code");
  code = artifact.codes[source.code()].get();
  if (!isType(source.p_type()) || !source.kernel())
    return bad("a reference has no kernel or no type of P");
  reference.pType = toType(source.p_type());
  FOVEA_TRY(readReferenceOutputs(reference));
  FOVEA_TRY(readBuffers(source.temporaries(), kFunctionScope, reference.temporaries));
  FOVEA_TRY(readExpr(source.kv_length(), kFunctionScope, reference.kvLength));
  FOVEA_TRY(readReferenceTemporaries(reference));
  static const std::vector<Buffer> kNone;
  temporaries = &kNone;
  return readKernel(*source.kernel(), &reference.temporaries, kFunctionScope, reference.kernel);
}

} // namespace fovea::runtime
