//===- embed-run.cpp - Compiles with passes of its own and of Fovea, and runs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: embed-run layer.mlir
// Runs @layer on eight positions. Queries are zero, so that a row is the mean of the values it may see, and value j is
// j.
//
//===----------------------------------------------------------------------===//

#include "RaiseCalls.h"
#include "fovea/InitAll.h"
#include "fovea/Pipelines/Pipelines.h"
#include "fovea/runtime.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

/// The bytes of an artifact: the pass of this project first, then Fovea's whole pipeline.
static mlir::FailureOr<std::string> compile(mlir::ModuleOp module) {
  mlir::PassManager pm(module.getContext());
  pm.addPass(embed::createRaiseCalls());
  if (failed(pm.run(module)))
    return mlir::failure();
  fovea::CompileOptions options;
  options.targets = {"cpu", "sm_80"};
  options.target.optLevel = 2;
  return fovea::compileToArtifact(module, options);
}

static bool check(fovea_status status) {
  if (status != FOVEA_OK)
    llvm::errs() << "embed-run: " << fovea_last_error() << "\n";
  return status == FOVEA_OK;
}

/// Launches the first function of an artifact on the CPU and prints the first element of each row.
static bool run(const fovea_artifact *artifact) {
  constexpr int64_t length = 8, depth = 16;
  const int64_t sizes[] = {1, 2, length, depth};
  std::vector<float> query(2 * length * depth), value(query.size()), output(query.size());
  for (size_t i = 0; i < value.size(); ++i)
    value[i] = static_cast<float>(i / depth % length);
  auto tensor = [&](std::vector<float> &data) { return fovea_tensor(FOVEA_F32, data.data(), 4, sizes, nullptr); };
  fovea_value arguments[] = {tensor(query), tensor(query), tensor(value)};
  fovea_value results[] = {tensor(output)};
  const fovea_function *function = fovea_artifact_function(artifact, 0);
  fovea_device device = {};
  uint64_t bytes = 0;
  if (!check(fovea_workspace_size(function, &device, arguments, 3, &bytes)))
    return false;
  std::vector<char> workspace(bytes + FOVEA_WORKSPACE_ALIGNMENT);
  void *aligned =
      workspace.data() + llvm::offsetToAlignedAddr(workspace.data(), llvm::Align(FOVEA_WORKSPACE_ALIGNMENT));
  if (!check(fovea_launch(function, &device, arguments, 3, results, 1, aligned, bytes)))
    return false;
  for (int64_t i = 0; i < length; ++i)
    llvm::outs() << (i ? " " : "") << llvm::format("%g", output[i * depth]);
  llvm::outs() << "\n";
  return true;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: embed-run layer.mlir\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  fovea::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  mlir::FailureOr<std::string> bytes = compile(*module);
  fovea_artifact *artifact = nullptr;
  if (failed(bytes) || !check(fovea_artifact_load_memory(bytes->data(), bytes->size(), FOVEA_COPY, &artifact)))
    return 1;
  bool ok = run(artifact);
  fovea_artifact_destroy(artifact);
  return ok ? 0 : 1;
}
