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
  let summary = "Convert the attention or combine op of a kernel function to loops on tiles";
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

#endif // FOVEA_CONVERSION_PASSES_TD
