// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// log2e * scale above 1 and negative scales: natural units, the maximum is taken after the scale.
// CHECK-LABEL: func.func @negative
// CHECK: %[[S:.*]] = attn_tile.dot
// CHECK: %[[C:.*]] = arith.constant dense<-2.0{{.*}}> : tensor<64x32xf32>
// CHECK: %[[T:.*]] = arith.mulf %[[S]], %[[C]]
// CHECK: attn_tile.row_reduce max %[[T]]
// CHECK-NOT: math.fma
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

// In raw units rows whose exponent has no fraction bits left take a power of two, whose product is exact.
// CHECK-LABEL: func.func @raw
// CHECK-DAG: %[[C:.*]] = arith.constant dense<0.144269{{.*}}> : tensor<64xf32>
// CHECK-DAG: %[[C2:.*]] = arith.constant dense<1.250000e-01> : tensor<64xf32>
// CHECK: %[[ABS:.*]] = math.absf %[[M:.*]] : tensor<64xf32>
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[ABS]]
// CHECK: %[[F:.*]] = arith.select %[[SMALL]], %[[C]], %[[C2]]
// CHECK: %[[MC:.*]] = arith.mulf %[[M]], %[[F]]
// CHECK: arith.negf %[[MC]]
// CHECK: math.fma
func.func @raw(%q: !q, %k: !kv, %v: !kv, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) scale(0.1) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
