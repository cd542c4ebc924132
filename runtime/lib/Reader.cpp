//===- Reader.cpp - FlatBuffer to model, verified -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "CpuFeatures.h"
#include "Error.h"
#include "KnownDims.h"

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

uint64_t hash(const uint8_t *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

} // namespace

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

namespace {

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
