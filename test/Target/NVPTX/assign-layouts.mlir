// RUN: fovea-opt %s --attn-tile-assign-layouts --split-input-file | FileCheck %s

!m = memref<?x64xbf16, strided<[?, ?], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 128)>>

// CHECK: func.func @kernel
// CHECK-SAME: block = 128
// CHECK: attn_tile.load {{.*}} -> tensor<128x64xbf16, #attn_tile.mma_operand>
// CHECK: attn_tile.load {{.*}} -> tensor<32x64xbf16, #attn_tile.mma_operand>
// CHECK: dense<0.000000e+00> : tensor<128x32xf32, #attn_tile.mma_acc<warps = 4>>
// CHECK: attn_tile.dot {{.*}} -> tensor<128x32xf32, #attn_tile.mma_acc<warps = 4>>
// CHECK: attn_tile.row_reduce max {{.*}} -> tensor<128xf32, #attn_tile.mma_rows<warps = 4>>
func.func @kernel(%q: !m, %k: !m, %o: memref<?xf32, strided<[?], offset: ?>>) attributes {attn.launch = #launch} {
  %c0 = arith.constant 0 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<128x64xbf16>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %init = arith.constant dense<0xFF800000> : tensor<128xf32>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
  %r = attn_tile.row_reduce max %s, %init : tensor<128x32xf32> -> tensor<128xf32>
  attn_tile.store %r, %o[%c0] {row_dim = 0} : tensor<128xf32> -> memref<?xf32, strided<[?], offset: ?>>
  return
}

// -----

// Functions that are no kernels stay as they are.
// CHECK: func.func @plain
// CHECK: tensor<16x16xf32>{{$}}
func.func @plain() {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  return
}
