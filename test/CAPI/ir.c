/*===- ir.c - Handles, attributes, ops and pipelines by name -*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %bin/fovea-capi-ir | FileCheck %s
// REQUIRES: plain-build

#include "Builders.h"
#include "fovea-c/Dialect/Attn.h"
#include "fovea-c/Dialect/Tile.h"
#include "fovea-c/Passes.h"
#include "fovea-c/Registration.h"
#include "mlir-c/Dialect/Func.h"

static void testAttributes(MlirContext context) {
  MlirAttribute diagonal = foveaAttnDiagonalAttrGet(context, FoveaAttnDiagonalBottomRight);
  REQUIRE(foveaAttributeIsAAttnDiagonal(diagonal) && !foveaAttributeIsAAttnTarget(diagonal));
  REQUIRE(foveaAttnDiagonalAttrGetValue(diagonal) == FoveaAttnDiagonalBottomRight);

  MlirAttribute strategy = foveaAttnStrategyAttrGet(context, 128, 64, 4, 2, 16, false, true, true);
  print(strategy);
  // CHECK: #attn.strategy<block_m = 128, block_n = 64, warps = 4, stages = 2, vector_bytes = 16,
  // CHECK-SAME: split_kv = true, round_p = true>
  REQUIRE(foveaAttributeIsAAttnStrategy(strategy) && foveaAttnStrategyAttrGetBlockM(strategy) == 128 &&
          foveaAttnStrategyAttrGetBlockN(strategy) == 64 && foveaAttnStrategyAttrGetWarps(strategy) == 4 &&
          foveaAttnStrategyAttrGetStages(strategy) == 2 && foveaAttnStrategyAttrGetVectorBytes(strategy) == 16);
  REQUIRE(!foveaAttnStrategyAttrGetPackHeads(strategy) && foveaAttnStrategyAttrGetSplitKv(strategy) &&
          foveaAttnStrategyAttrGetRoundP(strategy));
  MlirAttribute wide = mlirAttributeParseGet(
      context, str("#attn.strategy<block_m = 128, block_n = 64, unit = warpgroup, overlap = true, persistent = true, "
                   "rescale = lazy, cluster = 2, pingpong = true, score_part = 64, row_sums = product, "
                   "interleave = true, carry_scores = true, longest_first = true>"));
  REQUIRE(foveaAttnStrategyAttrGetUnit(wide) == FoveaAttnDotUnitWarpgroup && foveaAttnStrategyAttrGetOverlap(wide) &&
          foveaAttnStrategyAttrGetPersistent(wide) && foveaAttnStrategyAttrGetRescale(wide) == FoveaAttnRescaleLazy &&
          foveaAttnStrategyAttrGetCluster(wide) == 2 && foveaAttnStrategyAttrGetPingpong(wide) &&
          foveaAttnStrategyAttrGetScorePart(wide) == 64 &&
          foveaAttnStrategyAttrGetRowSums(wide) == FoveaAttnRowSumsProduct &&
          foveaAttnStrategyAttrGetInterleave(wide) && foveaAttnStrategyAttrGetCarryScores(wide) &&
          foveaAttnStrategyAttrGetLongestFirst(wide) && !foveaAttnStrategyAttrGetLongestFirst(strategy));
  MlirAttribute several = mlirAttributeParseGet(
      context, str("#attn.strategy<block_m = 64, block_n = 64, warps = 4, unit = warpgroup, min_blocks = 2>"));
  REQUIRE(foveaAttnStrategyAttrGetMinBlocks(wide) == 1 && foveaAttnStrategyAttrGetMinBlocks(several) == 2);
  REQUIRE(mlirAttributeIsNull(foveaAttnStrategyAttrGet(context, 0, 64, 4, 2, 16, false, true, true)));
  // CHECK: diagnostic: {{.*}}block_m

  MlirAttribute target = foveaAttnTargetAttrGet(context, str("nvptx"), str("sm_80"));
  print(target);
  // CHECK: #attn.target<"nvptx", arch = "sm_80">
  REQUIRE(foveaAttributeIsAAttnTarget(target));
  REQUIRE(mlirStringRefEqual(foveaAttnTargetAttrGetBackend(target), str("nvptx")));
  REQUIRE(mlirStringRefEqual(foveaAttnTargetAttrGetArch(target), str("sm_80")));

  MlirAffineExpr batch = mlirAffineSymbolExprGet(context, 0);
  MlirAffineMap grid = mlirAffineMapGet(context, 0, 7, 1, &batch);
  MlirAttribute launch = foveaAttnLaunchAttrGet(context, grid, 128, 1024, 0);
  REQUIRE(foveaAttributeIsAAttnLaunch(launch) && mlirAffineMapEqual(foveaAttnLaunchAttrGetGrid(launch), grid));
  REQUIRE(foveaAttnLaunchAttrGetBlock(launch) == 128 && foveaAttnLaunchAttrGetSharedBytes(launch) == 1024 &&
          foveaAttnLaunchAttrGetScratchBytes(launch) == 0);
  REQUIRE(mlirAttributeIsNull(foveaAttnLaunchAttrGet(context, grid, 0, 0, 0)));
  // CHECK: diagnostic: {{.*}}launch block is 0, must be from 1 to 1024

  MlirAttribute source = foveaAttnSourceAttrGet(context, FoveaAttnSourceKindCapture, 3);
  print(source);
  // CHECK: #attn.source<capture = 3>
  REQUIRE(foveaAttributeIsAAttnSource(source) && foveaAttnSourceAttrGetKind(source) == FoveaAttnSourceKindCapture &&
          foveaAttnSourceAttrGetIndex(source) == 3);

  MlirAttribute kernel = mlirFlatSymbolRefAttrGet(context, str("f"));
  MlirAttribute kernels = mlirArrayAttrGet(context, 1, &kernel);
  MlirAttribute variant =
      foveaAttnVariantAttrGet(context, str("tiled"), (MlirIntegerSet){NULL}, kernels, mlirAttributeGetNull());
  print(variant);
  // CHECK: #attn.variant<name = "tiled", kernels = [@f]>
  REQUIRE(foveaAttributeIsAAttnVariant(variant) && mlirIntegerSetIsNull(foveaAttnVariantAttrGetWhen(variant)));
  REQUIRE(mlirStringRefEqual(foveaAttnVariantAttrGetName(variant), str("tiled")));
  REQUIRE(mlirAttributeEqual(foveaAttnVariantAttrGetKernels(variant), kernels));
  REQUIRE(mlirAttributeIsNull(foveaAttnVariantAttrGetTemporaries(variant)));

  MlirAttribute temporary = foveaAttnTemporaryAttrGet(mlirF32TypeGet(context), grid);
  print(temporary);
  // CHECK: #attn.temporary<f32, affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> (s0)>>
  REQUIRE(foveaAttributeIsAAttnTemporary(temporary) &&
          mlirTypeEqual(foveaAttnTemporaryAttrGetElementType(temporary), mlirF32TypeGet(context)) &&
          mlirAffineMapEqual(foveaAttnTemporaryAttrGetDims(temporary), grid));

  MlirAttribute map = foveaAttnTensorMapAttrGet(context, 1, 176, 64, 2);
  print(map);
  // CHECK: #attn.tensor_map<argument = 1, rows = 176, cols = 64, row_dim = 2>
  REQUIRE(foveaAttributeIsAAttnTensorMap(map) && foveaAttnTensorMapAttrGetArgument(map) == 1 &&
          foveaAttnTensorMapAttrGetRows(map) == 176 && foveaAttnTensorMapAttrGetCols(map) == 64 &&
          foveaAttnTensorMapAttrGetRowDim(map) == 2);
}

static void testLayouts(MlirContext context) {
  MlirAttribute acc = foveaTileMmaAccAttrGet(context, 4), rows = foveaTileMmaRowsAttrGet(context, 4);
  print(acc);
  print(rows);
  // CHECK: #attn_tile.mma_acc<warps = 4>
  // CHECK: #attn_tile.mma_rows<warps = 4>
  REQUIRE(foveaAttributeIsATileMmaAcc(acc) && foveaTileMmaAccAttrGetWarps(acc) == 4);
  REQUIRE(foveaAttributeIsATileMmaRows(rows) && foveaTileMmaRowsAttrGetWarps(rows) == 4);
  REQUIRE(foveaAttributeIsATileMmaOperand(foveaTileMmaOperandAttrGet(context)));
  REQUIRE(mlirAttributeIsNull(foveaTileMmaAccAttrGet(context, 0)));
  // CHECK: diagnostic: {{.*}}#attn_tile.mma_acc is spread over 1 to 32 warps, but got 0

  MlirAttribute shared = foveaTileSharedAttrGet(context, 256, 8192, 128, 2, true);
  print(shared);
  // CHECK: #attn_tile.shared<offset = 256, slot_bytes = 8192, pitch = 128, slots = 2, swizzle = true>
  REQUIRE(foveaAttributeIsATileShared(shared) && foveaTileSharedAttrGetOffset(shared) == 256 &&
          foveaTileSharedAttrGetSlotBytes(shared) == 8192 && foveaTileSharedAttrGetPitch(shared) == 128 &&
          foveaTileSharedAttrGetSlots(shared) == 2 && foveaTileSharedAttrGetSwizzle(shared));
  MlirAttribute swizzled = mlirAttributeParseGet(
      context,
      str("#attn_tile.swizzled<offset = 1024, slot_bytes = 16384, slots = 2, parts = 1, full = 0, empty = 16>"));
  REQUIRE(foveaAttributeIsATileSwizzled(swizzled) && foveaTileSwizzledAttrGetOffset(swizzled) == 1024 &&
          foveaTileSwizzledAttrGetSlotBytes(swizzled) == 16384 && foveaTileSwizzledAttrGetSlots(swizzled) == 2);
}

static void testOps(MlirContext context) {
  MlirLocation location = mlirLocationUnknownGet(context);
  MlirModule module = mlirModuleCreateEmpty(location);
  MlirType arguments[] = {parseType(context, "memref<2x4x8x16xf16>"),
                          parseType(context, "memref<2x4x8xf32>"),
                          parseType(context, "memref<?x2x4x8x16xf32>"),
                          parseType(context, "memref<?x2x4x8xf32>"),
                          parseType(context, "memref<4xf32>"),
                          parseType(context, "index"),
                          parseType(context, "f32"),
                          parseType(context, "memref<2xi32>"),
                          parseType(context, "memref<2x4x8x16xf16>")};
  MlirBlock entry = appendFunction(module, "f", 9, arguments, 0, NULL);
  MlirValue values[9];
  for (intptr_t i = 0; i < 9; ++i)
    values[i] = mlirBlockGetArgument(entry, i);
  MlirValue base[] = {values[5], values[5], values[5], values[5]};

  FoveaAttnClauses clauses = foveaAttnClausesCreate();
  foveaAttnClausesSetScale(clauses, values[6]);
  foveaAttnClausesSetWindow(clauses, 7, -1);
  foveaAttnClausesSetDiagonal(clauses, FoveaAttnDiagonalOffset, values[5]);
  foveaAttnClausesSetSink(clauses, values[4]);
  foveaAttnClausesSetKVLengths(clauses, values[7]);
  foveaAttnClausesSetBase(clauses, base);
  foveaAttnClausesSetLse(clauses, values[1]);
  MlirOperation attention = foveaAttnAttentionCreate(location, values[0], values[0], values[0], values[8], clauses);
  foveaAttnClausesDestroy(clauses);
  mlirBlockAppendOwnedOperation(entry, attention);
  MlirBlock mask = foveaAttnAttentionAddMaskMod(attention);
  MlirType i1 = mlirIntegerTypeGet(context, 1);
  MlirOperation keep = append(mask, location, "ub.poison", 0, NULL, 1, &i1);
  mlirBlockAppendOwnedOperation(mask, foveaAttnYieldCreate(location, mlirOperationGetResult(keep, 0)));
  MlirOperation combine = foveaAttnCombineCreate(location, values[2], values[3], values[4], values[0], values[1]);
  mlirBlockAppendOwnedOperation(entry, combine);
  append(entry, location, "func.return", 0, NULL, 0, NULL);
  REQUIRE(foveaOperationIsAAttnAttention(attention) && !foveaOperationIsAAttnCombine(attention));
  REQUIRE(foveaOperationIsAAttnCombine(combine));
  REQUIRE(mlirOperationVerify(mlirModuleGetOperation(module)));
  mlirOperationPrint(mlirModuleGetOperation(module), printText, stdout);
  // CHECK: attn.attention ins(%arg0, %arg0, %arg0 : {{.*}} scale(%arg6) window(7, *, %arg5 : index)
  // CHECK-SAME: sink(%arg4 : memref<4xf32>) kv_lengths(%arg7 : memref<2xi32>)
  // CHECK-SAME: base(%arg5, %arg5, %arg5, %arg5) mask_mod(
  // CHECK: } outs(%arg8, %arg1 : memref<2x4x8x16xf16>, memref<2x4x8xf32>)
  // CHECK: attn.combine ins(%arg2, %arg3 : {{.*}} sink(%arg4 : memref<4xf32>) outs(%arg0, %arg1 :

  MlirPassManager passes = mlirPassManagerCreate(context);
  MlirOpPassManager top = mlirPassManagerGetAsOpPassManager(passes);
  REQUIRE(mlirLogicalResultIsSuccess(mlirParsePassPipeline(
      top, str("builtin.module(attn-decompose{compute-type=f64},attn-plan-pipeline{target=cpu})"), printText, stdout)));
  REQUIRE(
      mlirLogicalResultIsFailure(mlirParsePassPipeline(top, str("builtin.module(attn-abacus)"), printText, stdout)));
  // CHECK: attn-abacus
  mlirPassManagerDestroy(passes);
  mlirModuleDestroy(module);
}

int main(void) {
  foveaRegisterAllPasses();
  MlirContext context = mlirContextCreate();
  mlirContextAttachDiagnosticHandler(context, printDiagnostic, NULL, NULL);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__attn__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__attn_tile__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__func__(), context);
  testAttributes(context);
  testLayouts(context);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  foveaRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirContextLoadAllAvailableDialects(context);
  testOps(context);
  mlirDialectRegistryDestroy(registry);
  mlirContextDestroy(context);
  return 0;
}
