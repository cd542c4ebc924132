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

bool foveaAttributeIsATileMmaAcc(MlirAttribute attribute) { return isa<MmaAccAttr>(unwrap(attribute)); }

MlirAttribute foveaTileMmaAccAttrGet(MlirContext context, int64_t warps) {
  return wrap(MmaAccAttr::get(unwrap(context), warps));
}

int64_t foveaTileMmaAccAttrGetWarps(MlirAttribute attribute) { return cast<MmaAccAttr>(unwrap(attribute)).getWarps(); }

bool foveaAttributeIsATileMmaRows(MlirAttribute attribute) { return isa<MmaRowsAttr>(unwrap(attribute)); }

MlirAttribute foveaTileMmaRowsAttrGet(MlirContext context, int64_t warps) {
  return wrap(MmaRowsAttr::get(unwrap(context), warps));
}

int64_t foveaTileMmaRowsAttrGetWarps(MlirAttribute attribute) {
  return cast<MmaRowsAttr>(unwrap(attribute)).getWarps();
}
