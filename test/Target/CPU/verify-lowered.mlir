// What attn-cpu-to-llvm has no lowering for is named with the pass that comes before, one error for each function.
// RUN: fovea-opt %s --split-input-file --verify-diagnostics --attn-cpu-to-llvm

#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>

func.func @tiles(%a: memref<16x16xf32>) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %id = attn_tile.program_id : index
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'attn_tile.load' op is at the tile level; attn-tile-to-cpu comes before attn-cpu-to-llvm}}
  %0 = attn_tile.load %a[%c0, %c0] {row_dim = 0} : memref<16x16xf32> -> tensor<16x16xf32>
  attn_tile.store %0, %a[%c0, %c0] {row_dim = 0} : tensor<16x16xf32> -> memref<16x16xf32>
  return
}

func.func @in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{'attn_tile.iota' op is at the tile level; attn-tile-to-cpu comes before attn-cpu-to-llvm}}
    %0 = attn_tile.iota {dim = 0} : tensor<8xi32>
  }
  return
}

// -----

#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 8))>

func.func @kernel(%q: memref<1x1x8x8xf32>, %o: memref<1x1x8x8xf32>) attributes {attn.launch = #attn.launch<grid = #grid>} {
  // expected-error @+1 {{'attn.attention' op is not lowered in a kernel; attn-to-tile and attn-tile-to-cpu come before attn-cpu-to-llvm}}
  attn.attention ins(%q, %q, %q : memref<1x1x8x8xf32>, memref<1x1x8x8xf32>, memref<1x1x8x8xf32>)
    outs(%o : memref<1x1x8x8xf32>) {strategy = #attn.strategy<block_m = 8, block_n = 8>}
  return
}
