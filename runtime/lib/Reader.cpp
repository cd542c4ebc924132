//===- Reader.cpp - FlatBuffer to model, verified -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuFeatures.h"
#include "Error.h"
#include "KnownDims.h"

#include "fovea/ABI/Artifact_generated.h"

#include <algorithm>

namespace fovea::runtime {
namespace {

/// Number of values an operator pops; every operator pushes one.
int getArity(abi::ExprOp op) {
  switch (op) {
  case abi::ExprOp::Const:
  case abi::ExprOp::ArgDim:
  case abi::ExprOp::ResultDim:
  case abi::ExprOp::ArgScalar:
  case abi::ExprOp::Threads:
  case abi::ExprOp::Alignment:
    return 0;
  default:
    return 2;
  }
}

/// Which nodes an expression may have where it stands.
struct Scope {
  bool results, threads, alignment;
};
constexpr Scope kArgumentScope{false, false, false}, kConstraintScope{true, false, false},
    kFunctionScope{true, true, false}, kStepScope{true, true, true};

/// Reads one artifact. The first error is kept, with the path of the element that is wrong.
class Reader {
public:
  explicit Reader(fovea_artifact &artifact) : artifact(artifact) {}
  fovea_status read(const abi::Artifact &source);

private:
  fovea_status readCode(const abi::Code &source);
  fovea_status readImages(const abi::Code &source, Code &code);
  fovea_status readFunction(const abi::Function &source);
  fovea_status readValues(const abi::Function &source);
  fovea_status readValue(const abi::Value &source, Value &value, bool isResult);
  fovea_status readConstraint(const abi::Constraint &source, Constraint &constraint);
  fovea_status readImplementation(const abi::Implementation &source, Implementation &implementation);
  fovea_status readStep(const abi::Step &source, Step &step);
  fovea_status readVariant(const abi::Variant &source, Variant &variant);
  fovea_status readKernel(const abi::Kernel &source, const std::vector<Buffer> *variantTemporaries, Scope scope,
                          Kernel &kernel);
  fovea_status readTensorMaps(const abi::Kernel &source, int words, Kernel &kernel);
  fovea_status readReference(const abi::Reference &source, Reference &reference);
  fovea_status readReferenceOutputs(const Reference &reference);
  fovea_status readReferenceTemporaries(const Reference &reference);
  fovea_status readBuffers(const flatbuffers::Vector<flatbuffers::Offset<abi::Buffer>> *source, Scope scope,
                           std::vector<Buffer> &buffers);
  fovea_status readBinding(const abi::Binding &source, const std::vector<Buffer> *variantTemporaries, Scope scope,
                           Binding &binding);
  fovea_status readExpr(const abi::Expr *source, Scope scope, Expr &expr);
  fovea_status checkNode(const abi::ExprNode &node, Scope scope);
  fovea_status bad(const char *what) const;

  fovea_artifact &artifact;
  fovea_function *function = nullptr;
  /// Of the implementation or reference at hand.
  const Code *code = nullptr;
  const std::vector<Buffer> *temporaries = nullptr;
};

std::string toString(const flatbuffers::String *string) { return string ? string->str() : std::string(); }

template <typename T> size_t sizeOf(const flatbuffers::Vector<T> *vector) { return vector ? vector->size() : 0; }

bool isType(abi::ElementType type) { return type <= abi::ElementType::MAX; }
fovea_type toType(abi::ElementType type) { return static_cast<fovea_type>(type); }
bool isInteger(fovea_type type) { return type >= FOVEA_I1; }

fovea_status Reader::bad(const char *what) const {
  if (!function)
    return fail(FOVEA_INVALID_ARTIFACT, "invalid artifact: %s", what);
  return fail(FOVEA_INVALID_ARTIFACT, "invalid artifact: function '%s': %s", function->name.c_str(), what);
}

fovea_status Reader::checkNode(const abi::ExprNode &node, Scope scope) {
  switch (node.op()) {
  case abi::ExprOp::ArgDim:
  case abi::ExprOp::ResultDim: {
    bool isResult = node.op() == abi::ExprOp::ResultDim;
    if (isResult && !scope.results)
      return bad("an expression reads a result where it may not");
    const std::vector<Value> &values = isResult ? function->results : function->arguments;
    if (node.a() < 0 || node.a() >= static_cast<int64_t>(values.size()) || node.b() < 0 ||
        node.b() >= values[node.a()].rank)
      return bad("an expression reads a dimension that does not exist");
    return FOVEA_OK;
  }
  case abi::ExprOp::ArgScalar:
    if (node.a() < 0 || node.a() >= static_cast<int64_t>(function->arguments.size()) ||
        function->arguments[node.a()].rank != -1 || !isInteger(function->arguments[node.a()].type))
      return bad("an expression reads a value that is no integer scalar");
    return FOVEA_OK;
  case abi::ExprOp::Threads:
    return scope.threads ? FOVEA_OK : bad("an expression reads the threads where it may not");
  case abi::ExprOp::Alignment:
    return scope.alignment ? FOVEA_OK : bad("an expression reads the alignment where it may not");
  default:
    return node.op() <= abi::ExprOp::MAX ? FOVEA_OK : bad("an expression has an unknown operator");
  }
}

fovea_status Reader::readExpr(const abi::Expr *source, Scope scope, Expr &expr) {
  if (!source || !sizeOf(source->nodes()))
    return FOVEA_OK;
  if (source->nodes()->size() > kMaxExprNodes)
    return bad("an expression is too long");
  // The verifier looks at the alignment of a vector's length alone.
  if (reinterpret_cast<uintptr_t>(source->nodes()->Data()) % alignof(abi::ExprNode))
    return bad("an expression is not aligned");
  int depth = 0;
  for (const abi::ExprNode *node : *source->nodes()) {
    FOVEA_TRY(checkNode(*node, scope));
    int arity = getArity(node->op());
    if (depth < arity)
      return bad("an expression lacks an operand");
    depth += 1 - arity;
    if (depth > kMaxExprDepth)
      return bad("an expression is nested too deeply");
    expr.push_back({node->a(), node->b(), static_cast<ExprOp>(node->op())});
  }
  return depth == 1 ? FOVEA_OK : bad("an expression does not have one value");
}

fovea_status Reader::readValue(const abi::Value &source, Value &value, bool isResult) {
  value.name = toString(source.name());
  value.rank = source.rank();
  value.written = source.written();
  if (!isType(source.type()))
    return bad("a value has an unknown element type");
  value.type = toType(source.type());
  if (value.rank < (isResult ? 0 : -1) || value.rank > FOVEA_MAX_RANK)
    return bad("a value has an unsupported rank");
  if (sizeOf(source.dims()) != static_cast<size_t>(std::max(value.rank, 0)))
    return bad("a value has not one expression for each dimension");
  if (value.rank < 0 && value.written)
    return bad("a scalar cannot be written");
  return FOVEA_OK;
}

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

fovea_status Reader::readValues(const abi::Function &source) {
  if (sizeOf(source.arguments()) > kMaxValues || sizeOf(source.results()) > kMaxValues)
    return bad("too many arguments or results");
  // Ranks first: the expressions of one value read the dimensions of others.
  for (size_t i = 0; i < sizeOf(source.arguments()); ++i)
    FOVEA_TRY(readValue(*source.arguments()->Get(i), function->arguments.emplace_back(), false));
  for (size_t i = 0; i < sizeOf(source.results()); ++i)
    FOVEA_TRY(readValue(*source.results()->Get(i), function->results.emplace_back(), true));
  for (size_t i = 0; i < sizeOf(source.arguments()); ++i)
    for (int d = 0; d < function->arguments[i].rank; ++d)
      FOVEA_TRY(readExpr(source.arguments()->Get(i)->dims()->Get(d), kArgumentScope,
                         function->arguments[i].dims.emplace_back()));
  for (size_t i = 0; i < sizeOf(source.results()); ++i)
    for (int d = 0; d < function->results[i].rank; ++d) {
      FOVEA_TRY(
          readExpr(source.results()->Get(i)->dims()->Get(d), kArgumentScope, function->results[i].dims.emplace_back()));
      if (function->results[i].dims.back().empty())
        return bad("a result lacks a size");
    }
  return FOVEA_OK;
}

fovea_status Reader::readConstraint(const abi::Constraint &source, Constraint &constraint) {
  constraint.message = toString(source.message());
  FOVEA_TRY(readExpr(source.expr(), kConstraintScope, constraint.expr));
  if (constraint.expr.empty())
    return bad("a constraint has no expression");
  for (size_t i = 0; i < sizeOf(source.values()); ++i) {
    FOVEA_TRY(readExpr(source.values()->Get(i), kConstraintScope, constraint.values.emplace_back()));
    if (constraint.values.back().empty())
      return bad("a constraint has an empty value");
  }
  return FOVEA_OK;
}

fovea_status Reader::readFunction(const abi::Function &source) {
  artifact.functions.push_back(std::make_unique<fovea_function>());
  function = artifact.functions.back().get();
  function->artifact = &artifact;
  function->name = toString(source.name());
  FOVEA_TRY(readValues(source));
  for (size_t i = 0; i < sizeOf(source.constraints()); ++i)
    FOVEA_TRY(readConstraint(*source.constraints()->Get(i), function->constraints.emplace_back()));
  findEqualDims(*function);
  findKnownDims(*function);
  for (size_t i = 0; i < sizeOf(source.implementations()); ++i) {
    function->implementations.push_back(std::make_unique<Implementation>());
    FOVEA_TRY(readImplementation(*source.implementations()->Get(i), *function->implementations.back()));
  }
  for (size_t i = 0; i < sizeOf(source.references()); ++i) {
    function->references.push_back(std::make_unique<Reference>());
    FOVEA_TRY(readReference(*source.references()->Get(i), *function->references.back()));
  }
  return FOVEA_OK;
}

uint64_t hash(const uint8_t *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

fovea_status Reader::readImages(const abi::Code &source, Code &code) {
  size_t count = sizeOf(source.images());
  if (!count) {
    code.images.push_back({code.bytes, code.size});
    return FOVEA_OK;
  }
  if (code.kind == CodeKind::SharedObject)
    return bad("the code of a CPU has images");
  // The verifier looks at the alignment of a vector's length alone.
  if (reinterpret_cast<uintptr_t>(source.images()->Data()) % alignof(abi::Image))
    return bad("the images of a code are not aligned");
  for (const abi::Image *image : *source.images()) {
    if (image->offset() > code.size || image->size() > code.size - image->offset() || !image->size())
      return bad("an image is empty or reaches beyond its code");
    code.images.push_back({code.bytes + image->offset(), static_cast<size_t>(image->size())});
  }
  return FOVEA_OK;
}

fovea_status Reader::readCode(const abi::Code &source) {
  if (source.kind() > abi::CodeKind::MAX || !sizeOf(source.bytes()))
    return bad("code of an unknown kind, or without bytes");
  artifact.codes.push_back(std::make_unique<Code>());
  Code &code = *artifact.codes.back();
  code.kind = static_cast<CodeKind>(source.kind());
  code.backend = toString(source.backend());
  code.arch = toString(source.arch());
  code.features = toString(source.features());
  code.ptxVersion = source.ptx_version();
  code.bytes = source.bytes()->data();
  code.size = source.bytes()->size();
  code.featureCount = static_cast<int>(std::count(code.features.begin(), code.features.end(), '+'));
  if (code.kind == CodeKind::SharedObject)
    for (const std::string &name : getMissingFeatures(code.features))
      code.missing += (code.missing.empty() ? "" : ", ") + name;
  if ((code.backend == "cpu") != (code.kind == CodeKind::SharedObject))
    return bad("the backend and the kind of code contradict each other");
  if (source.checksum() && source.checksum() != hash(code.bytes, code.size))
    return bad("the checksum of the code does not match: the file is damaged");
  return readImages(source, code);
}

fovea_status Reader::read(const abi::Artifact &source) {
  artifact.producer = toString(source.producer());
  for (size_t i = 0; i < sizeOf(source.codes()); ++i)
    FOVEA_TRY(readCode(*source.codes()->Get(i)));
  for (size_t i = 0; i < sizeOf(source.functions()); ++i)
    FOVEA_TRY(readFunction(*source.functions()->Get(i)));
  return FOVEA_OK;
}

/// Reads the version before anything else is trusted: an artifact of another version may have another layout.
fovea_status checkVersion(const uint8_t *bytes, size_t size) {
  // The smallest artifact that holds a version: offset of the root, identifier, a vtable and the root table.
  if (size < 20 || !abi::ArtifactBufferHasIdentifier(bytes))
    return fail(FOVEA_INVALID_ARTIFACT, "not a Fovea artifact: the file identifier 'FOVA' is missing");
  flatbuffers::Verifier verifier(bytes, size);
  size_t root = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(bytes);
  if (root >= size || !verifier.VerifyTableStart(bytes + root))
    return fail(FOVEA_INVALID_ARTIFACT, "invalid artifact: the root table is damaged");
  auto *table = reinterpret_cast<const flatbuffers::Table *>(bytes + root);
  if (!table->VerifyField<int32_t>(verifier, abi::Artifact::VT_ABI_VERSION, sizeof(int32_t)))
    return fail(FOVEA_INVALID_ARTIFACT, "invalid artifact: the ABI version is damaged");
  int32_t version = table->GetField<int32_t>(abi::Artifact::VT_ABI_VERSION, 0);
  if (version != FOVEA_ABI_VERSION)
    return fail(FOVEA_UNSUPPORTED_VERSION,
                "the artifact has ABI version %d, this runtime reads version %d: compile it again", version,
                FOVEA_ABI_VERSION);
  return FOVEA_OK;
}

} // namespace

fovea_status readArtifact(const uint8_t *bytes, size_t size, fovea_artifact &artifact) {
  if (size >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return fail(FOVEA_INVALID_ARTIFACT, "the artifact has %zu bytes, more than the 2 GiB of a FlatBuffer", size);
  FOVEA_TRY(checkVersion(bytes, size));
  flatbuffers::Verifier verifier(bytes, size, /*max_depth=*/64, /*max_tables=*/1000000);
  if (!abi::VerifyArtifactBuffer(verifier))
    return fail(FOVEA_INVALID_ARTIFACT, "invalid artifact: the FlatBuffer is damaged");
  return Reader(artifact).read(*abi::GetArtifact(bytes));
}

} // namespace fovea::runtime
