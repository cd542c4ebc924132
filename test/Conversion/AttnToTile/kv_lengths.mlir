// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// CHECK-LABEL: func.func @lengths
// CHECK: %[[SKV:.*]] = memref.dim %arg1
// CHECK: %[[N:.*]] = memref.load %arg3[%[[B:.*]]]
// CHECK: %[[I:.*]] = arith.index_cast %[[N]]
// CHECK: %[[POS:.*]] = arith.maxsi %[[I]], %c0
// CHECK: %[[LK:.*]] = arith.minsi %[[POS]], %[[SKV]]
// CHECK: scf.for
// CHECK: attn_tile.load %arg1[%[[B]], %{{[^]]*}}] {
// CHECK: scf.for {{.*}} to %[[LK]]
// CHECK: attn_tile.load %arg1[%[[B]], %{{[^]]*}}] rows(%[[LK]])
// CHECK: attn_tile.load %arg2[%[[B]], %{{[^]]*}}] rows(%[[LK]])
func.func @lengths(%q: !q, %k: !kv, %v: !kv, %n: memref<?xi64>, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) kv_lengths(%n : memref<?xi64>) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
