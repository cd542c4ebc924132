/*===- compile.c - Builds attention and compiles it -*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %bin/fovea-capi-compile %t.fovea | FileCheck %s
// RUN: fovea-run %t.fovea --describe | FileCheck %s --check-prefix=ARTIFACT
// RUN: fovea-run %t.fovea --target=cpu --random --check
// REQUIRES: plain-build

#include "fovea-c/Compile.h"
#include "Builders.h"
#include "fovea-c/Dialect/Attn.h"
#include "fovea-c/Passes.h"
#include "fovea-c/Registration.h"
#include <string.h>

/* Causal attention with doubled scores. */
static MlirModule build(MlirContext context) {
  MlirLocation location = mlirLocationUnknownGet(context);
  MlirModule module = mlirModuleCreateEmpty(location);
  MlirType tensor = parseType(context, "tensor<2x4x32x16xf32>"), keys = parseType(context, "tensor<2x2x48x16xf32>");
  MlirType arguments[] = {tensor, keys, keys};
  MlirBlock entry = appendFunction(module, "layer", 3, arguments, 1, &tensor);
  MlirValue init = mlirOperationGetResult(append(entry, location, "tensor.empty", 0, NULL, 1, &tensor), 0);

  FoveaAttnClauses clauses = foveaAttnClausesCreate();
  foveaAttnClausesSetCausal(clauses);
  foveaAttnClausesSetDiagonal(clauses, FoveaAttnDiagonalBottomRight, (MlirValue){NULL});
  foveaAttnClausesSetStaticScale(clauses, 0.5f);
  MlirOperation attention =
      foveaAttnAttentionCreate(location, mlirBlockGetArgument(entry, 0), mlirBlockGetArgument(entry, 1),
                               mlirBlockGetArgument(entry, 2), init, clauses);
  foveaAttnClausesDestroy(clauses);
  mlirBlockAppendOwnedOperation(entry, attention);
  MlirBlock score = foveaAttnAttentionAddScoreMod(attention);
  MlirValue twice[] = {mlirBlockGetArgument(score, 0), mlirBlockGetArgument(score, 0)};
  MlirType f32 = mlirF32TypeGet(context);
  MlirOperation sum = append(score, location, "arith.addf", 2, twice, 1, &f32);
  mlirBlockAppendOwnedOperation(score, foveaAttnYieldCreate(location, mlirOperationGetResult(sum, 0)));
  MlirValue result = mlirOperationGetResult(attention, 0);
  append(entry, location, "func.return", 1, &result, 0, NULL);
  return module;
}

/* The plan pass alone, on a copy. */
static void plan(MlirModule module) {
  MlirOperation copy = mlirOperationClone(mlirModuleGetOperation(module));
  MlirPassManager passes = mlirPassManagerCreate(mlirModuleGetContext(module));
  mlirPassManagerAddOwnedPass(passes, mlirCreateFoveaAttnAttnPlan());
  foveaBuildTilePipeline(mlirPassManagerGetAsOpPassManager(passes));
  REQUIRE(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(passes, copy)));
  mlirOperationPrint(copy, printText, stdout);
  mlirPassManagerDestroy(passes);
  mlirOperationDestroy(copy);
}

/* Keeps the first line that begins with a text. */
static void printEntry(MlirStringRef text, void *userData) {
  char *copy = calloc(text.length + 1, 1);
  memcpy(copy, text.data, text.length);
  char *entry = strstr(copy, userData);
  REQUIRE(entry);
  printf("code: %.*s\n", (int)strcspn(entry, "\n"), entry);
  free(copy);
}

int main(int argc, char **argv) {
  REQUIRE(argc == 2);
  REQUIRE(foveaGetApiVersion() == FOVEA_C_API_VERSION);
  MlirStringRef version = foveaGetVersion();
  printf("version %.*s\n", (int)version.length, version.data);

  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  foveaRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirContextLoadAllAvailableDialects(context);
  mlirContextAttachDiagnosticHandler(context, printDiagnostic, NULL, NULL);
  MlirModule module = build(context);
  REQUIRE(mlirOperationVerify(mlirModuleGetOperation(module)));
  mlirOperationPrint(mlirModuleGetOperation(module), printText, stdout);
  // CHECK: version 0.
  // CHECK: attn.attention ins(%arg0, %arg1, %arg2 : {{.*}} scale(5.000000e-01) causal(bottom_right) score_mod(
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: attn.yield
  plan(module);
  // CHECK: attn.plan
  // CHECK: attn_tile.dot

  MlirStringRef targets[] = {str("cpu"), str("sm_80")};
  FoveaCompileOptions options = foveaCompileOptionsCreate();
  foveaCompileOptionsSetTargets(options, 2, targets);
  foveaCompileOptionsSetReference(options, str("cpu"));
  foveaCompileOptionsSetOptLevel(options, 2);
  FILE *file = fopen(argv[1], "wb");
  REQUIRE(file);
  REQUIRE(mlirLogicalResultIsSuccess(foveaCompileToArtifact(module, options, printText, file)));
  REQUIRE(fclose(file) == 0);
  // ARTIFACT: function  layer
  // ARTIFACT-DAG: cpu
  // ARTIFACT-DAG: sm_80

  foveaCompileOptionsSetTargets(options, 1, &targets[1]);
  foveaCompileOptionsSetPtxVersion(options, 80);
  REQUIRE(mlirLogicalResultIsSuccess(foveaCompileToCode(module, options, FoveaCodeKindPTX, printEntry, ".version")));
  // CHECK: code: .version 8.0
  foveaCompileOptionsSetTargets(options, 1, &targets[0]);
  REQUIRE(mlirLogicalResultIsSuccess(foveaCompileToCode(module, options, FoveaCodeKindLLVMIR, printEntry, "define")));
  // CHECK: code: define {{.*}}@layer_attn0_

  foveaCompileOptionsSetStrategy(options, str("#attn.strategy<block_m = 8, block_n = 32>"));
  REQUIRE(mlirLogicalResultIsSuccess(foveaCompileToCode(module, options, FoveaCodeKindLLVMIR, printEntry, "define")));
  // CHECK: code: define {{.*}}@layer_attn0_given
  foveaCompileOptionsSetStrategy(options, str("abacus"));
  REQUIRE(mlirLogicalResultIsFailure(foveaCompileToArtifact(module, options, printText, stdout)));
  // CHECK: diagnostic: a PTX version is given, but no target has PTX; leave it out, or name a GPU
  foveaCompileOptionsSetPtxVersion(options, 0);
  REQUIRE(mlirLogicalResultIsFailure(foveaCompileToArtifact(module, options, printText, stdout)));
  // CHECK: diagnostic: 'abacus' is no strategy
  foveaCompileOptionsSetStrategy(options, str(""));
  foveaCompileOptionsSetTuning(options, str("none"));
  REQUIRE(mlirLogicalResultIsFailure(foveaCompileToArtifact(module, options, printText, stdout)));
  // CHECK: diagnostic: a table of strategies is given, but no target has tuned strategies; leave it out
  foveaCompileOptionsSetTuning(options, str(""));

  MlirStringRef unknown = str("abacus");
  foveaCompileOptionsSetTargets(options, 1, &unknown);
  REQUIRE(mlirLogicalResultIsFailure(foveaCompileToArtifact(module, options, printText, stdout)));
  // CHECK: diagnostic: unknown target 'abacus'
  foveaCompileOptionsSetTargets(options, 2, targets);
  REQUIRE(mlirLogicalResultIsFailure(foveaCompileToCode(module, options, FoveaCodeKindPTX, printText, stdout)));
  // CHECK: diagnostic: code is made for one target, not 2
  FoveaCodeKind wrong = (FoveaCodeKind)(FoveaCodeKindCubin + 1);
  REQUIRE(mlirLogicalResultIsFailure(foveaCompileToCode(module, options, wrong, printText, stdout)));
  // CHECK: diagnostic: unknown kind of code 6; known are 0 to 5

  foveaCompileOptionsDestroy(options);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return 0;
}
