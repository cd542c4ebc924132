//===- TestArtifact.cpp - Artifacts made by hand -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestArtifact.h"

#include <fstream>
#include <iterator>

namespace fovea::test {
namespace {

template <typename T> std::unique_ptr<T> copy(const T &value) { return std::make_unique<T>(value); }

std::unique_ptr<abi::ValueT> value(const char *name, abi::ElementType type,
                                   std::vector<std::vector<abi::ExprNode>> dims, int rank) {
  auto result = std::make_unique<abi::ValueT>();
  result->name = name;
  result->type = type;
  result->rank = static_cast<int8_t>(rank);
  for (const auto &dim : dims)
    result->dims.push_back(expr(dim));
  return result;
}

std::unique_ptr<abi::BufferT> buffer(std::vector<std::vector<abi::ExprNode>> dims) {
  auto result = std::make_unique<abi::BufferT>();
  result->type = abi::ElementType::F64;
  for (const auto &dim : dims)
    result->dims.push_back(expr(dim));
  return result;
}

constexpr auto kF32 = abi::ElementType::F32;
using Kind = abi::BindingKind;

std::unique_ptr<abi::KernelT> kernel() {
  auto result = std::make_unique<abi::KernelT>();
  result->symbol = "attention";
  for (int i = 0; i < 3; ++i)
    result->bindings.push_back(copy(binding(Kind::Argument, i, kF32, 4)));
  result->bindings.push_back(copy(binding(Kind::Result, 0, kF32, 4)));
  result->bindings.push_back(copy(binding(Kind::Result, 1, kF32, 3)));
  result->bindings.push_back(copy(binding(Kind::Argument, 3, kF32, -1)));
  result->grid = expr({argDim(0, 0), argDim(0, 1), op(abi::ExprOp::Mul)});
  result->scratch_bytes = 3 * 8;
  return result;
}

std::unique_ptr<abi::StepT> step() {
  auto result = std::make_unique<abi::StepT>();
  result->name = "attn0";
  for (int i = 0; i < 3; ++i)
    result->aligned_operands.push_back(copy(binding(Kind::Argument, i, kF32, 4)));
  result->aligned_operands.push_back(copy(binding(Kind::Result, 0, kF32, 4)));
  for (const char *name : {"wide", "narrow"}) {
    auto variant = std::make_unique<abi::VariantT>();
    variant->name = name;
    if (result->variants.empty())
      variant->when.push_back(expr({op(abi::ExprOp::Alignment), constant(16), op(abi::ExprOp::Ge)}));
    variant->kernels.push_back(kernel());
    result->variants.push_back(std::move(variant));
  }
  return result;
}

std::unique_ptr<abi::ImplementationT> implementation(int code) {
  auto result = std::make_unique<abi::ImplementationT>();
  result->code = code;
  result->steps.push_back(step());
  return result;
}

std::unique_ptr<abi::ReferenceT> reference() {
  auto result = std::make_unique<abi::ReferenceT>();
  result->code = 0;
  result->output = 0;
  result->lse = 1;
  result->p_type = kF32;
  result->kv_length = expr({argDim(1, 2)});
  std::vector<std::vector<abi::ExprNode>> row = {{argDim(0, 0)}, {argDim(0, 1)}, {argDim(0, 2)}}, full = row;
  full.push_back({constant(3)});
  for (const auto &dims : {full, row, full, row, full})
    result->temporaries.push_back(buffer(dims));
  result->kernel = std::make_unique<abi::KernelT>();
  result->kernel->symbol = "reference";
  for (int i = 0; i < 3; ++i)
    result->kernel->bindings.push_back(copy(binding(Kind::Argument, i, kF32, 4)));
  result->kernel->bindings.push_back(copy(binding(Kind::Argument, 3, kF32, -1)));
  for (int i = 0; i < 5; ++i)
    result->kernel->bindings.push_back(copy(binding(Kind::VariantTemporary, i, abi::ElementType::F64, i % 2 ? 3 : 4)));
  result->kernel->grid = expr({argDim(0, 0), argDim(0, 1), op(abi::ExprOp::Mul)});
  return result;
}

std::unique_ptr<abi::CodeT> code(abi::CodeKind kind, const std::string &backend, const std::string &arch,
                                 const std::string &bytes) {
  auto result = std::make_unique<abi::CodeT>();
  result->kind = kind;
  result->backend = backend;
  result->arch = arch;
  result->bytes.assign(bytes.begin(), bytes.end());
  return result;
}

void addConstraint(abi::FunctionT &function, int argument, int dim) {
  auto constraint = std::make_unique<abi::ConstraintT>();
  constraint->expr = expr({argDim(0, dim), argDim(argument, dim), op(abi::ExprOp::Eq)});
  constraint->message =
      "query has {0} in dimension " + std::to_string(dim) + ", operand " + std::to_string(argument) + " has {1}";
  constraint->values.push_back(expr({argDim(0, dim)}));
  constraint->values.push_back(expr({argDim(argument, dim)}));
  function.constraints.push_back(std::move(constraint));
}

} // namespace

abi::ExprNode constant(int64_t value) { return op(abi::ExprOp::Const, value); }
abi::ExprNode argDim(int argument, int dim) { return op(abi::ExprOp::ArgDim, argument, dim); }
abi::ExprNode op(abi::ExprOp op, int64_t a, int b) { return abi::ExprNode(op, b, a); }

std::unique_ptr<abi::ExprT> expr(const std::vector<abi::ExprNode> &nodes) {
  auto result = std::make_unique<abi::ExprT>();
  result->nodes = nodes;
  return result;
}

abi::BindingT binding(abi::BindingKind kind, int index, abi::ElementType type, int rank) {
  abi::BindingT result;
  result.kind = kind;
  result.index = index;
  result.type = type;
  result.rank = static_cast<int8_t>(rank);
  return result;
}

abi::ArtifactT makeArtifact(const std::string &cpuCode) {
  abi::ArtifactT artifact;
  artifact.abi_version = 3;
  artifact.producer = "test";
  artifact.codes.push_back(code(abi::CodeKind::SharedObject, "cpu", "x86-64", cpuCode));
  auto function = std::make_unique<abi::FunctionT>();
  function->name = "attention";
  function->arguments.push_back(value("query", kF32, {{}, {}, {}, {constant(4)}}, 4));
  function->arguments.push_back(value("key", kF32, {{}, {}, {}, {constant(4)}}, 4));
  function->arguments.push_back(value("value", kF32, {{}, {}, {argDim(1, 2)}, {constant(3)}}, 4));
  function->arguments.push_back(value("scale", kF32, {}, -1));
  function->results.push_back(value("o", kF32, {{argDim(0, 0)}, {argDim(0, 1)}, {argDim(0, 2)}, {constant(3)}}, 4));
  function->results.push_back(value("lse", kF32, {{argDim(0, 0)}, {argDim(0, 1)}, {argDim(0, 2)}}, 3));
  for (int argument : {1, 2})
    for (int dim : {0, 1})
      addConstraint(*function, argument, dim);
  function->implementations.push_back(implementation(0));
  function->references.push_back(reference());
  artifact.functions.push_back(std::move(function));
  return artifact;
}

void addImplementation(abi::ArtifactT &artifact, abi::CodeKind kind, const std::string &arch,
                       const std::string &bytes) {
  artifact.codes.push_back(code(kind, kind == abi::CodeKind::SharedObject ? "cpu" : "nvptx", arch, bytes));
  artifact.functions[0]->implementations.push_back(implementation(static_cast<int>(artifact.codes.size()) - 1));
}

std::vector<uint8_t> pack(const abi::ArtifactT &artifact) {
  flatbuffers::FlatBufferBuilder builder;
  abi::FinishArtifactBuffer(builder, abi::Artifact::Pack(builder, &artifact));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::string readKernelObject() {
  std::ifstream file(FOVEA_TEST_KERNEL, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace fovea::test
