//===- AttnAttrs.td - Attributes of the attn dialect --------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNATTRS_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNATTRS_TD

include "fovea/Dialect/Attn/IR/AttnDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

def Attn_Diagonal : I32EnumAttr<"Diagonal", "where the diagonal of causal and window lies", [
    I32EnumAttrCase<"TopLeft", 0, "top_left">,
    I32EnumAttrCase<"BottomRight", 1, "bottom_right">,
    I32EnumAttrCase<"Offset", 2, "offset">
  ]> {
  let cppNamespace = "::fovea::attn";
  let genSpecializedAttr = 0;
}

/// `off` of the contract: 0, `Lk[b] - Sq`, or the operand `offset`.
def Attn_DiagonalAttr : EnumAttr<Attn_Dialect, Attn_Diagonal, "diagonal">;

//===----------------------------------------------------------------------===//
// The plan: how a target runs an op
//===----------------------------------------------------------------------===//

class Attn_Attr<string name, string attrMnemonic> : AttrDef<Attn_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Attn_DotUnit : I32EnumAttr<"DotUnit", "which threads compute one matrix product", [
    I32EnumAttrCase<"Warp", 0, "warp">,
    I32EnumAttrCase<"Warpgroup", 1, "warpgroup">,
    I32EnumAttrCase<"Thread", 2, "thread">
  ]> {
  let cppNamespace = "::fovea::attn";
}

def Attn_Rescale : I32EnumAttr<"Rescale", "when the accumulator follows the running maximum of a row", [
    I32EnumAttrCase<"Always", 0, "always">,
    I32EnumAttrCase<"Lazy", 1, "lazy">,
    I32EnumAttrCase<"Optimistic", 2, "optimistic">
  ]> {
  let cppNamespace = "::fovea::attn";
}

def Attn_RowSums : I32EnumAttr<"RowSums", "what adds up the weights of a row", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Product", 1, "product">
  ]> {
  let cppNamespace = "::fovea::attn";
}

def Attn_StrategyAttr : Attn_Attr<"Strategy", "strategy"> {
  let summary = "How one kernel computes the op: tile sizes, units and schedule; written by targets, tuners, tests and users";
  let description = [{
    * `block_m`: query rows of a tile; `block_n`: keys of a tile.
    * `warps`: warps of a thread block that compute (GPU), 1 on the CPU. A producer warpgroup is not counted.
    * `stages`: slots of the K/V ring in shared memory (GPU), 1 on the CPU.
    * `vector_bytes`: the alignment in bytes that global loads and stores may rely on; the element size is always allowed.
    * `pack_heads`: tile rows are the query heads of one KV head at one query position, not query positions of one head.
    * `split_kv`: split-KV (flash decoding): the keys are cut into `splits` parts (the leading dimension of the partial results),
      merged by `attn.combine`; with `cluster` above 1 into that many parts, which the thread blocks of a cluster merge.
    * `round_p`: P is rounded to V's element type before the value product P V.
    * `unit`: who computes one product: `warp` (`mma.sync`); `warpgroup` (`wgmma`), four warps whose operands lie in shared memory,
      filled by one more warpgroup that only copies; `thread`: each thread is its own program, without tiles.
    * `overlap`: the score product of the next key block runs while the weights of the present one are computed. Key blocks
      are visited from the last to the first.
    * `persistent`: as many thread blocks as fit at once loop over the tasks.
    * `rescale`: `always`; `lazy`: a row's accumulator is rescaled only when its maximum grows by more than a factor of 2^8 in
      weight; `optimistic` (with `overlap`): the weights of a block are relative to the maximum from before it, and the block is
      recomputed where that makes them too large. Where O has a longer significand than V both adopt every larger maximum: the largest
      weight is then 1, which rounding leaves as it is.
    * `cluster`: thread blocks that share (multicast) their copies of K and V; with `split_kv` those of the parts of one tile, which
      merge through distributed shared memory.
    * `pingpong`: warpgroups take turns to issue their products, so that one computes weights while another multiplies.
    * `score_part`: the score product is made in parts of so many columns (a multiple of 16), each summed on its own and added in
      f32, because matrix units truncate their sums. 0: one sum. For f32 inputs the products then keep all bits, and
      what the additions round away is kept.
    * `row_sums`: `add`: the weights of a row are summed before they are rounded; `product` (with `unit = warpgroup` and `overlap`): the
      value product sums them, by columns of ones behind V. Those are sums of rounded weights, consistent with the accumulator but
      too coarse for LSE: for ops without lse.
    * `interleave` (with `unit = warpgroup` and `overlap`): the instructions of the value product are issued between the exponentials
      of the next weights, after the wait for their scores; turns pass when the scores are there.
    * `min_blocks` (GPU): thread blocks that an SM must be able to hold at a time, 1 to 4; registers and shared memory of
      one are limited to its part, and a `persistent` kernel launches that many per SM. More than 1 needs one consumer warpgroup:
      `unit = warpgroup`, `warps = 4`, and no `cluster`.
    * `carry_scores` (with `unit = warpgroup`, `overlap` and `persistent`): the first score product of a program's next task is issued
      before the present task ends, and runs under its epilogue. Not for ops with a region, a bias, a mask or kv_lengths, nor for heads
      deeper than 128.
    * `longest_first` (with `persistent`): LPT order: tasks are single query blocks in an order in which their numbers of keys fall,
      for some heads, or rise, for the heads before those. Without it a task is a pair of query blocks, of which all pairs have the
      same number of keys. For ops whose keys are bounded on the right, by causal or a window.

    ```mlir
    #attn.strategy<block_m = 128, block_n = 64, warps = 4, stages = 2, vector_bytes = 16, round_p = true>
    ```
  }];
  let parameters = (ins
    "int64_t":$block_m, "int64_t":$block_n,
    DefaultValuedParameter<"int64_t", "1">:$warps,
    DefaultValuedParameter<"int64_t", "1">:$stages,
    DefaultValuedParameter<"int64_t", "1">:$vector_bytes,
    DefaultValuedParameter<"bool", "false">:$pack_heads,
    DefaultValuedParameter<"bool", "false">:$split_kv,
    DefaultValuedParameter<"bool", "false">:$round_p,
    DefaultValuedParameter<"::fovea::attn::DotUnit", "::fovea::attn::DotUnit::Warp">:$unit,
    DefaultValuedParameter<"bool", "false">:$overlap,
    DefaultValuedParameter<"bool", "false">:$persistent,
    DefaultValuedParameter<"::fovea::attn::Rescale", "::fovea::attn::Rescale::Always">:$rescale,
    DefaultValuedParameter<"int64_t", "1">:$cluster,
    DefaultValuedParameter<"bool", "false">:$pingpong,
    DefaultValuedParameter<"int64_t", "0">:$score_part,
    DefaultValuedParameter<"::fovea::attn::RowSums", "::fovea::attn::RowSums::Add">:$row_sums,
    DefaultValuedParameter<"bool", "false">:$interleave,
    DefaultValuedParameter<"int64_t", "1">:$min_blocks,
    DefaultValuedParameter<"bool", "false">:$carry_scores,
    DefaultValuedParameter<"bool", "false">:$longest_first);
  let builders = [
    /// A strategy of tiles of this size whose other parameters have their defaults; `with` changes those.
    AttrBuilder<(ins "int64_t":$blockM, "int64_t":$blockN), [{
      return $_get($_ctxt, blockM, blockN, /*warps=*/1, /*stages=*/1, /*vector_bytes=*/1, /*pack_heads=*/false,
                   /*split_kv=*/false, /*round_p=*/false, DotUnit::Warp, /*overlap=*/false, /*persistent=*/false,
                   Rescale::Always, /*cluster=*/1, /*pingpong=*/false, /*score_part=*/0, RowSums::Add,
                   /*interleave=*/false, /*min_blocks=*/1, /*carry_scores=*/false, /*longest_first=*/false);
    }]>
  ];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same strategy with other values of some parameters.
    StrategyAttr with(const StrategyChanges &changes) const;
    /// Whether the kernel leaves partial results, which `attn.combine` merges.
    bool hasPartialResults() const { return getSplitKv() && getCluster() == 1; }
    /// Whether the thread blocks of a cluster take the parts of the keys and merge them.
    bool mergesInCluster() const { return getSplitKv() && getCluster() > 1; }
  }];
}

def Attn_LaunchAttr : Attn_Attr<"Launch", "launch"> {
  let summary = "Launch contract of one kernel function";
  let description = [{
    All maps have no dimensions and the seven problem symbols of `ProblemSymbol`, in this order:
    `()[B, Hq, Hkv, Sq, Skv, threads, align]`. `threads` is the number of CPU workers, or of a GPU's SMs; `align` is in bytes.
    * `grid`: number of independent tasks (CPU) or thread blocks (GPU): the minimum of the map's results, of which there is at
      least one.
    * `block`: threads of a thread block, from 1 to 1024; 1 on the CPU.
    * `shared_bytes`: bytes of dynamic shared memory of a thread block; `scratch_bytes`: of private memory of a CPU worker.
      Neither is negative.

    ```mlir
    #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>, block = 128>
    ```
  }];
  let parameters = (ins
    "::mlir::AffineMapAttr":$grid,
    DefaultValuedParameter<"int64_t", "1">:$block,
    DefaultValuedParameter<"int64_t", "0">:$shared_bytes,
    DefaultValuedParameter<"int64_t", "0">:$scratch_bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Attn_SourceKind : I32EnumAttr<"SourceKind", "what an argument of a kernel is bound to", [
    I32EnumAttrCase<"Operand", 0, "operand">,
    I32EnumAttrCase<"Capture", 1, "capture">,
    I32EnumAttrCase<"Temporary", 2, "temporary">
  ]> {
  let cppNamespace = "::fovea::attn";
}

def Attn_SourceAttr : Attn_Attr<"Source", "source"> {
  let summary = "What an argument of a kernel function is bound to at launch";
  let description = [{
    `operand`: operand number `index` of the host op, destinations included. `capture`: the `index`-th value that the
    op's regions capture and that is no constant, in the order of `getCaptures()`. `temporary`: buffer `index` of the chosen
    `#attn.variant`. Indices count from 0.

    ```mlir
    func.func @kernel(%q: memref<?x?x?x64xf16> {attn.source = #attn.source<operand = 0>})
    ```
  }];
  let parameters = (ins "::fovea::attn::SourceKind":$kind, "int64_t":$index);
  let assemblyFormat = "`<` $kind `=` $index `>`";
  let genVerifyDecl = 1;
}

def Attn_TensorMapAttr : Attn_Attr<"TensorMap", "tensor_map"> {
  let summary = "A tensor map for TMA copies of boxes of a kernel argument, which the runtime encodes at launch";
  let description = [{
    Describes the memref of kernel argument `argument`, of 16-bit elements with contiguous rows. A box has `rows` positions of
    dimension `row_dim` and `cols` positions of the last dimension, and one position of every other one. In shared memory a
    row of a box is `cols` elements (128 bytes), whose 16-byte chunk c lies at position `c xor (row % 8)`; elements past a
    dimension's size read as zero and are not written. The list `attn.tensor_maps` of a kernel describes its last
    parameters in order. Numbers count from 0; a box has at least one position in each dimension.

    ```mlir
    attn.tensor_maps = [#attn.tensor_map<argument = 1, rows = 176, cols = 64, row_dim = 2>]
    ```
  }];
  let parameters = (ins "int64_t":$argument, "int64_t":$rows, "int64_t":$cols, "int64_t":$row_dim);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Attn_TemporaryAttr : Attn_Attr<"Temporary", "temporary"> {
  let summary = "A buffer that lives from the first to the last kernel of a variant: element type and dimensions";
  let description = [{
    The map has one result for each dimension, over the problem symbols as those of `#attn.launch`. The element type is an
    integer, a float or `index`.

    ```mlir
    #attn.temporary<f32, affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (4, B, Hq, Sq)>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$element_type, "::mlir::AffineMapAttr":$dims);
  let assemblyFormat = "`<` $element_type `,` $dims `>`";
  let genVerifyDecl = 1;
}

def Attn_VariantAttr : Attn_Attr<"Variant", "variant"> {
  let summary = "One way to run an op: a condition on the problem symbols, kernels in order, temporaries";
  let description = [{
    A runtime takes the first variant whose `when`, a set over the problem symbols, holds; the last one of a plan has no
    condition. `kernels` are symbols of kernel functions, `temporaries` a list of `#attn.temporary`.

    ```mlir
    #attn.variant<name = "tiled", kernels = [@f_attn0_tiled]>
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    OptionalParameter<"::mlir::IntegerSetAttr">:$when,
    "::mlir::ArrayAttr":$kernels,
    OptionalParameter<"::mlir::ArrayAttr">:$temporaries);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Attn_TargetAttr : Attn_Attr<"Target", "target"> {
  let summary = "What code is generated for: a registered backend, its architecture and its options";
  let description = [{
    `#attn.target<"cpu", arch = "znver3">`, `#attn.target<"nvptx", arch = "sm_80">`. The backend is looked up among the
    targets that are registered with the dialect (`fovea/Target/Target.h`).
  }];
  let parameters = (ins
    StringRefParameter<"backend">:$backend,
    StringRefParameter<"architecture">:$arch,
    OptionalParameter<"::mlir::DictionaryAttr">:$options);
  let assemblyFormat = "`<` $backend `,` `arch` `=` $arch (`,` $options^)? `>`";
}

#endif // FOVEA_DIALECT_ATTN_IR_ATTNATTRS_TD
