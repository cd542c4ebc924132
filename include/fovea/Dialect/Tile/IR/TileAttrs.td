//===- TileAttrs.td - Layouts and enums of the attn_tile dialect -*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_TILE_IR_TILEATTRS_TD
#define FOVEA_DIALECT_TILE_IR_TILEATTRS_TD

include "fovea/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Tile_ReduceKind : I32EnumAttr<"ReduceKind", "the combining function of a row reduction", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Sum", 1, "sum">
  ]> {
  let cppNamespace = "::fovea::tile";
  let genSpecializedAttr = 0;
}
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "$value";
}

def Tile_LaneReduceKind : I32EnumAttr<"LaneReduceKind", "the combining function of a reduction over lanes", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"And", 3, "and">, I32EnumAttrCase<"Or", 4, "or">
  ]> {
  let cppNamespace = "::fovea::tile";
  let genSpecializedAttr = 0;
}
def Tile_LaneReduceKindAttr : EnumAttr<Tile_Dialect, Tile_LaneReduceKind, "lane_reduce_kind"> {
  let assemblyFormat = "$value";
}

class Tile_Attr<string name, string attrMnemonic> : AttrDef<Tile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Layouts: which thread of a block holds which element of a tile
//===----------------------------------------------------------------------===//

def Tile_MmaAccAttr : Tile_Attr<"MmaAcc", "mma_acc"> {
  let summary = "An MxN tile spread over warps as the accumulators of 16x8 matrix instructions";
  let description = [{
    Warp w holds the rows [w * M / warps, (w + 1) * M / warps), as blocks of 16x8 elements. In a block lane l holds four
    elements: row l / 4, columns 2 * (l % 4) and the next one, then the same columns of row l / 4 + 8. Tiles whose
    columns are not a multiple of 16 are padded. `warps` is from 1 to 32.
  }];
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tile_MmaRowsAttr : Tile_Attr<"MmaRows", "mma_rows"> {
  let summary = "A tile of one value per row, spread as the rows of `#attn_tile.mma_acc`";
  let description = [{
    Each of the four lanes that share a row in `#attn_tile.mma_acc` holds its value. `warps` is from 1 to 32.
  }];
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tile_MmaOperandAttr : Tile_Attr<"MmaOperand", "mma_operand"> {
  let summary = "A tile that a dot reads from shared memory, not placed yet";
}

def Tile_SharedAttr : Tile_Attr<"Shared", "shared"> {
  let summary = "A tile in a ring of `slots` buffers in the shared memory of a thread block";
  let description = [{
    Row r of slot s begins at byte `offset + s * slot_bytes + r * pitch`. A row consists of 16-byte chunks, padded to a
    multiple of 16 elements with zeros. With `swizzle` chunk c of row r is stored at position `c xor (r % 8)`, else at
    c. Either way chunk c of eight consecutive rows lies in eight different groups of banks.
  }];
  let parameters = (ins
    "int64_t":$offset, "int64_t":$slot_bytes, "int64_t":$pitch,
    DefaultValuedParameter<"int64_t", "1">:$slots,
    DefaultValuedParameter<"bool", "false">:$swizzle);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tile_SwizzledAttr : Tile_Attr<"Swizzled", "swizzled"> {
  let summary = "A tile in a ring of `slots` buffers in shared memory that TMA copies fill, swizzled as `wgmma` reads it";
  let description = [{
    A slot begins at byte `offset + s * slot_bytes` and consists of `parts` bands of equal numbers of rows, of which there are
    at most 8. A band is a sequence of panels of 64 columns of 16-bit elements; the row of a panel is 128 bytes, whose 16-byte chunk c lies at
    position `c xor (row % 8)`. The columns are padded to a multiple of 64.

    Each band of a slot has a pair of barriers of 8 bytes: number `s * parts + band` from byte `full` on completes when the
    copies of the band have arrived, the one from byte `empty` on when all readers have released it. A band has the readers
    of one warpgroup, or where there is one band those of all computing warpgroups.

    With `cluster` above 1 that many thread blocks hold the same tiles: each copies an equal part of the rows to all of
    them, and the readers of all release a slot.

    The last `ones` columns are no copies: they have a panel of their own, which holds ones from the start of the kernel on.
  }];
  let parameters = (ins
    "int64_t":$offset, "int64_t":$slot_bytes, "int64_t":$slots, "int64_t":$parts, "int64_t":$full, "int64_t":$empty,
    DefaultValuedParameter<"int64_t", "1">:$cluster,
    DefaultValuedParameter<"int64_t", "0">:$ones);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // FOVEA_DIALECT_TILE_IR_TILEATTRS_TD
