//===- TileOps.td - Operations of the attn_tile dialect -----*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_TILE_IR_TILEOPS_TD
#define FOVEA_DIALECT_TILE_IR_TILEOPS_TD

include "fovea/Dialect/Tile/IR/TileAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

/// Of ops that go on when other warpgroups have come as far: a warpgroup that others wait for must not run into one.
def Tile_WaitsForOthers : NativeOpTrait<"WaitsForOthers"> {
  let cppNamespace = "::fovea::tile";
}

/// A tile; ops on tiles verify their ranks, 1 or 2.
def Tile_Tile : StaticShapeTensorOf<[AnyType]>;
/// What a gather index may be: one position for the whole tile, or one per element.
def Tile_Index : AnyTypeOf<[Index, StaticShapeTensorOf<[Index]>]>;

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "Number of this task, from 0 to the grid's size";
  let description = [{
    The linear task number of the launch contract: the task of a CPU worker, or the thread block of a one-dimensional grid.
    In a kernel of scalar code the threads of a block are divided among its tasks, `lanes` each: a power of two, at most 32.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "1">:$lanes);
  let results = (outs Index:$id);
  let assemblyFormat = "attr-dict `:` type($id)";
  let hasVerifier = 1;
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure]> {
  let summary = "Number of tasks, or of programs of a persistent kernel: the size of the grid";
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict `:` type($count)";
}

//===----------------------------------------------------------------------===//
// Lanes: threads that compute one task of scalar code together
//===----------------------------------------------------------------------===//

class Tile_LaneOp_<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Tile_LaneOp : Tile_LaneOp_<"lane", [Pure]> {
  let summary = "Number of this lane among the `lanes` of its task, from 0";
  let arguments = (ins I64Attr:$lanes);
  let results = (outs Index:$lane);
  let assemblyFormat = "`of` $lanes attr-dict `:` type($lane)";
}

def Tile_ReduceLanesOp : Tile_LaneOp_<"reduce_lanes", [AllTypesMatch<["value", "result"]>,
                                                       MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Combines the values of all lanes of a task; each lane gets the result";
  let description = [{
    `min` and `max` are those of signed integers. All lanes of the task execute the op, other tasks need not.
    `attn_tile.reduce_lanes min %v of 8 : i32`
  }];
  let arguments = (ins Tile_LaneReduceKindAttr:$kind, AnyTypeOf<[AnySignlessInteger, Index]>:$value, I64Attr:$lanes);
  let results = (outs AnyTypeOf<[AnySignlessInteger, Index]>:$result);
  let assemblyFormat = "$kind $value `of` $lanes attr-dict `:` type($value)";
}

def Tile_CountLanesOp : Tile_LaneOp_<"count_lanes", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "In how many lanes of a task a condition holds: in those before this one, and in all";
  let description = [{
    All lanes of the task execute the op, other tasks need not.
    `%before, %all = attn_tile.count_lanes %condition of 32 : i32`
  }];
  let arguments = (ins I1:$condition, I64Attr:$lanes);
  let results = (outs I32:$before, I32:$all);
  let assemblyFormat = "$condition `of` $lanes attr-dict `:` type($all)";
  let builders = [OpBuilder<(ins "mlir::Value":$condition, "int64_t":$lanes), [{
    build($_builder, $_state, $_builder.getI32Type(), $_builder.getI32Type(), condition, lanes);
  }]>];
}

def Tile_AnyOp : Tile_Op<"any", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Whether a condition holds for any element of the rows that this execution unit computes";
  let description = [{
    The unit is the whole tile, or on a GPU the rows of one warp; with `uniform` those of all warps that take part in one
    product, which wait for each other. Use it to skip work that changes nothing in rows where the condition is false: then no
    row's result depends on other rows.
  }];
  let arguments = (ins StaticShapeTensorOf<[I1]>:$condition, UnitAttr:$uniform);
  let results = (outs I1:$any);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

def Tile_ExchangeOp : Tile_Op<"exchange", [Tile_WaitsForOthers, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Gives each program of a cluster its columns of the tiles that all of them hold";
  let description = [{
    Programs whose numbers differ by less than `programs` (N), counted from a multiple of N, are a cluster: they run at the
    same time, and program `i` of it has rank `i mod N`. All of them execute the op, with operands of equal types. The results are those of
    rank 0, then those of rank 1, and so on, in each the operands in order: a tile of rank 1 as it is, and of an MxD tile the columns
    [r * S, (r + 1) * S) as MxS, where r is the rank of the program that executes the op and S is the same for all, at least
    D / N. Columns past D hold no particular value. Elements are f32.

    It comes behind all `attn_tile.load`s of tiles that dots read, whose memory it may take; after the last one of a kernel stands
    an `attn_tile.await_peers`.

    ```mlir
    %0:4 = attn_tile.exchange %sum, %acc programs 2
        : (tensor<64xf32>, tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>)
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$tiles, I64Attr:$programs);
  let results = (outs Variadic<Tile_Tile>:$parts);
  let assemblyFormat = "$tiles `programs` $programs attr-dict `:` functional-type($tiles, $parts)";
  let hasVerifier = 1;
}

def Tile_AwaitPeersOp : Tile_Op<"await_peers", [Tile_WaitsForOthers, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until all programs of the cluster have what they read in the last `attn_tile.exchange`";
  let description = [{
    Before it the memory that the exchange went through may not be written, and no program may end.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_RecomputeOp : Tile_Op<"recompute", [AllTypesMatch<["value", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The value itself, opaque to CSE: what depends on the result is recomputed";
  let description = [{
    For code that seldom runs: without it, values that it shares with earlier code would stay in registers all the
    time. `value` is an index or a tile.
  }];
  let arguments = (ins AnyTypeOf<[Index, Tile_Tile]>:$value);
  let results = (outs AnyTypeOf<[Index, Tile_Tile]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tile_FoldOp : Tile_Op<"fold", [Pure]> {
  let summary = "Sums the columns of a tile that lie a multiple of the result's columns apart";
  let description = [{
    Element (r, c) of an MxC result is the sum of the elements (r, c), (r, c + C), (r, c + 2C), ... in a fixed order. A row sum
    that a loop carries in this form needs no exchange between threads until the loop is over.
    `attn_tile.fold %t : tensor<128x64xf32> -> tensor<128x8xf32>`
  }];
  let arguments = (ins Tile_Tile:$tile);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_FoldBitsOp : Tile_Op<"fold_bits", [Pure]> {
  let summary = "Joins by `or` the columns of a tile of integers that lie a multiple of the result's columns apart";
  let description = [{
    As `attn_tile.fold`, of bits. A bit that is set in an element of the result is set in one of its columns.
    `attn_tile.fold_bits %t : tensor<128x64xi32> -> tensor<128x8xi32>`
  }];
  let arguments = (ins StaticShapeTensorOf<[AnySignlessInteger]>:$tile);
  let results = (outs StaticShapeTensorOf<[AnySignlessInteger]>:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ColumnsOp : Tile_Op<"columns", [Pure]> {
  let summary = "The columns of a tile from number `first` on, as many as the result has";
  let description = [{
    `attn_tile.columns %t from 64 : tensor<128x72xf32> -> tensor<128x8xf32>`
  }];
  let arguments = (ins Tile_Tile:$tile, I64Attr:$first);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$tile `from` $first attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Loads a tile from a strided memref; elements past the limits are zero";
  let description = [{
    `indices` (one per dimension of `source`) is the position of the tile's element (0, 0). Tile rows run along dimension
    `row_dim` and, for a tile of rank 2, columns along the last dimension of `source`. A tile of rank 1 has rows only.
    Rows whose position is not below `row_limit`, and columns whose position is not below `col_limit` or the last
    dimension's size, are not read and are zero. A position below a limit is in bounds by contract.
    `alignment` is what the address of each row may rely on, in bytes.
    The last `ones` columns of the tile are not read but hold 1 in all rows: the product of a tile of weights with them is the
    weights' row sums.

    With `shift`, elements (r, c) and (r + 1, c + shift) are the same element of memory, for all r and c, and the memory
    does not change while the kernel runs. A target may read it once, and what lies past the limits, which is still not
    read, is any value.

    With `ahead`, the next load of that type from that source without `ahead` is one of the same rows and columns, and the memory does
    not change between them. A target may copy it once, and hold it up to the last use of the later load. A kernel loads
    all tiles of a type from a source so, or none.

    ```mlir
    %qt = attn_tile.load %q[%b, %h, %i0, %c0] rows(%sq) {row_dim = 2}
        : memref<?x?x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>> -> tensor<128x64xbf16>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, Variadic<Index>:$indices,
                       Optional<Index>:$row_limit, Optional<Index>:$col_limit,
                       I64Attr:$row_dim, DefaultValuedAttr<I64Attr, "1">:$alignment,
                       OptionalAttr<I64Attr>:$shift, DefaultValuedAttr<I64Attr, "0">:$ones, UnitAttr:$ahead);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = [{
    $source `[` $indices `]` (`rows` `(` $row_limit^ `)`)? (`cols` `(` $col_limit^ `)`)? attr-dict
    `:` type($source) `->` type($tile)
  }];
  let builders = [OpBuilder<(ins "mlir::Type":$type, "mlir::Value":$source, "mlir::ValueRange":$indices,
                                 "mlir::Value":$rowLimit, "mlir::Value":$colLimit, "int64_t":$rowDim,
                                 "int64_t":$alignment), [{
    build($_builder, $_state, type, source, indices, rowLimit, colLimit, rowDim, alignment, /*shift=*/nullptr);
  }]>];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Stores a tile to a strided memref; elements past the limits are not written";
  let description = [{
    Positions and limits as in `attn_tile.load`.
  }];
  let arguments = (ins Tile_Tile:$tile, AnyStridedMemRef:$destination, Variadic<Index>:$indices,
                       Optional<Index>:$row_limit, Optional<Index>:$col_limit,
                       I64Attr:$row_dim, DefaultValuedAttr<I64Attr, "1">:$alignment);
  let assemblyFormat = [{
    $tile `,` $destination `[` $indices `]` (`rows` `(` $row_limit^ `)`)? (`cols` `(` $col_limit^ `)`)? attr-dict
    `:` type($tile) `->` type($destination)
  }];
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads one element of a memref for each element of a tile";
  let description = [{
    Element (r, c) of the result is `source[i_0, i_1, ...]` with the (r, c) elements of those indices that are tiles;
    where `mask` is false nothing is read and the element is zero.
  }];
  let arguments = (ins AnyStridedMemRef:$source, Variadic<Tile_Index>:$indices, StaticShapeTensorOf<[I1]>:$mask);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = [{
    $source `[` $indices `]` `mask` `(` $mask `)` attr-dict `:` type($source) `,` `[` type($indices) `]` `,` type($mask) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + lhs * rhs, or acc + lhs * transpose(rhs)";
  let description = [{
    `lhs` is MxK; `rhs` is KxN, or NxK with `transpose_rhs`; `acc` and the result are MxN f32. The accumulation is f32.
    f32 operands keep f32 accuracy, unless `allow_tf32`. With `part` a target whose matrix unit truncates its sums adds
    so many of the K products at a time (a multiple of 16), and adds those sums with rounding. For f32 operands it then multiplies
    all bits, and keeps what the additions round away until the end, so that the result is rounded about once.
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$acc, UnitAttr:$transpose_rhs, UnitAttr:$allow_tf32,
                       OptionalAttr<I64Attr>:$part);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_RowReduceOp : Tile_Op<"row_reduce", [Pure, AllTypesMatch<["init", "result"]>]> {
  let summary = "Reduces each row of a tile, starting from `init`";
  let description = [{
    `max` ignores NaN where another operand is a number (`arith.maxnumf`); `sum` adds in an unspecified, fixed order.
    `attn_tile.row_reduce max %t, %m : tensor<128x64xf32> -> tensor<128xf32>`
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tile:$tile, Tile_Tile:$init);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$kind $tile `,` $init attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Repeats a tile of one value per row over the columns";
  let arguments = (ins Tile_Tile:$rows);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = "$rows attr-dict `:` type($rows) `->` type($tile)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "A tile that holds one scalar everywhere";
  let arguments = (ins AnyType:$scalar);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($tile)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "Row (dim 0) or column (dim 1) number of each element, from 0; i32 or index";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = "attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Staging through shared memory
//===----------------------------------------------------------------------===//

def Tile_FetchOp : Tile_Op<"fetch", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Issues the copy of a tile from memory to a slot of its ring in shared memory";
  let description = [{
    Source, positions and limits as in `attn_tile.load`; `layout` is a tile type with the encoding `#attn_tile.shared`.
    The copy may be read after an `attn_tile.await_fetches` that covers its group.
  }];
  let arguments = (ins AnyStridedMemRef:$source, Variadic<Index>:$indices,
                       Optional<Index>:$row_limit, Optional<Index>:$col_limit, I32:$slot,
                       I64Attr:$row_dim, DefaultValuedAttr<I64Attr, "1">:$alignment, TypeAttr:$layout);
  let assemblyFormat = [{
    $source `[` $indices `]` (`rows` `(` $row_limit^ `)`)? (`cols` `(` $col_limit^ `)`)? `slot` `(` $slot `)` attr-dict
    `:` type($source) `->` $layout
  }];
  let hasVerifier = 1;
}

def Tile_CommitFetchesOp : Tile_Op<"commit_fetches", [MemoryEffects<[MemWrite]>]> {
  let summary = "Closes the group of fetches since the last commit";
  let assemblyFormat = "attr-dict";
}

def Tile_AwaitFetchesOp : Tile_Op<"await_fetches", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until at most `pending` groups of fetches are in flight, then for all threads of the block";
  let description = [{
    After it the tiles of all older groups are visible to every thread, and every thread has finished its reads of
    shared memory from before it.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Tile_StagedOp : Tile_Op<"staged", [Pure]> {
  let summary = "The tile in a slot of a ring in shared memory";
  let arguments = (ins I32:$slot);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = "`slot` `(` $slot `)` attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Warps with roles: bulk copies and products in flight
//===----------------------------------------------------------------------===//

def Tile_RolesOp : Tile_Op<"roles", [NoRegionArguments, SingleBlock, NoTerminator,
                                     RecursiveMemoryEffects]> {
  let summary = "Specializes the warpgroups of a thread block: consumers compute, one producer copies";
  let description = [{
    The first `consumers` warpgroups run the region `compute`, one thread of the next one runs `copy`. The barriers of the
    rings `rings` (tile types) are initialized before. `compute_registers` and `copy_registers` are the registers per
    thread of each role; 0: as many as at launch.
  }];
  let arguments = (ins I64Attr:$consumers, I64Attr:$compute_registers, I64Attr:$copy_registers, TypeArrayAttr:$rings);
  let regions = (region SizedRegion<1>:$copy, SizedRegion<1>:$compute);
  let assemblyFormat = "attr-dict-with-keyword `copy` $copy `compute` $compute";
  let hasVerifier = 1;
}

def Tile_WarpgroupOp : Tile_Op<"warpgroup", [Pure]> {
  let summary = "Number of this warpgroup in its thread block";
  let results = (outs I32:$number);
  let assemblyFormat = "attr-dict `:` type($number)";
}

def Tile_AwaitTurnOp : Tile_Op<"await_turn", [Tile_WaitsForOthers, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the previous warpgroup has issued its products";
  let description = [{
    `warpgroups` warpgroups take turns in the order of their numbers; the first turn must be passed to the first one.
  }];
  let arguments = (ins I32:$warpgroup, ConfinedAttr<I64Attr, [IntPositive]>:$warpgroups);
  let assemblyFormat = "$warpgroup `of` $warpgroups attr-dict";
}

def Tile_PassTurnOp : Tile_Op<"pass_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Lets the next warpgroup issue its products";
  let arguments = (ins I32:$warpgroup, ConfinedAttr<I64Attr, [IntPositive]>:$warpgroups);
  let assemblyFormat = "$warpgroup `of` $warpgroups attr-dict";
}

def Tile_BulkFetchOp : Tile_Op<"bulk_fetch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until a slot of a ring is free, then issues the TMA copies of a tile into it";
  let description = [{
    `map` is the parameter that an `#attn.tensor_map` describes, `indices` the position of the tile's element (0, 0), one
    index per dimension. `phase` is 0 for the first round through the ring, then alternately 1 and 0.
  }];
  let arguments = (ins AnyType:$map, Variadic<Index>:$indices, I32:$slot, I32:$phase, I64Attr:$row_dim, TypeAttr:$layout);
  let assemblyFormat = [{
    $map `[` $indices `]` `slot` `(` $slot `)` `phase` `(` $phase `)` attr-dict `:` type($map) `->` $layout
  }];
  let hasVerifier = 1;
}

def Tile_AwaitTileOp : Tile_Op<"await_tile", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the bulk copies of a tile have arrived";
  let description = [{
    A tile of several bands is awaited by each warpgroup for its own band, whose number is `band`. One that is awaited
    `ahead` is awaited once more later, in the same slot and phase, and released there.
  }];
  let arguments = (ins I32:$slot, I32:$phase, Optional<I32>:$band, UnitAttr:$ahead);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = "`slot` `(` $slot `)` `phase` `(` $phase `)` (`band` `(` $band^ `)`)? attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Tile_ReleaseOp : Tile_Op<"release", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Releases a tile's slot to its ring: the reads of this warp are done";
  let description = [{
    The release waits for `after` to be computed. Waits for products that follow a release stay behind it, so `after` keeps a product
    in flight under the computation of a value.
  }];
  let arguments = (ins Tile_Tile:$tile, I32:$slot, Optional<I32>:$band, Optional<Tile_Tile>:$after);
  let assemblyFormat = [{
    $tile `slot` `(` $slot `)` (`band` `(` $band^ `)`)? (`after` `(` $after^ `:` type($after) `)`)? attr-dict
    `:` type($tile)
  }];
  let hasVerifier = 1;
}

def Tile_BulkStoreOp : Tile_Op<"bulk_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Stores a tile by TMA copies, through shared memory";
  let description = [{
    As `attn_tile.store` of all rows and columns that exist; `map` and `indices` are those of `attn_tile.bulk_fetch`. `layout` is
    a tile in shared memory with one band per warpgroup, which no other operation uses. `band` is the number of this
    warpgroup. The copies run on; the next one through the same band waits for them.
  }];
  let arguments = (ins Tile_Tile:$tile, AnyType:$map, Variadic<Index>:$indices, I32:$band, I64Attr:$row_dim,
                       TypeAttr:$layout);
  let assemblyFormat = [{
    $tile `,` $map `[` $indices `]` `band` `(` $band `)` attr-dict `:` type($tile) `,` type($map) `->` $layout
  }];
  let hasVerifier = 1;
}

def Tile_ClearRowsOp : Tile_Op<"clear_rows", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Zeroes the rows from position `limit` on of a tile in shared memory";
  let description = [{
    `first` is the position of the tile's row 0. What the warps that compute read of the tile afterwards sees the zeros.
    None waits for a warp that may be waiting for its turn.
  }];
  let arguments = (ins Tile_Tile:$tile, Index:$first, Index:$limit);
  let assemblyFormat = "$tile `first` `(` $first `)` `limit` `(` $limit `)` attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Tile_IssueDotOp : Tile_Op<"issue_dot", [AllTypesMatch<["acc", "result"]>, MemoryEffects<[MemRead]>]> {
  let summary = "Issues acc + lhs * rhs, or acc + lhs * transpose(rhs); the result is in flight";
  let description = [{
    As `attn_tile.dot`. The result may be used by one `attn_tile.await_dots` alone, and nothing that the product reads may
    change before it: a left operand in registers, and the slots of operands in shared memory. `contracted = [begin, end]`: of
    the K products only those in [begin, end), multiples of 16, are summed.
    With `under` the instructions of the product are issued one by one while that tile is computed, so that a thread that
    stalls on one of them does not delay its other work by all of them.
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$acc, Optional<Tile_Tile>:$under,
                       UnitAttr:$transpose_rhs, OptionalAttr<DenseI64ArrayAttr>:$contracted);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`under` `(` $under^ `:` type($under) `)`)? attr-dict `:` type($lhs) `,` type($rhs) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Tile_AwaitDotsOp : Tile_Op<"await_dots", [AllTypesMatch<["in_flight", "result"]>,
                                              MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until all but the last `pending` issued products are done; returns the value that was in flight";
  let arguments = (ins Tile_Tile:$in_flight, I64Attr:$pending);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$in_flight `pending` $pending attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // FOVEA_DIALECT_TILE_IR_TILEOPS_TD
