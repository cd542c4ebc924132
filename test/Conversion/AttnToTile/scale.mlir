// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// log2e * scale above 1 and negative scales: natural units, the maximum is taken after the scale.
// CHECK-LABEL: func.func @negative
// CHECK: %[[S:.*]] = attn_tile.dot
// CHECK: %[[C:.*]] = arith.constant dense<-2.0{{.*}}> : tensor<64x32xf32>
// CHECK: %[[T:.*]] = arith.mulf %[[S]], %[[C]]
// CHECK: attn_tile.row_reduce max %[[T]]
func.func @negative(%q: !q, %k: !kv, %v: !kv, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) scale(-2.0) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// CHECK-LABEL: func.func @operand
// CHECK: %[[S:.*]] = attn_tile.dot
// CHECK: %[[C:.*]] = attn_tile.splat %arg3
// CHECK: %[[T:.*]] = arith.mulf %[[S]], %[[C]]
// CHECK: attn_tile.row_reduce max %[[T]]
func.func @operand(%q: !q, %k: !kv, %v: !kv, %scale: f32, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) scale(%scale) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// Raw units: the scale is part of the one factor of the difference to the maximum, so the largest weight is exactly 1.
// CHECK-LABEL: func.func @raw
// CHECK: scf.for
// CHECK: %[[S:.*]] = attn_tile.dot
// CHECK-NEXT: attn_tile.row_reduce max %[[S]]
// CHECK: %[[D:.*]] = arith.subf %[[S]], %{{.*}} : tensor<64x32xf32>
// CHECK: %[[C:.*]] = arith.constant dense<0.144269{{.*}}> : tensor<64x32xf32>
// CHECK: %[[X:.*]] = arith.mulf %[[D]], %[[C]]
// CHECK: math.exp2 %[[X]]
// CHECK-NOT: math.fma
func.func @raw(%q: !q, %k: !kv, %v: !kv, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) scale(0.1) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
