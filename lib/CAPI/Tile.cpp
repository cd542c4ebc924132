//===- Tile.cpp - The attn_tile dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea-c/Dialect/Tile.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace fovea::tile;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(AttnTile, attn_tile, TileDialect)

/// An attribute of type `Attr`; null, with a diagnostic at an unknown location, where its verifier refuses it.
template <typename Attr, typename... Args> static MlirAttribute getChecked(MlirContext context, Args... args) {
  Location loc = UnknownLoc::get(unwrap(context));
  return wrap(Attr::getChecked([&] { return emitError(loc); }, unwrap(context), args...));
}

bool foveaAttributeIsATileMmaAcc(MlirAttribute attribute) { return isa<MmaAccAttr>(unwrap(attribute)); }

MlirAttribute foveaTileMmaAccAttrGet(MlirContext context, int64_t warps) {
  return getChecked<MmaAccAttr>(context, warps);
}

int64_t foveaTileMmaAccAttrGetWarps(MlirAttribute attribute) { return cast<MmaAccAttr>(unwrap(attribute)).getWarps(); }

bool foveaAttributeIsATileMmaRows(MlirAttribute attribute) { return isa<MmaRowsAttr>(unwrap(attribute)); }

MlirAttribute foveaTileMmaRowsAttrGet(MlirContext context, int64_t warps) {
  return getChecked<MmaRowsAttr>(context, warps);
}

int64_t foveaTileMmaRowsAttrGetWarps(MlirAttribute attribute) {
  return cast<MmaRowsAttr>(unwrap(attribute)).getWarps();
}

bool foveaAttributeIsATileMmaOperand(MlirAttribute attribute) { return isa<MmaOperandAttr>(unwrap(attribute)); }

MlirAttribute foveaTileMmaOperandAttrGet(MlirContext context) { return wrap(MmaOperandAttr::get(unwrap(context))); }

static SharedAttr getShared(MlirAttribute attribute) { return cast<SharedAttr>(unwrap(attribute)); }

bool foveaAttributeIsATileShared(MlirAttribute attribute) { return isa<SharedAttr>(unwrap(attribute)); }

MlirAttribute foveaTileSharedAttrGet(MlirContext context, int64_t offset, int64_t slotBytes, int64_t pitch,
                                     int64_t slots, bool swizzle) {
  return wrap(SharedAttr::get(unwrap(context), offset, slotBytes, pitch, slots, swizzle));
}

int64_t foveaTileSharedAttrGetOffset(MlirAttribute attribute) { return getShared(attribute).getOffset(); }
int64_t foveaTileSharedAttrGetSlotBytes(MlirAttribute attribute) { return getShared(attribute).getSlotBytes(); }
int64_t foveaTileSharedAttrGetPitch(MlirAttribute attribute) { return getShared(attribute).getPitch(); }
int64_t foveaTileSharedAttrGetSlots(MlirAttribute attribute) { return getShared(attribute).getSlots(); }
bool foveaTileSharedAttrGetSwizzle(MlirAttribute attribute) { return getShared(attribute).getSwizzle(); }

static SwizzledAttr getSwizzled(MlirAttribute attribute) { return cast<SwizzledAttr>(unwrap(attribute)); }

bool foveaAttributeIsATileSwizzled(MlirAttribute attribute) { return isa<SwizzledAttr>(unwrap(attribute)); }
int64_t foveaTileSwizzledAttrGetOffset(MlirAttribute attribute) { return getSwizzled(attribute).getOffset(); }
int64_t foveaTileSwizzledAttrGetSlotBytes(MlirAttribute attribute) { return getSwizzled(attribute).getSlotBytes(); }
int64_t foveaTileSwizzledAttrGetSlots(MlirAttribute attribute) { return getSwizzled(attribute).getSlots(); }
