// RUN: fovea-opt %s --attn-tile-assign-layouts --attn-tile-specialize-warps | FileCheck %s

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
!o = memref<?x8xf32, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>

// The exchange stays with the role that computes and takes the memory of the rings: here it needs more than Q's 8192 and K's
// 2048 bytes, 128 threads times 2 and 32 elements of 4 bytes, behind which the barriers lie. A cluster that merges shares no
// copies: each block's are whole.
// CHECK-LABEL: func.func @merge
// CHECK-SAME: block = 256, shared_bytes = 17440
// CHECK-SAME: attn.tensor_maps = [#attn.tensor_map<argument = 0, rows = 64, cols = 64, row_dim = 0>, #attn.tensor_map<argument = 1, rows = 16, cols = 64, row_dim = 0>]
// CHECK: rings = [tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 17408, empty = 17416>>, tensor<16x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 2048, slots = 1, parts = 1, full = 17424, empty = 17432>>]} copy {
// CHECK-NOT: attn_tile.exchange
// CHECK: } compute {
// CHECK: attn_tile.exchange
// CHECK: attn_tile.await_peers
func.func @merge(%q: !m, %k: !m, %o: !o) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 16, warps = 4, stages = 1, split_kv = true, unit = warpgroup, cluster = 8>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %rows = arith.constant dense<0.0> : tensor<64xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<16x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<16x64xbf16> -> tensor<64x16xf32>
  %sum = attn_tile.row_reduce sum %s, %rows : tensor<64x16xf32> -> tensor<64xf32>
  %sums = attn_tile.broadcast %sum : tensor<64xf32> -> tensor<64x64xf32>
  %0:16 = attn_tile.exchange %sum, %sums programs 8
    : (tensor<64xf32>, tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x8xf32>, tensor<64xf32>, tensor<64x8xf32>,
       tensor<64xf32>, tensor<64x8xf32>, tensor<64xf32>, tensor<64x8xf32>, tensor<64xf32>, tensor<64x8xf32>,
       tensor<64xf32>, tensor<64x8xf32>, tensor<64xf32>, tensor<64x8xf32>, tensor<64xf32>, tensor<64x8xf32>)
  attn_tile.store %0#1, %o[%c0, %c0] {row_dim = 0} : tensor<64x8xf32> -> !o
  attn_tile.await_peers
  return
}
