// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!sink = memref<8xf32, strided<[?], offset: ?>>

// Rows are the four heads of a group; all share one bound of the keys.
// CHECK-LABEL: func.func @packed
// CHECK: %[[FIRST:.*]] = arith.muli %[[HK:.*]], %c4
// CHECK: %[[LIMIT:.*]] = arith.addi %[[FIRST]], %c4
// CHECK: attn_tile.load %arg0[%[[B:.*]], %[[FIRST]], %[[I:.*]], %c0] rows(%[[LIMIT]]) {alignment = 4 : i64, row_dim = 1 : i64} : {{.*}} -> tensor<4x64xf32>
// CHECK: scf.for
// CHECK: attn_tile.load %arg1[%[[B]], %[[HK]],
// CHECK: scf.for
// CHECK: attn_tile.splat %{{.*}} : i32 -> tensor<4x32xi32>
// CHECK: attn_tile.load %arg3[%[[FIRST]]] rows(%[[LIMIT]]) {alignment = 4 : i64, row_dim = 0 : i64}
// CHECK: attn_tile.store %{{.*}}, %arg4[%[[B]], %[[FIRST]], %[[I]], %c0] rows(%[[LIMIT]]) {alignment = 4 : i64, row_dim = 1 : i64}
func.func @packed(%q: !q, %k: !kv, %v: !kv, %sink: !sink, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) causal(bottom_right) sink(%sink : !sink) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 4, block_n = 32, pack_heads = true>}
  return
}
