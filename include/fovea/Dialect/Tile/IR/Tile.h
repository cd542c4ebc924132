//===- Tile.h - The attn_tile dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_TILE_IR_TILE_H
#define FOVEA_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fovea/Dialect/Tile/IR/TileDialect.h.inc"
#include "fovea/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fovea/Dialect/Tile/IR/TileAttrs.h.inc"

namespace fovea::tile {
/// The op goes on when other warpgroups have come as far.
template <typename ConcreteOp> class WaitsForOthers : public mlir::OpTrait::TraitBase<ConcreteOp, WaitsForOthers> {};
} // namespace fovea::tile

#define GET_OP_CLASSES
#include "fovea/Dialect/Tile/IR/TileOps.h.inc"

#endif // FOVEA_DIALECT_TILE_IR_TILE_H
