// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!slopes = memref<8xf32, strided<[?], offset: ?>>

// What depends on the head alone is computed once a row, math functions become vectors. A score that is linear in the
// product and in the key's position is two roundings a pair: the number of the column times a factor of the row, and the
// product times the scale, each added in one step.
// CHECK-LABEL: func.func @alibi
// CHECK: %[[I:.*]] = arith.sitofp %{{.*}} : tensor<64xi32> to tensor<64xf32>
// CHECK: scf.for
// CHECK: %[[S:.*]] = attn_tile.dot
// CHECK: %[[SLOPE:.*]] = memref.load %arg4[%[[H:.*]]]
// CHECK: %[[V:.*]] = attn_tile.splat %[[SLOPE]] : f32 -> tensor<64xf32>
// CHECK: math.exp2 %[[V]] fastmath<afn> : tensor<64xf32>
// CHECK: arith.addf %[[I]], %{{.*}} : tensor<64xf32>
// CHECK: %[[ROW:.*]] = attn_tile.broadcast
// CHECK: %[[J:.*]] = arith.sitofp %{{.*}} : tensor<64x32xi32> to tensor<64x32xf32>
// CHECK: %[[FACTOR:.*]] = attn_tile.broadcast
// CHECK: %[[X:.*]] = math.fma %[[J]], %[[FACTOR]], %[[ROW]]
// CHECK: %[[R:.*]] = math.fma %[[S]], %{{.*}}, %[[X]]
// CHECK: attn_tile.row_reduce max %[[R]]
func.func @alibi(%q: !q, %k: !kv, %v: !kv, %o: !q, %slopes: !slopes)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv)
    score_mod(%s, %b, %h, %i, %j) {
      %slope = memref.load %slopes[%h] : !slopes
      %e = math.exp2 %slope : f32
      %d = arith.subi %i, %j : index
      %d32 = arith.index_cast %d : index to i32
      %f = arith.sitofp %d32 : i32 to f32
      %x = arith.mulf %e, %f : f32
      %r = arith.subf %s, %x : f32
      attn.yield %r : f32
    } outs(%o : !q)
    {allow_approx, strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
