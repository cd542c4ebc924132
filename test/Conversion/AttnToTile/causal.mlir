// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
!lse = memref<?x8x?xf32, strided<[?, ?, ?], offset: ?>>

// Two loops: whole blocks without a mask, then the blocks on the diagonal.
// CHECK-LABEL: func.func @causal
// CHECK: attn_tile.program_id
// CHECK: %[[Q:.*]] = attn_tile.load %arg0[%[[B:.*]], %[[H:.*]], %[[I:.*]], %{{.*}}] rows(%{{.*}}) {alignment = 16 : i64, row_dim = 2 : i64}
// CHECK: %[[FULL:.*]]:3 = scf.for %[[J:.*]] = %c0{{.*}} to %[[FULL_END:.*]] step %c32
// CHECK-NEXT: %[[K:.*]] = attn_tile.load %arg1[%[[B]], %[[HK:.*]], %[[J]], %{{.*}}] {alignment
// CHECK-NOT: arith.cmpi
// CHECK: %[[S:.*]] = attn_tile.dot %[[Q]], %[[K]], %{{.*}} {transpose_rhs}
// CHECK: attn_tile.row_reduce max %[[S]]
// CHECK: %[[D:.*]] = arith.subf %[[S]]
// CHECK: %[[X:.*]] = arith.mulf %[[D]]
// CHECK: %[[P:.*]] = math.exp2 %[[X]] : tensor<64x32xf32>
// CHECK: attn_tile.row_reduce sum %[[P]]
// CHECK: %[[V:.*]] = attn_tile.load %arg2[%[[B]], %[[HK]], %[[J]], %{{.*}}] {alignment
// CHECK: %[[PT:.*]] = arith.truncf %[[P]] : tensor<64x32xf32> to tensor<64x32xbf16>
// CHECK: attn_tile.dot %[[PT]], %[[V]]
// CHECK: scf.for %{{.*}} = %[[FULL_END]] to %{{.*}} step %c32{{.*}} iter_args(%{{.*}} = %[[FULL]]#0,
// CHECK: attn_tile.load %arg1[{{.*}}] rows(%[[SKV:.*]]) {
// CHECK: %[[S2:.*]] = attn_tile.dot
// CHECK: %[[COL:.*]] = attn_tile.iota {dim = 1 : i64} : tensor<64x32xi32>
// CHECK: %[[BOUND:.*]] = attn_tile.broadcast %{{.*}} : tensor<64xi32> -> tensor<64x32xi32>
// CHECK: %[[KEEP:.*]] = arith.cmpi slt, %[[COL]], %[[BOUND]]
// CHECK: arith.select %[[KEEP]], %[[S2]]
// CHECK: attn_tile.load %arg2[{{.*}}] rows(%[[SKV]])
// CHECK: attn_tile.store %{{.*}}, %arg4
// CHECK: attn_tile.store %{{.*}}, %arg3
func.func @causal(%q: !q, %k: !kv, %v: !kv, %o: !q, %lse: !lse)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) causal(bottom_right) outs(%o, %lse : !q, !lse)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, vector_bytes = 16, round_p = true>}
  return
}
