/*===- Attn.h - The attn dialect -*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FOVEA_C_DIALECT_ATTN_H
#define FOVEA_C_DIALECT_ATTN_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"
#include "mlir-c/IntegerSet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The dialect has no types: its ops work on tensors and memrefs. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Attn, attn);

/*===-- attn.attention ----------------------------------------------------===*/

/** The diagonal `off` of causal and windows: 0, `Lk[b] - Sq`, or an operand. */
typedef enum FoveaAttnDiagonal {
  FoveaAttnDiagonalTopLeft = 0,
  FoveaAttnDiagonalBottomRight = 1,
  FoveaAttnDiagonalOffset = 2
} FoveaAttnDiagonal;

/** The clauses of an attention op that may be absent. Owned by the caller; values must outlive its use. */
typedef struct FoveaAttnClauses {
  void *ptr;
} FoveaAttnClauses;

/** All clauses absent. Shapes below are those of the op with queries [B, Hq, Sq, Dqk], keys [B, Hkv, Skv, Dqk] and
 * values [B, Hkv, Skv, Dv]; docs/semantics.md has their meaning. Nothing is checked before the op is verified. */
MLIR_CAPI_EXPORTED FoveaAttnClauses foveaAttnClausesCreate(void);
MLIR_CAPI_EXPORTED void foveaAttnClausesDestroy(FoveaAttnClauses clauses);
/** The scale as a constant, or as an f32 value; neither: 1 / sqrt(Dqk). */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetStaticScale(FoveaAttnClauses clauses, float scale);
MLIR_CAPI_EXPORTED void foveaAttnClausesSetScale(FoveaAttnClauses clauses, MlirValue scale);
/** Keeps the keys j <= i + off. Needs a diagonal. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetCausal(FoveaAttnClauses clauses);
/** Keeps the keys i + off - left <= j <= i + off + right; a negative bound is none. Needs a diagonal. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetWindow(FoveaAttnClauses clauses, int64_t left, int64_t right);
/** To be set where causal or a window needs it. `offset`, an index or [B] of i32 or i64, is read only with
 * FoveaAttnDiagonalOffset. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetDiagonal(FoveaAttnClauses clauses, FoveaAttnDiagonal diagonal,
                                                    MlirValue offset);
/** [B or 1, Hq or 1, Sq or 1, Skv or 1] of floats, added to the score. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetBias(FoveaAttnClauses clauses, MlirValue bias);
/** [B or 1, Hq or 1, Sq or 1, Skv or 1] of i1; true keeps the pair. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetMask(FoveaAttnClauses clauses, MlirValue mask);
/** [Hq] of f32: a logit in the denominator only. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetSink(FoveaAttnClauses clauses, MlirValue sink);
/** [B] of i32 or i64: the number of valid keys, clamped to [0, Skv]. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetKVLengths(FoveaAttnClauses clauses, MlirValue lengths);
/** Four indices (batch, query head, query, key): where the op lies in a larger problem. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetBase(FoveaAttnClauses clauses, const MlirValue base[4]);
/** [B or 1, Hq or 1, ceildiv(Sq, queries), ceildiv(Skv, keys)] of i8: the states of the blocks of `queries` times
 * `keys` pairs: 0 never, 2 full, else partial. */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetBlockMap(FoveaAttnClauses clauses, MlirValue states, int64_t queries,
                                                    int64_t keys);
/** The second destination, [B, Hq, Sq] of f32: the log-sum-exp (natural logarithm). */
MLIR_CAPI_EXPORTED void foveaAttnClausesSetLse(FoveaAttnClauses clauses, MlirValue lse);

/** Builds a detached `attn.attention` that writes `output`, [B, Hq, Sq, Dv], with a result for each destination that is
 * a tensor. `clauses` may be null. It is not verified. */
MLIR_CAPI_EXPORTED MlirOperation foveaAttnAttentionCreate(MlirLocation location, MlirValue query, MlirValue key,
                                                          MlirValue value, MlirValue output, FoveaAttnClauses clauses);
MLIR_CAPI_EXPORTED bool foveaOperationIsAAttnAttention(MlirOperation op);
/** Gives the op an empty score region; its block has the arguments (f32 score, index b, h, i, j). */
MLIR_CAPI_EXPORTED MlirBlock foveaAttnAttentionAddScoreMod(MlirOperation op);
/** Gives the op an empty mask region; its block has the arguments (index b, h, i, j). */
MLIR_CAPI_EXPORTED MlirBlock foveaAttnAttentionAddMaskMod(MlirOperation op);
/** Ends a region with its value. */
MLIR_CAPI_EXPORTED MlirOperation foveaAttnYieldCreate(MlirLocation location, MlirValue value);

/** Builds a detached `attn.combine` of `partialOutputs`, [parts, B, Hq, Sq, Dv], and `partialLses`, [parts, B, Hq, Sq]
 * of f32; `sink` and `lse` may be null. It is not verified. */
MLIR_CAPI_EXPORTED MlirOperation foveaAttnCombineCreate(MlirLocation location, MlirValue partialOutputs,
                                                        MlirValue partialLses, MlirValue sink, MlirValue output,
                                                        MlirValue lse);
MLIR_CAPI_EXPORTED bool foveaOperationIsAAttnCombine(MlirOperation op);

/*===-- Attributes --------------------------------------------------------===*/

/* A function that makes an attribute returns null, with a diagnostic at an unknown location, where a parameter is out
   of its bounds. */

MLIR_CAPI_EXPORTED bool foveaAttributeIsAAttnDiagonal(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnDiagonalAttrGet(MlirContext context, FoveaAttnDiagonal diagonal);
MLIR_CAPI_EXPORTED FoveaAttnDiagonal foveaAttnDiagonalAttrGetValue(MlirAttribute attribute);

/** `#attn.strategy` with the parameters of every target; mlirAttributeParseGet makes those with more. The attribute's
 * documentation says what each parameter means. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsAAttnStrategy(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnStrategyAttrGet(MlirContext context, int64_t blockM, int64_t blockN,
                                                          int64_t warps, int64_t stages, int64_t vectorBytes,
                                                          bool packHeads, bool splitKv, bool roundP);
MLIR_CAPI_EXPORTED int64_t foveaAttnStrategyAttrGetBlockM(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnStrategyAttrGetBlockN(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnStrategyAttrGetWarps(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnStrategyAttrGetStages(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnStrategyAttrGetVectorBytes(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetPackHeads(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetSplitKv(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetRoundP(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetOverlap(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetPersistent(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetPingpong(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnStrategyAttrGetScorePart(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetInterleave(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnStrategyAttrGetMinBlocks(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetCarryScores(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaAttnStrategyAttrGetLongestFirst(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnStrategyAttrGetCluster(MlirAttribute attribute);

/** Which threads compute one matrix product, and when the accumulator follows the maximum of a row. */
typedef enum FoveaAttnDotUnit {
  FoveaAttnDotUnitWarp = 0,
  FoveaAttnDotUnitWarpgroup = 1,
  FoveaAttnDotUnitThread = 2
} FoveaAttnDotUnit;
typedef enum FoveaAttnRescale {
  FoveaAttnRescaleAlways = 0,
  FoveaAttnRescaleLazy = 1,
  FoveaAttnRescaleOptimistic = 2
} FoveaAttnRescale;
MLIR_CAPI_EXPORTED FoveaAttnDotUnit foveaAttnStrategyAttrGetUnit(MlirAttribute attribute);
MLIR_CAPI_EXPORTED FoveaAttnRescale foveaAttnStrategyAttrGetRescale(MlirAttribute attribute);
/** What sums the weights of a row: additions before their rounding, or the value product. */
typedef enum FoveaAttnRowSums { FoveaAttnRowSumsAdd = 0, FoveaAttnRowSumsProduct = 1 } FoveaAttnRowSums;
MLIR_CAPI_EXPORTED FoveaAttnRowSums foveaAttnStrategyAttrGetRowSums(MlirAttribute attribute);

/** `#attn.target<backend, arch = arch>`. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsAAttnTarget(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnTargetAttrGet(MlirContext context, MlirStringRef backend, MlirStringRef arch);
MLIR_CAPI_EXPORTED MlirStringRef foveaAttnTargetAttrGetBackend(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirStringRef foveaAttnTargetAttrGetArch(MlirAttribute attribute);

/** `#attn.launch`: how a kernel function is launched: tasks or thread blocks over the problem symbols, threads of a
 * block, bytes of dynamic shared memory of a block, bytes of scratch memory of a CPU worker. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsAAttnLaunch(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnLaunchAttrGet(MlirContext context, MlirAffineMap grid, int64_t block,
                                                        int64_t sharedBytes, int64_t scratchBytes);
MLIR_CAPI_EXPORTED MlirAffineMap foveaAttnLaunchAttrGetGrid(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnLaunchAttrGetBlock(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnLaunchAttrGetSharedBytes(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnLaunchAttrGetScratchBytes(MlirAttribute attribute);

/** `#attn.source`: what an argument of a kernel function is bound to. */
typedef enum FoveaAttnSourceKind {
  FoveaAttnSourceKindOperand = 0,
  FoveaAttnSourceKindCapture = 1,
  FoveaAttnSourceKindTemporary = 2
} FoveaAttnSourceKind;
MLIR_CAPI_EXPORTED bool foveaAttributeIsAAttnSource(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnSourceAttrGet(MlirContext context, FoveaAttnSourceKind kind, int64_t index);
MLIR_CAPI_EXPORTED FoveaAttnSourceKind foveaAttnSourceAttrGetKind(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnSourceAttrGetIndex(MlirAttribute attribute);

/** `#attn.variant`: one way to run an op. `when` may be a null set, `temporaries` a null attribute. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsAAttnVariant(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnVariantAttrGet(MlirContext context, MlirStringRef name, MlirIntegerSet when,
                                                         MlirAttribute kernels, MlirAttribute temporaries);
MLIR_CAPI_EXPORTED MlirStringRef foveaAttnVariantAttrGetName(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirIntegerSet foveaAttnVariantAttrGetWhen(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnVariantAttrGetKernels(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnVariantAttrGetTemporaries(MlirAttribute attribute);

/** `#attn.temporary`: a buffer of a variant; its dimensions are expressions of the problem symbols. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsAAttnTemporary(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnTemporaryAttrGet(MlirType elementType, MlirAffineMap dims);
MLIR_CAPI_EXPORTED MlirType foveaAttnTemporaryAttrGetElementType(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAffineMap foveaAttnTemporaryAttrGetDims(MlirAttribute attribute);

/** `#attn.tensor_map`: a tensor map (`CUtensorMap`) that a launch encodes for an argument. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsAAttnTensorMap(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaAttnTensorMapAttrGet(MlirContext context, int64_t argument, int64_t rows,
                                                           int64_t cols, int64_t rowDim);
MLIR_CAPI_EXPORTED int64_t foveaAttnTensorMapAttrGetArgument(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnTensorMapAttrGetRows(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnTensorMapAttrGetCols(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaAttnTensorMapAttrGetRowDim(MlirAttribute attribute);

#ifdef __cplusplus
}
#endif

#endif /* FOVEA_C_DIALECT_ATTN_H */
