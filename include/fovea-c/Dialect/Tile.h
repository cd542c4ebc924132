/*===- Tile.h - The attn_tile dialect -*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FOVEA_C_DIALECT_TILE_H
#define FOVEA_C_DIALECT_TILE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The dialect has no types: tiles are tensors whose encoding is one of the layouts below. A function that makes one
 *  returns null, with a diagnostic at an unknown location, where a parameter is out of its bounds. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(AttnTile, attn_tile);

/** `#attn_tile.mma_acc<warps = N>`: an MxN tile over warps. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsATileMmaAcc(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaTileMmaAccAttrGet(MlirContext context, int64_t warps);
MLIR_CAPI_EXPORTED int64_t foveaTileMmaAccAttrGetWarps(MlirAttribute attribute);

/** `#attn_tile.mma_rows<warps = N>`: one value for each row of such a tile. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsATileMmaRows(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaTileMmaRowsAttrGet(MlirContext context, int64_t warps);
MLIR_CAPI_EXPORTED int64_t foveaTileMmaRowsAttrGetWarps(MlirAttribute attribute);

/** `#attn_tile.mma_operand`: a tile that a dot reads from shared memory, not placed yet. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsATileMmaOperand(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaTileMmaOperandAttrGet(MlirContext context);

/** `#attn_tile.shared`: a tile in a ring of slots in shared memory. `offset`, `slotBytes` and `pitch` (the distance of
 *  rows) are in bytes. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsATileShared(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute foveaTileSharedAttrGet(MlirContext context, int64_t offset, int64_t slotBytes,
                                                        int64_t pitch, int64_t slots, bool swizzle);
MLIR_CAPI_EXPORTED int64_t foveaTileSharedAttrGetOffset(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaTileSharedAttrGetSlotBytes(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaTileSharedAttrGetPitch(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaTileSharedAttrGetSlots(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool foveaTileSharedAttrGetSwizzle(MlirAttribute attribute);

/** `#attn_tile.swizzled`: a tile in a ring that TMA copies fill; mlirAttributeParseGet makes one. Offset and slot size
 *  are in bytes. */
MLIR_CAPI_EXPORTED bool foveaAttributeIsATileSwizzled(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaTileSwizzledAttrGetOffset(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaTileSwizzledAttrGetSlotBytes(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t foveaTileSwizzledAttrGetSlots(MlirAttribute attribute);

#ifdef __cplusplus
}
#endif

#endif /* FOVEA_C_DIALECT_TILE_H */
