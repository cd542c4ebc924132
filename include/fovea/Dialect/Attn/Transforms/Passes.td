//===- Passes.td - Passes of the attn dialect ---------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD
#define FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnPlan : Pass<"attn-plan", "::mlir::ModuleOp"> {
  let summary = "Plans attention ops for a target and outlines their kernels";
  let description = [{
    Asks the target for the variants of each `attn.attention` op outside kernels (`Target::plan`), outlines one kernel
    function per variant (two with `split_kv`: the parts, then `attn.combine`) and records the plan on the op. An op
    that has a plan keeps it. The target takes `tuning` as an option of `#attn.target`.

    Before:
    ```mlir
    func.func @f(%q: tensor<2x8x?x64xbf16>, ...) -> tensor<2x8x?x64xbf16> {
      ...
      %o = attn.attention ins(%q, %k, %v : ...) causal(bottom_right) outs(%init : ...)
      return %o : tensor<2x8x?x64xbf16>
    }
    ```
    After:
    ```mlir
    func.func @f(...) -> tensor<2x8x?x64xbf16> {
      %o = attn.attention ins(%q, %k, %v : ...) causal(bottom_right) outs(%init : ...)
             {attn.plan = [#attn.variant<name = "tiled", kernels = [@f_attn0_tiled]>]}
    }
    func.func private @f_attn0_tiled(%q: memref<2x8x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
                                       {attn.source = #attn.source<operand = 0>}, ...)
        attributes {attn.launch = #attn.launch<grid = ...>} {
      attn.attention ins(%q, ...) causal(bottom_right) outs(%o : ...) {strategy = #attn.strategy<...>}
      return
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"", "Target to plan for: `cpu`, a CPU name or a chip (`sm_80`)">,
    Option<"strategy", "strategy", "std::string", /*default=*/"",
           "An `#attn.strategy` for all ops: their plan is a variant of it and the last one of the target's plan">,
    Option<"tuning", "tuning", "std::string", /*default=*/"", "File of tuned strategies in place of the target's own">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def AttnVerifyStrategies : Pass<"attn-verify-strategies", "::mlir::ModuleOp"> {
  let summary = "Checks that a target runs the kernels by their strategies";
  let description = [{
    Asks the target about the strategy of each op in a kernel function (`Target::verifyStrategy`), whether it is one for
    such an op, and compares the grid of `attn.launch` with what the strategy needs, so that a strategy that was written
    by hand is refused where it stands. The IR is the same before and after.

    ```mlir
    func.func @k(...) attributes {attn.launch = #attn.launch<grid = ... (B * Hq * (Sq ceildiv 64))>} {
      // error: a strategy with 4 warps needs a block_m that is a multiple of 64, but this one has 96
      attn.attention ins(...) outs(...) {strategy = #attn.strategy<block_m = 96, block_n = 64, warps = 4>}
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"", "Target of the kernels, as `attn-plan` takes it">
  ];
}

def AttnDecompose : Pass<"attn-decompose"> {
  let summary = "Replaces attention by plain linalg, arith and math";
  let description = [{
    Writes the function of `attn.attention` and `attn.combine` as structured ops of upstream dialects, literally: scores,
    softmax and products over whole matrices, with all masks, lengths, sinks and regions. Tensors stay tensors (what
    follows may bufferize them), memrefs stay memrefs. It is the reference that tests compare with, and the way by which
    a target without a kernel compiles: `one-shot-bufferize` and `convert-linalg-to-loops` lower what it makes.

    The arithmetic is f32, or f64 with `compute-type=f64`; f32 values of score and mask regions follow it, and results
    are rounded to the op's types at the end. Keys and values that several query heads share are repeated first, so every
    operand is read through a projection of the loops. Memory is two matrices of scores for the whole problem.

    Before:
    ```mlir
    %o = attn.attention ins(%q, %k, %v : tensor<2x8x?x64xf32>, tensor<2x2x?x64xf32>, tensor<2x2x?x64xf32>)
           causal(top_left) outs(%init : tensor<2x8x?x64xf32>)
    ```
    After:
    ```mlir
    %kr = linalg.generic ... outs(%empty : tensor<2x8x?x64xf32>) { tensor.extract %k[b, h / 4, j, d] }
    %vr = linalg.generic ... { tensor.extract %v[b, h / 4, j, d] }
    %s = linalg.generic ... ins(%q, %kr) outs(%zeros : tensor<2x8x?x?xf32>) { arith.mulf, arith.addf }
    %u = linalg.generic ... outs(%s) { j <= i ? scale * s : -inf }
    %m = linalg.generic ... ins(%u) { arith.maximumf }
    %p = linalg.generic ... ins(%u, %m) { math.exp }
    %l = linalg.generic ... ins(%p) { arith.addf }
    %a = linalg.generic ... ins(%p, %u, %vr) { u == -inf ? acc : acc + p * v }
    %o = linalg.generic ... ins(%a, %m, %l) outs(%init) { m == -inf ? 0 : a / l }
    ```
  }];
  let options = [
    Option<"computeType", "compute-type", "std::string", /*default=*/"\"f32\"", "Type of the arithmetic: `f32` or `f64`">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def AttnKeepTruncations : Pass<"attn-keep-truncations"> {
  let summary = "Writes conversions of indices to narrow integers so that canonicalization keeps them";
  let description = [{
    The canonicalizer of MLIR 22 replaces a conversion of an index to an integer and back by the index, also where the
    integer is too narrow for it: the truncation is lost. A conversion to less than 64 bits that is converted back, as
    it is or behind operations on that type, becomes one to 64 bits and `arith.trunci`, which mean the same and stay.
    Fovea's pipelines begin with this pass; a pipeline that runs `canonicalize` before them needs it in front of that.

    Before:
    ```mlir
    %low = arith.index_cast %j : index to i8
    %jj = arith.index_cast %low : i8 to index
    ```
    After:
    ```mlir
    %whole = arith.index_cast %j : index to i64
    %low = arith.trunci %whole : i64 to i8
    %jj = arith.index_cast %low : i8 to index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD
