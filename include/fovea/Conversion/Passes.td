//===- Passes.td - Conversions between dialects ---------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_CONVERSION_PASSES_TD
#define FOVEA_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnToTilePass : Pass<"attn-to-tile", "::mlir::func::FuncOp"> {
  let summary = "Converts the attention or combine op of a kernel function to loops on tiles";
  let description = [{
    Works on functions with `attn.launch`, whose `attn.attention` is on memrefs and has a `strategy`. One task, decoded from
    `attn_tile.program_id`, computes one block of rows by the online softmax. The keys it needs are split into at most three
    loops: blocks at the left edge of a window, blocks that nothing cuts (no mask code), and blocks at the right edge (causal,
    window, length). Blocks that no row keeps are not visited.

    ```mlir
    attn.attention ins(%q, %k, %v : ...) outs(%o : ...) {strategy = #attn.strategy<block_m = 64, block_n = 64>, ...}
    ```
    becomes
    ```mlir
    %id = attn_tile.program_id : index
    ...
    %qt = attn_tile.load %q[%b, %h, %i, %c0] rows(%sq) {row_dim = 2 : i64} : ... -> tensor<64x64xbf16>
    %r:3 = scf.for %j = %begin to %fullEnd step %c64 iter_args(%m = %neg_inf, %l = %zero, %acc = %zeros) -> (...) {
      %kt = attn_tile.load %k[%b, %hk, %j, %c0] {row_dim = 2 : i64} : ... -> tensor<64x64xbf16>
      %s = attn_tile.dot %qt, %kt, %zeros {transpose_rhs} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %m1 = attn_tile.row_reduce max %s, %m : tensor<64x64xf32> -> tensor<64xf32>
      ...
      %acc2 = attn_tile.dot %p, %vt, %acc1 : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %m1, %l1, %acc2 : ...
    }
    ```
  }];
  let dependentDialects = [
    "::fovea::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def AttnRaise : Pass<"attn-raise"> {
  let summary = "Recognizes attention in structured operations on tensors";
  let description = [{
    Finds softmax(Q K^T) V among `linalg` ops by what they compute: each element is read as an expression of loops,
    through maps, bodies, reshapes and transpositions, so neither the names of ops nor how the work is spread over them
    matter. `docs/raising.md` lists what is found. What the source computes on the way vanishes, and the op is in
    canonical form. Nothing is raised where the meaning would change:

    * A fill by -inf is a mask. A finite fill stays part of the score, unless it is below -1e30 and each row certainly
      keeps a key.
    * A factor of the queries or keys moves to the scale only where that is no rounding of 16-bit numbers, a power of
      two for one, or with `move-scale`.
    * A softmax in f16 or bf16 is left alone without `allow-narrow-softmax`.
    * Scores or weights that have another use are left alone.

    Where a softmax between two products is not raised, one remark names the first rule that it breaks, at the op that
    breaks it. A remark also says where rows without a key become zero that were NaN in the source.

    Before:
    ```mlir
    %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : ...) outs(%zero : tensor<?x?x?xf32>)
    %u = linalg.generic ... ins(%s) { j <= i ? 0.125 * s : -inf }
    %p = linalg.softmax dimension(2) ins(%u : tensor<?x?x?xf32>) outs(...)
    %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(...)
    ```
    After:
    ```mlir
    %q4 = tensor.expand_shape %q [[0, 1], [2], [3]] ... : tensor<?x?x64xf16> into tensor<?x1x?x64xf16>
    ...
    %o4 = attn.attention ins(%q4, %k4, %v4 : ...) scale(0.125) causal(top_left) outs(%init : tensor<?x1x?x64xf32>)
    %o = tensor.collapse_shape %o4 [[0, 1], [2], [3]] : tensor<?x1x?x64xf32> into tensor<?x?x64xf32>
    ```
  }];
  let options = [
    Option<"allowNarrowSoftmax", "allow-narrow-softmax", "bool", /*default=*/"false",
           "Raise a softmax that is computed in f16 or bf16: it becomes one in f32">,
    Option<"moveScale", "move-scale", "bool", /*default=*/"false",
           "Move any factor of 16-bit queries or keys to the scale, without the rounding of their product">
  ];
  let dependentDialects = [
    "::fovea::attn::AttnDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // FOVEA_CONVERSION_PASSES_TD
