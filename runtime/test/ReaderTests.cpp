//===- ReaderTests.cpp - What is no artifact is refused -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Test.h"
#include "TestArtifact.h"

#include <functional>

using namespace fovea;
using namespace fovea::test;

namespace {

/// Loads the test artifact after a change.
fovea_status loadChanged(const std::function<void(abi::ArtifactT &)> &change) {
  abi::ArtifactT artifact = makeArtifact("code");
  change(artifact);
  std::vector<uint8_t> bytes = pack(artifact);
  fovea_artifact *loaded;
  fovea_status status = fovea_artifact_load_memory(bytes.data(), bytes.size(), FOVEA_COPY, &loaded);
  CHECK((loaded != nullptr) == (status == FOVEA_OK));
  fovea_artifact_destroy(loaded);
  return status;
}

/// A change of the one function, its first step, or its first kernel.
fovea_status loadFunction(const std::function<void(abi::FunctionT &)> &change) {
  return loadChanged([&](abi::ArtifactT &artifact) { change(*artifact.functions[0]); });
}
fovea_status loadStep(const std::function<void(abi::StepT &)> &change) {
  return loadFunction([&](abi::FunctionT &function) { change(*function.implementations[0]->steps[0]); });
}
fovea_status loadKernel(const std::function<void(abi::KernelT &)> &change) {
  return loadStep([&](abi::StepT &step) { change(*step.variants[0]->kernels[0]); });
}

} // namespace

TEST(readerLoads) {
  std::vector<uint8_t> bytes = pack(makeArtifact("code"));
  fovea_artifact *artifact;
  CHECK_OK(fovea_artifact_load_memory(bytes.data(), bytes.size(), FOVEA_PIN, &artifact));
  CHECK(std::string(fovea_artifact_producer(artifact)) == "test");
  CHECK(fovea_artifact_function_count(artifact) == 1);
  const fovea_function *function = fovea_artifact_function(artifact, 0), *found = nullptr;
  CHECK_OK(fovea_artifact_find(artifact, "attention", &found));
  CHECK(found == function && fovea_artifact_function(artifact, 1) == nullptr);
  CHECK_FAILS(fovea_artifact_find(artifact, "nothing", &found), FOVEA_NOT_FOUND, "'nothing', it has: attention");
  CHECK(fovea_function_argument_count(function) == 4 && fovea_function_result_count(function) == 2);
  fovea_value_info info;
  CHECK_OK(fovea_function_argument(function, 2, &info));
  CHECK(std::string(info.name) == "value" && info.type == FOVEA_F32 && info.rank == 4 && info.dims[3] == 3);
  CHECK(info.dims[0] == -1 && info.same_argument[0] == 0 && info.same_dim[0] == 0);
  CHECK(info.dims[2] == -1 && info.same_argument[2] == 1 && info.same_dim[2] == 2);
  CHECK_OK(fovea_function_argument(function, 0, &info));
  CHECK(info.same_argument[2] == -1);
  CHECK_OK(fovea_function_argument(function, 3, &info));
  CHECK(info.rank == -1);
  CHECK_FAILS(fovea_function_argument(function, 4, &info), FOVEA_INVALID_ARGUMENT, "no argument 4: there are 4");
  fovea_implementation_info implementation;
  CHECK_OK(fovea_function_implementation(function, 0, &implementation));
  CHECK(std::string(implementation.backend) == "cpu" && implementation.code_size == 4);
  fovea_artifact_destroy(artifact);
  fovea_artifact_destroy(nullptr);
}

TEST(readerRefusesOtherFiles) {
  fovea_artifact *artifact;
  CHECK_FAILS(fovea_artifact_load_file("/nonexistent/a.fovea", &artifact), FOVEA_NOT_FOUND, "No such file");
  CHECK_FAILS(fovea_artifact_load_file("/", &artifact), FOVEA_IO, "it is no file");
  CHECK_FAILS(fovea_artifact_load_file(nullptr, &artifact), FOVEA_INVALID_ARGUMENT, "null pointer");
  CHECK_FAILS(fovea_artifact_load_memory("MLIR", 4, FOVEA_COPY, &artifact), FOVEA_INVALID_ARTIFACT, "FOVA");
  std::vector<uint8_t> bytes = pack(makeArtifact("code"));
  CHECK_FAILS(fovea_artifact_load_memory(bytes.data(), bytes.size(), 8, &artifact), FOVEA_INVALID_ARGUMENT,
              "flags 0x8");
  CHECK_FAILS(fovea_artifact_load_memory(bytes.data() + 1, bytes.size() - 1, FOVEA_PIN, &artifact),
              FOVEA_INVALID_ARGUMENT, "aligned to 8");
  // Cut anywhere, it is refused.
  for (size_t size = 0; size < bytes.size(); size += 7)
    CHECK(fovea_artifact_load_memory(bytes.data(), size, FOVEA_COPY, &artifact) == FOVEA_INVALID_ARTIFACT);
}

TEST(readerRefusesOtherVersions) {
  CHECK_FAILS(loadChanged([](abi::ArtifactT &a) { a.abi_version = 2; }), FOVEA_UNSUPPORTED_VERSION,
              "ABI version 2, this runtime reads version 3: compile it again");
  CHECK_FAILS(loadChanged([](abi::ArtifactT &a) { a.abi_version = 0; }), FOVEA_UNSUPPORTED_VERSION, "ABI version 0");
}

TEST(readerRefusesWrongIndices) {
  using F = abi::FunctionT;
  using K = abi::KernelT;
  auto kInvalid = FOVEA_INVALID_ARTIFACT;
  CHECK_FAILS(loadFunction([](F &f) { f.implementations[0]->code = 1; }), kInvalid, "code that does not exist");
  CHECK_FAILS(loadFunction([](F &f) { f.implementations[0]->code = -1; }), kInvalid, "code that does not exist");
  CHECK_FAILS(loadKernel([](K &k) { k.bindings[0]->index = 4; }), kInvalid, "a value that does not exist");
  CHECK_FAILS(loadKernel([](K &k) { k.bindings[0]->index = -1; }), kInvalid, "a value that does not exist");
  CHECK_FAILS(loadKernel([](K &k) { k.bindings[0]->rank = 3; }), kInvalid, "differ in type or rank");
  CHECK_FAILS(loadKernel([](K &k) { k.bindings[0]->type = abi::ElementType::F16; }), kInvalid,
              "differ in type or rank");
  CHECK_FAILS(loadKernel([](K &k) { k.bindings[0]->kind = abi::BindingKind::Temporary; }), kInvalid, "does not exist");
  CHECK_FAILS(loadKernel([](K &k) { k.bindings[0]->type = static_cast<abi::ElementType>(77); }), kInvalid,
              "unknown kind");
  CHECK_FAILS(loadKernel([](K &k) { k.symbol = ""; }), kInvalid, "no symbol");
  CHECK_FAILS(loadKernel([](K &k) { k.block = 0; }), kInvalid, "unsupported block");
  CHECK_FAILS(loadKernel([](K &k) { k.scratch_bytes = -1; }), kInvalid, "scratch");
  CHECK_FAILS(loadKernel([](K &k) {
                for (int i = 0; i < 60; ++i)
                  k.bindings.push_back(std::make_unique<abi::BindingT>(*k.bindings[0]));
              }),
              kInvalid, "too many parameters");
  CHECK_FAILS(loadFunction([](F &f) { f.arguments[0]->rank = 9; }), kInvalid, "rank");
  CHECK_FAILS(loadFunction([](F &f) { f.arguments[0]->dims.pop_back(); }), kInvalid,
              "one expression for each dimension");
  CHECK_FAILS(loadFunction([](F &f) { f.results[0]->dims[0] = expr({}); }), kInvalid, "lacks a size");
  CHECK_FAILS(loadFunction([](F &f) { f.references[0]->output = 2; }), kInvalid, "output that does not exist");
  CHECK_FAILS(loadFunction([](F &f) { f.references[0]->outputs_are_arguments = true; }), kInvalid, "no float tensor");
  CHECK_FAILS(loadFunction([](F &f) { f.references[0]->temporaries.pop_back(); }), kInvalid, "fewer than five");
  CHECK_FAILS(loadFunction([](F &f) { f.references[0]->kv_lengths = 0; }), kInvalid, "no vector of integers");
  CHECK_FAILS(loadStep([](abi::StepT &s) { s.variants.clear(); }), kInvalid, "no variant");
}

TEST(readerRefusesWrongImages) {
  auto kInvalid = FOVEA_INVALID_ARTIFACT;
  auto withImages = [](std::vector<abi::Image> images, int used = 0) {
    return loadChanged([&](abi::ArtifactT &a) {
      addImplementation(a, abi::CodeKind::PTX, "sm_80", "0123456789");
      a.codes[1]->images = images;
      a.functions[0]->implementations[1]->steps[0]->variants[1]->kernels[0]->image = used;
    });
  };
  CHECK_OK(withImages({{0, 4}, {4, 6}}, 1));
  CHECK_OK(withImages({}));
  CHECK_FAILS(withImages({{0, 4}, {4, 6}}, 2), kInvalid, "a kernel names an image that its code does not have");
  CHECK_FAILS(withImages({{0, 4}}, -1), kInvalid, "a kernel names an image that its code does not have");
  CHECK_FAILS(withImages({}, 1), kInvalid, "a kernel names an image that its code does not have");
  CHECK_FAILS(withImages({{0, 4}, {4, 7}}), kInvalid, "an image is empty or reaches beyond its code");
  CHECK_FAILS(withImages({{11, 1}}), kInvalid, "an image is empty or reaches beyond its code");
  CHECK_FAILS(withImages({{2, UINT64_MAX}}), kInvalid, "an image is empty or reaches beyond its code");
  CHECK_FAILS(withImages({{UINT64_MAX, 2}}), kInvalid, "an image is empty or reaches beyond its code");
  CHECK_FAILS(withImages({{3, 0}}), kInvalid, "an image is empty or reaches beyond its code");
  CHECK_FAILS(loadChanged([](abi::ArtifactT &a) {
                a.codes[0]->images = {{0, 4}};
              }),
              kInvalid, "the code of a CPU has images");
  CHECK_FAILS(loadFunction([](abi::FunctionT &f) { f.references[0]->kernel->image = 1; }), kInvalid,
              "a kernel names an image that its code does not have");
}

TEST(readerRefusesWrongExpressions) {
  using Op = abi::ExprOp;
  auto withGrid = [](std::vector<abi::ExprNode> nodes) {
    return loadKernel([&](abi::KernelT &k) { k.grid = expr(nodes); });
  };
  auto kInvalid = FOVEA_INVALID_ARTIFACT;
  CHECK_FAILS(withGrid({}), kInvalid, "no grid");
  CHECK_FAILS(withGrid({constant(1), op(Op::Add)}), kInvalid, "lacks an operand");
  CHECK_FAILS(withGrid({constant(1), constant(1)}), kInvalid, "not have one value");
  CHECK_FAILS(withGrid({argDim(4, 0)}), kInvalid, "dimension that does not exist");
  CHECK_FAILS(withGrid({argDim(0, 4)}), kInvalid, "dimension that does not exist");
  CHECK_FAILS(withGrid({argDim(3, 0)}), kInvalid, "dimension that does not exist");
  CHECK_FAILS(withGrid({argDim(-1, 0)}), kInvalid, "dimension that does not exist");
  CHECK_FAILS(withGrid({op(Op::ArgScalar, 3)}), kInvalid, "no integer scalar");
  CHECK_FAILS(withGrid({op(static_cast<Op>(99))}), kInvalid, "operator");
  CHECK_FAILS(withGrid(std::vector<abi::ExprNode>(40, constant(1))), kInvalid, "nested too deeply");
  CHECK_FAILS(withGrid(std::vector<abi::ExprNode>(5000, constant(1))), kInvalid, "too long");
  CHECK_FAILS(loadFunction([](abi::FunctionT &f) { f.results[0]->dims[0] = expr({op(Op::Alignment)}); }), kInvalid,
              "alignment where it may not");
  CHECK_FAILS(loadFunction([](abi::FunctionT &f) { f.results[0]->dims[0] = expr({op(Op::Threads)}); }), kInvalid,
              "threads where it may not");
  CHECK_FAILS(loadFunction([](abi::FunctionT &f) { f.results[0]->dims[0] = expr({op(Op::ResultDim, 1)}); }), kInvalid,
              "result where it may not");
}

TEST(readerRefusesMisalignedExpressions) {
  std::vector<uint8_t> bytes = pack(makeArtifact("code"));
  const abi::Function *function = abi::GetArtifact(bytes.data())->functions()->Get(0);
  const abi::Expr *size = function->results()->Get(0)->dims()->Get(0);
  CHECK(size->nodes()->Get(0)->op() == static_cast<abi::ExprOp>(1));
  // Four bytes on, the first node's operator reads as a length of one.
  auto *table = const_cast<flatbuffers::Table *>(reinterpret_cast<const flatbuffers::Table *>(size));
  uint8_t *field = table->GetAddressOf(abi::Expr::VT_NODES);
  flatbuffers::WriteScalar(field, flatbuffers::ReadScalar<flatbuffers::uoffset_t>(field) + 4);
  fovea_artifact *artifact;
  CHECK_FAILS(fovea_artifact_load_memory(bytes.data(), bytes.size(), FOVEA_COPY, &artifact), FOVEA_INVALID_ARTIFACT,
              "not aligned");
}

TEST(readerChecksCode) {
  auto kInvalid = FOVEA_INVALID_ARTIFACT;
  CHECK_FAILS(loadChanged([](abi::ArtifactT &a) { a.codes[0]->checksum = 5; }), kInvalid, "checksum");
  CHECK_FAILS(loadChanged([](abi::ArtifactT &a) { a.codes[0]->bytes.clear(); }), kInvalid, "without bytes");
  CHECK_FAILS(loadChanged([](abi::ArtifactT &a) { a.codes[0]->kind = abi::CodeKind::PTX; }), kInvalid, "contradict");
}
