// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!o = memref<?x8x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
!lse = memref<?x8x?xf32, strided<[?, ?, ?], offset: ?>>
!parts = memref<?x?x8x?x64xf32, strided<[?, ?, ?, ?, ?], offset: ?>>
!part_lses = memref<?x?x8x?xf32, strided<[?, ?, ?, ?], offset: ?>>
!sink = memref<8xf32, strided<[?], offset: ?>>

// CHECK-LABEL: func.func @combine
// CHECK: %[[R:.*]]:3 = scf.for %[[PART:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[M:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-NEXT: %[[L:.*]] = attn_tile.load %arg1[%[[PART]], %[[B:.*]], %[[H:.*]], %[[I:.*]]] rows(%{{.*}}) {alignment = 4 : i64, row_dim = 3 : i64}
// CHECK-NEXT: %[[O:.*]] = attn_tile.load %arg0[%[[PART]], %[[B]], %[[H]], %[[I]], %c0]
// CHECK-NEXT: arith.maxnumf %[[M]], %[[L]]
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[L]]
// CHECK: attn_tile.broadcast %[[EMPTY]]
// CHECK: %[[SINK:.*]] = memref.load %arg2[%[[H]]]
// CHECK: %[[SINKS:.*]] = attn_tile.splat %[[SINK]]
// CHECK: arith.maxnumf %[[R]]#0, %[[SINKS]]
// CHECK: attn_tile.store %{{.*}}, %arg4[%[[B]], %[[H]], %[[I]]]
// CHECK: attn_tile.store %{{.*}}, %arg3[%[[B]], %[[H]], %[[I]], %c0] {{.*}} : tensor<4x64xbf16>
func.func @combine(%o: !parts, %lse: !part_lses, %sink: !sink, %out: !o, %out_lse: !lse)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.combine ins(%o, %lse : !parts, !part_lses) sink(%sink : !sink) outs(%out, %out_lse : !o, !lse)
    {attn.strategy = #attn.strategy<block_m = 4, block_n = 64>}
  return
}
