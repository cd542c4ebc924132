// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<2x4x128x40xf32, strided<[?, ?, ?, ?], offset: ?>>
!k = memref<2x4x64x40xf32, strided<[?, ?, ?, ?], offset: ?>>
!v = memref<2x4x64x16xf32, strided<[?, ?, ?, ?], offset: ?>>
!o = memref<2x4x128x16xbf16, strided<[?, ?, ?, ?], offset: ?>>

// Static lengths that blocks divide: one loop, no limits; the depth is padded to a multiple of 16. Memory without
// attn.launch is left alone.
// CHECK-LABEL: func.func @divides
// CHECK: attn_tile.load %arg0[%{{[^]]*}}] {alignment = 4 : i64, row_dim = 2 : i64} : {{.*}} -> tensor<64x48xf32>
// CHECK: scf.for
// CHECK: attn_tile.load %arg1[%{{[^]]*}}] {alignment = 4 : i64, row_dim = 2 : i64} : {{.*}} -> tensor<32x48xf32>
// CHECK: attn_tile.load %arg2[%{{[^]]*}}] {alignment = 4 : i64, row_dim = 2 : i64} : {{.*}} -> tensor<32x16xf32>
// CHECK-NOT: scf.for
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq
// CHECK: %[[NORM:.*]] = arith.mulf
// CHECK: %[[E:.*]] = attn_tile.broadcast %[[EMPTY]]
// CHECK: %[[SAFE:.*]] = arith.select %[[E]], %{{.*}}, %[[NORM]]
// CHECK: %[[OUT:.*]] = arith.truncf %[[SAFE]] : tensor<64x16xf32> to tensor<64x16xbf16>
// CHECK: attn_tile.store %[[OUT]], %arg3[%{{[^]]*}}] {alignment = 2
func.func @divides(%q: !q, %k: !k, %v: !v, %o: !o)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !k, !v) outs(%o : !o)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// CHECK-LABEL: func.func @host
// CHECK: attn.attention
func.func @host(%q: !q, %k: !k, %v: !v, %o: !o) {
  attn.attention ins(%q, %k, %v : !q, !k, !v) outs(%o : !o)
  return
}
