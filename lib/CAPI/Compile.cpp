//===- Compile.cpp - From a module to an artifact or to code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea-c/Compile.h"
#include "fovea/Pipelines/Pipelines.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Wrap.h"

using namespace mlir;
using namespace fovea;

DEFINE_C_API_PTR_METHODS(FoveaCompileOptions, CompileOptions)

FoveaCompileOptions foveaCompileOptionsCreate() { return wrap(new CompileOptions()); }
void foveaCompileOptionsDestroy(FoveaCompileOptions options) { delete unwrap(options); }

void foveaCompileOptionsSetTargets(FoveaCompileOptions options, intptr_t count, const MlirStringRef *targets) {
  unwrap(options)->targets.clear();
  for (intptr_t i = 0; i < count; ++i)
    unwrap(options)->targets.push_back(unwrap(targets[i]).str());
}

void foveaCompileOptionsSetReference(FoveaCompileOptions options, MlirStringRef target) {
  unwrap(options)->withReference = true;
  unwrap(options)->referenceTarget = unwrap(target).str();
}

void foveaCompileOptionsSetMachineCode(FoveaCompileOptions options, bool enable) {
  unwrap(options)->withMachineCode = enable;
}
void foveaCompileOptionsSetOptLevel(FoveaCompileOptions options, int level) {
  unwrap(options)->target.optLevel = level;
}
void foveaCompileOptionsSetPtxVersion(FoveaCompileOptions options, int version) {
  unwrap(options)->target.ptxVersion = version;
}

void foveaCompileOptionsSetStrategy(FoveaCompileOptions options, MlirStringRef strategy) {
  unwrap(options)->plan.strategy = unwrap(strategy).str();
}
void foveaCompileOptionsSetTuning(FoveaCompileOptions options, MlirStringRef file) {
  unwrap(options)->plan.tuning = unwrap(file).str();
}

/// Hands bytes out, or failure on.
static MlirLogicalResult deliver(const FailureOr<std::string> &bytes, MlirStringCallback callback, void *userData) {
  if (failed(bytes))
    return mlirLogicalResultFailure();
  callback(wrap(StringRef(*bytes)), userData);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult foveaCompileToArtifact(MlirModule module, FoveaCompileOptions options, MlirStringCallback callback,
                                         void *userData) {
  return deliver(compileToArtifact(unwrap(module), *unwrap(options)), callback, userData);
}

MlirLogicalResult foveaCompileToCode(MlirModule module, FoveaCompileOptions options, FoveaCodeKind kind,
                                     MlirStringCallback callback, void *userData) {
  ModuleOp op = unwrap(module);
  // Bindings of other languages give any number.
  if (static_cast<unsigned>(kind) > static_cast<unsigned>(FoveaCodeKindCubin)) {
    emitError(op.getLoc()) << "unknown kind of code " << static_cast<int>(kind) << "; known are 0 to "
                           << static_cast<int>(FoveaCodeKindCubin);
    return mlirLogicalResultFailure();
  }
  return deliver(compileToCode(op, static_cast<CodeKind>(kind), *unwrap(options)), callback, userData);
}

void foveaBuildPlanPipeline(MlirOpPassManager passManager, MlirStringRef target) {
  buildPlanPipeline(*unwrap(passManager), unwrap(target));
}
void foveaBuildTilePipeline(MlirOpPassManager passManager) { buildTilePipeline(*unwrap(passManager)); }
