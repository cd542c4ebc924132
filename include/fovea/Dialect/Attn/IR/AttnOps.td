//===- AttnOps.td - Operations of the attn dialect ----------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD

include "fovea/Dialect/Attn/IR/AttnAttrs.td"
include "fovea/Dialect/Attn/IR/AttnInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

class Attn_Op<string mnemonic, list<Trait> traits = []> : Op<Attn_Dialect, mnemonic, traits>;

/// A ranked tensor or a strided memref.
def Attn_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef], "ranked tensor or strided memref",
                            "::mlir::ShapedType">;

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

def Attn_AttentionOp : Attn_Op<"attention", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, Attn_MaskOpInterface,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    SingleBlockImplicitTerminator<"::fovea::attn::YieldOp">, RecursivelySpeculatable
  ]> {
  let summary = "Scaled dot-product attention";
  let description = [{
    For each batch `b`, query head `h` and query `i`, with `h_kv = h / (Hq / Hkv)`:

    ```
    s[i,j] = scale * dot(query[b,h,i,:], key[b,h_kv,j,:])
    t[i,j] = score_mod(s[i,j], b, h, i, j) + bias[b,h,i,j]
    pair   = mask[b,h,i,j] and mask_mod(b, h, i, j), or what block_map says
    keep   = j < Lk[b] and pair and causal and window
    u[i,j] = keep ? t[i,j] : -inf
    m[i]   = max(max_j u[i,j], sink[h])
    l[i]   = sum_j exp(u[i,j] - m[i]) + exp(sink[h] - m[i])
    output[b,h,i,:] = sum_j exp(u[i,j] - m[i]) / l[i] * value[b,h_kv,j,:]
    lse[b,h,i]      = m[i] + log(l[i])
    ```

    A row with nothing to attend to (`m = -inf`) gives `output = 0` and `lse = -inf`. `docs/semantics.md` is the whole
    contract, NaN, empty sizes, garbage past a length and the tolerance of a result included.

    #### Syntax

    The op is a list of clauses, each at most once and in any order; they are printed in this order:

    ```
    operation ::= (ssa-results `=`)? `attn.attention`
        `ins` `(` query `,` key `,` value `:` type `,` type `,` type `)`
        (`scale` `(` (float | ssa-value) `)`)?                        // f32; absent: 1 / sqrt(Dqk)
        (`causal` `(` diagonal `)`)?
        (`window` `(` bound `,` bound (`,` diagonal)? `)`)?           // left, right; the diagonal stands in causal, if given
        (`bias` `(` ssa-value `:` type `)`)?
        (`mask` `(` ssa-value `:` type `)`)?
        (`sink` `(` ssa-value `:` type `)`)?
        (`kv_lengths` `(` ssa-value `:` type `)`)?
        (`base` `(` b0 `,` h0 `,` i0 `,` j0 `)`)?                     // indices
        (`block_map` `(` ssa-value `:` type `,` integer `,` integer `)`)?  // queries and keys of a block
        (`block_list` `(` ssa-value `:` type `)`)?                    // in kernels alone
        (`score_mod` `(` %s `,` %b `,` %h `,` %i `,` %j `)` region)?  // f32, index, index, index, index; yields f32
        (`mask_mod` `(` %b `,` %h `,` %i `,` %j `)` region)?          // index, index, index, index; yields i1
        `outs` `(` output (`,` lse)? `:` type (`,` type)? `)`
        attr-dict?
    diagonal ::= `top_left` | `bottom_right` | ssa-value `:` type     // an offset: index, or one i32 or i64 per batch
    bound    ::= integer | `*`                                        // * is unbounded
    ```

    On tensors the op has one result for each destination, of its type; on memrefs it writes the destinations. All shaped
    operands are tensors or all are memrefs; memrefs may have any strides.

    #### Operands

    | operand | shape | element type |
    |---|---|---|
    | `query` | `[B, Hq, Sq, Dqk]` | f32, f16, bf16, f8E4M3FN or f8E5M2 |
    | `key` | `[B, Hkv, Skv, Dqk]` | that of `query`; `Hq` is a multiple of `Hkv` (GQA, MQA) |
    | `value` | `[B, Hkv, Skv, Dv]` | that of `query` |
    | `scale` | | f32, run time; the attribute `static_scale` where it is a constant |
    | `bias` | `[B or 1, Hq or 1, Sq or 1, Skv or 1]` | any float type |
    | `mask` | `[B or 1, Hq or 1, Sq or 1, Skv or 1]` | i1, true keeps |
    | `sink` | `[Hq]` | f32, a logit in the denominator alone |
    | `kv_lengths` | `[B]` | i32 or i64: `Lk[b] = min(max(kv_lengths[b], 0), Skv)` |
    | `offset` | `[B]`, or an index | i32 or i64 |
    | `base` | | four indices |
    | `block_map` | `[B or 1, Hq or 1, ceildiv(Sq, queries of a block), ceildiv(Skv, keys of a block)]` | i8: 0 never, 2 full, else partial |
    | `block_list` | `[B or 1, Hq or 1, blocks of queries, 3 + blocks of keys]` | i32, what `attn.block_list` and `attn.block_order` write |
    | `output` | `[B, Hq, Sq, Dv]` | f32, f16, bf16, f8E4M3FN or f8E5M2 |
    | `lse` | `[B, Hq, Sq]` | f32, natural logarithm |

    `Dqk` and `Dv` are static and at least 1; every other dimension may be dynamic, and 0.

    #### Masks

    `causal` keeps `j <= i + off`, `window(left, right)` keeps `i + off - left <= j <= i + off + right`, both ends
    included. `off` is named by the diagonal: `top_left` is 0, `bottom_right` is `Lk[b] - Sq` (the last query sees the last
    key), an offset is taken as it is, of any sign. There is no default diagonal; it is given exactly where causal or a
    window needs it.

    #### Regions

    `score_mod` maps a score, at its natural scale, to another; `mask_mod` says which pairs are kept. Both are pure, may read
    any value from outside (scalars, tensors, memrefs) at any computed index, and act as if evaluated for `0 <= i < Sq`
    and `0 <= j < Lk` alone.

    #### A part of a larger problem

    `base` says where this op lies in a larger one. Bias, mask, both regions, causal, window and `kv_lengths` see positions of
    the whole, `(b0 + b, h0 + h, i0 + i, j0 + j)`; bias, mask and block_map are then the operands of the whole, and their
    dimensions are not compared with this op's. So a tile, a shard or a chunk keeps its meaning in the whole; tiling relies
    on it.

    #### A map of blocks

    `block_map(%states, bm, bn)` says of the pairs of each block of `bm` queries and `bn` keys, `(i floordiv bm, j floordiv bn)`:

    * 0, never: no pair is kept;
    * 2, full: every pair is, and neither `mask` nor `mask_mod` is consulted;
    * any other value, partial: `mask` and `mask_mod` say which pairs are.

    Lengths, causal and window hold in every block. The map is a part of what the op means, and not a hint: where it differs
    from `mask` and `mask_mod` the map is right, on every target. Blocks that it leaves out are neither read nor multiplied,
    and full ones have no code for `mask` and `mask_mod`, where the blocks of a kernel lie inside those of the map.

    #### A list of blocks

    In a kernel with `block_list` only the key blocks of the list are visited, at multiples of the strategy's `block_n`: what
    it omits has no kept pair, and in blocks that it calls full every pair is kept. It says nothing that the masks don't say.

    #### Attributes

    * `allow_tf32`: f32 products may be computed in TF32.
    * `allow_approx`: hardware approximations of `tanh`, `exp2` and the like may add their stated error.
    * `allow_nondeterminism`: equal inputs need not give equal bits.
    * `strategy`: how a kernel computes the op; where it is absent the target chooses.

    #### Examples

    ```mlir
    // Causal attention with grouped queries, and the log-sum-exp for a later merge.
    %o, %l = attn.attention ins(%q, %k, %v : tensor<2x8x?x64xbf16>, tensor<2x2x?x64xbf16>, tensor<2x2x?x64xbf16>)
               causal(bottom_right) outs(%init, %lse : tensor<2x8x?x64xbf16>, tensor<2x8x?xf32>)

    // A soft cap for each head and a sliding window of 128 keys, on memrefs, with the lengths of a KV cache.
    attn.attention ins(%q, %k, %v : memref<4x8x1x64xf16>, memref<4x8x?x64xf16>, memref<4x8x?x64xf16>)
      causal(bottom_right) window(127, *) kv_lengths(%n : memref<4xi32>)
      score_mod(%s, %b, %h, %i, %j) {
        %cap = memref.load %caps[%h] : memref<8xf32>
        %x = arith.divf %s, %cap : f32
        %y = math.tanh %x : f32
        %t = arith.mulf %y, %cap : f32
        attn.yield %t : f32
      }
      outs(%o : memref<4x8x1x64xf16>)
    ```

    Packed sequences, pages, dropout and descale factors of f8 inputs are part of the contract but not of this op yet; their
    clauses are refused by name.
  }];
  let arguments = (ins
    Attn_Shaped:$query, Attn_Shaped:$key, Attn_Shaped:$value,
    Optional<F32>:$scale,
    Optional<Attn_Shaped>:$bias,
    Optional<Attn_Shaped>:$mask,
    Optional<Attn_Shaped>:$sink,
    Optional<Attn_Shaped>:$kv_lengths,
    Optional<AnyType>:$offset,
    Variadic<Index>:$base,
    Optional<Attn_Shaped>:$block_map,
    Optional<Attn_Shaped>:$block_list,
    Attn_Shaped:$output,
    Optional<Attn_Shaped>:$lse,
    OptionalAttr<F32Attr>:$static_scale,
    UnitAttr:$causal,
    OptionalAttr<Attn_DiagonalAttr>:$diagonal,
    OptionalAttr<I64Attr>:$window_left,
    OptionalAttr<I64Attr>:$window_right,
    OptionalAttr<DenseI64ArrayAttr>:$block_map_sizes,
    UnitAttr:$allow_tf32,
    UnitAttr:$allow_approx,
    UnitAttr:$allow_nondeterminism,
    OptionalAttr<Attn_StrategyAttr>:$strategy);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$score_mod, MaxSizedRegion<1>:$mask_mod);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();

    // Logical dimensions; `ShapedType::kDynamic` where they are not static.
    ::mlir::ShapedType getQueryType() { return ::llvm::cast<::mlir::ShapedType>(getQuery().getType()); }
    ::mlir::ShapedType getKeyType() { return ::llvm::cast<::mlir::ShapedType>(getKey().getType()); }
    ::mlir::ShapedType getValueType() { return ::llvm::cast<::mlir::ShapedType>(getValue().getType()); }
    ::mlir::ShapedType getOutputType() { return ::llvm::cast<::mlir::ShapedType>(getOutput().getType()); }
    int64_t getBatch() { return getQueryType().getDimSize(0); }
    int64_t getNumQueryHeads() { return getQueryType().getDimSize(1); }
    int64_t getNumKVHeads() { return getKeyType().getDimSize(1); }
    int64_t getQueryLength() { return getQueryType().getDimSize(2); }
    int64_t getKVLength() { return getKeyType().getDimSize(2); }
    /// Depth of queries and keys; static.
    int64_t getQKDepth() { return getQueryType().getDimSize(3); }
    /// Depth of values and of the output; static.
    int64_t getVDepth() { return getValueType().getDimSize(3); }

    bool hasScoreMod() { return !getScoreMod().empty(); }
    bool hasMaskMod() { return !getMaskMod().empty(); }
    bool hasWindow() { return getWindowLeft().has_value() || getWindowRight().has_value(); }
    /// Whether masks choose among the pairs that length, causal and window leave.
    bool hasPairMask() { return getMask() || hasMaskMod() || getBlockMap(); }
    /// Whether O has a longer significand than V, so that no rounding of O hides that of P to V's type.
    bool hasWideOutput() {
      auto getWidth = [](::mlir::ShapedType type) {
        return ::llvm::cast<::mlir::FloatType>(type.getElementType()).getFPMantissaWidth();
      };
      return getWidth(getOutputType()) > getWidth(getValueType());
    }
    /// Whether no product of a score's sum may lose a bit: products of f32 may cancel, and LSE shows what is lost.
    bool needsExactScores() { return getLse() && getQueryType().getElementType().isF32() && !getAllowTf32(); }
    /// The `score_part` of a strategy that sums up exact scores.
    static constexpr int64_t kExactScorePart = 16;
    /// Whether the op works on memrefs (and so has no results).
    bool hasPureBufferSemantics() { return ::llvm::isa<::mlir::MemRefType>(getOutput().getType()); }
    /// The scale if it is known at compile time: the attribute, or 1/sqrt(Dqk) where neither attribute nor operand is given.
    std::optional<float> getConstantScale();
    /// Values from outside that the two regions use, each once, in order of first use (score_mod before mask_mod).
    ::llvm::SmallVector<::mlir::Value> getCaptures();
  }];
}

//===----------------------------------------------------------------------===//
// combine
//===----------------------------------------------------------------------===//

def Attn_CombineOp : Attn_Op<"combine", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
  ]> {
  let summary = "Merges attention over disjoint sets of keys";
  let description = [{
    Part `c` attended to its own keys: `partial_outputs[c]` is its normalized output and `partial_lses[c]` its LSE. The merge
    is attention over the union of the keys:

    ```
    lse[b,h,i]      = log(sum_c exp(partial_lses[c,b,h,i]) + exp(sink[h]))
    output[b,h,i,:] = sum_c exp(partial_lses[c,b,h,i] - lse[b,h,i]) * partial_outputs[c,b,h,i,:]
    ```

    A part without keys has an LSE of -inf and weighs 0, whatever its output holds; where all are empty, and the sink is
    absent or -inf, the output is 0 and the LSE -inf. A sink is added here, once, and not in the parts.

    | operand | shape | element type |
    |---|---|---|
    | `partial_outputs` | `[parts, B, Hq, Sq, Dv]` | f32, f16, bf16, f8E4M3FN or f8E5M2 |
    | `partial_lses` | `[parts, B, Hq, Sq]` | f32 |
    | `sink` | `[Hq]` | f32 |
    | `output` | `[B, Hq, Sq, Dv]` | f32, f16, bf16, f8E4M3FN or f8E5M2 |
    | `lse` | `[B, Hq, Sq]` | f32 |

    Syntax: the clauses `ins`, `sink` and `outs`, as those of `attn.attention`.

    ```mlir
    %o = attn.combine ins(%parts, %lses : tensor<?x2x8x1x64xf32>, tensor<?x2x8x1xf32>)
           sink(%sink : tensor<8xf32>) outs(%init : tensor<2x8x1x64xbf16>)
    ```
  }];
  let arguments = (ins
    Attn_Shaped:$partial_outputs, Attn_Shaped:$partial_lses, Optional<Attn_Shaped>:$sink,
    Attn_Shaped:$output, Optional<Attn_Shaped>:$lse);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
  }];
}

//===----------------------------------------------------------------------===//
// block_map, block_list
//===----------------------------------------------------------------------===//

def Attn_BlockMapOp : Attn_Op<"block_map", [
    AttrSizedOperandSegments, Attn_MaskOpInterface, MemoryEffects<[MemRead, MemWrite]>,
    SingleBlockImplicitTerminator<"::fovea::attn::YieldOp">
  ]> {
  let summary = "Classifies each block of pairs: masks keep none, all, or an unknown part of it";
  let description = [{
    In kernels only. The masks are those of an attention op, and `strategy` has the size of a block. An element of `states`, i32
    `[B or 1, Hq or 1, ceildiv(Sq, block_m), ceildiv(Skv, block_n)]`, is 0 where no pair of the block is kept, 2 where every existing
    pair (`i < Sq`, `j < Lk`) is kept and the block lies inside `Lk`, and 1 where it is not known. A dimension is 1 where
    no mask depends on it.

    ```mlir
    attn.block_map ins(%q, %k : memref<?x8x?x64xf16>, memref<?x8x?x64xf16>) mask_mod {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %mine = memref.load %documents[%i] : memref<?xi32>
      %other = memref.load %documents[%j] : memref<?xi32>
      %kept = arith.cmpi eq, %mine, %other : i32
      attn.yield %kept : i1
    } outs(%states : memref<1x1x?x?xi32>) {strategy = #attn.strategy<block_m = 128, block_n = 128>}
    ```
  }];
  let arguments = (ins
    Attn_Shaped:$query, Attn_Shaped:$key,
    Optional<Attn_Shaped>:$mask,
    Optional<Attn_Shaped>:$kv_lengths,
    Optional<AnyType>:$offset,
    Variadic<Index>:$base,
    AnyStridedMemRef:$states,
    UnitAttr:$causal,
    OptionalAttr<Attn_DiagonalAttr>:$diagonal,
    OptionalAttr<I64Attr>:$window_left,
    OptionalAttr<I64Attr>:$window_right,
    OptionalAttr<Attn_StrategyAttr>:$strategy);
  let regions = (region MaxSizedRegion<1>:$mask_mod);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `:` type($query) `,` type($key) `)` (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`kv_lengths` `(` $kv_lengths^ `:` type($kv_lengths) `)`)? (`offset` `(` $offset^ `:` type($offset) `)`)?
    (`base` `(` $base^ `)`)? (`mask_mod` $mask_mod^)? `outs` `(` $states `:` type($states) `)` attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool hasMaskMod() { return !getMaskMod().empty(); }
  }];
}

def Attn_BlockListOp : Attn_Op<"block_list", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Lists the key blocks that each query block needs";
  let description = [{
    In kernels only. For each row of `states`, the result of `attn.block_map`, a row of `list` (i32, three columns more) gets the number
    of partial blocks, the number of nonzero blocks, a column for `attn.block_order`, and then the indices of the partial and of the
    full blocks, each in ascending order.

    ```mlir
    attn.block_list %states, %list : memref<1x1x?x?xi32>, memref<1x1x?x?xi32>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$states, AnyStridedMemRef:$list);
  let assemblyFormat = "$states `,` $list attr-dict `:` type($states) `,` type($list)";
  let hasVerifier = 1;
}

def Attn_BlockOrderOp : Attn_Op<"block_order", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Orders the query blocks by the number of key blocks that they need";
  let description = [{
    In kernels only. Column 2 of `list`, the result of `attn.block_list`, gets the query blocks of each batch and head: the one
    with the most key blocks first, equal ones in ascending order.

    ```mlir
    attn.block_order %list : memref<1x1x?x?xi32>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$list);
  let assemblyFormat = "$list attr-dict `:` type($list)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator, ParentOneOf<["AttentionOp", "BlockMapOp"]>]> {
  let summary = "Ends a score_mod (f32) or mask_mod (i1) region";
  let description = [{
    The value is the modified score, or whether the pair is kept.

    ```mlir
    attn.yield %t : f32
    ```
  }];
  let arguments = (ins Optional<AnyType>:$value);
  let builders = [OpBuilder<(ins), [{ /* for the implicit terminator */ }]>];
  let assemblyFormat = "($value^ `:` type($value))? attr-dict";
}

#endif // FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD
