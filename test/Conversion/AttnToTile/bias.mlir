// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!bias = memref<?x1x?x?xf16, strided<[?, ?, ?, 1], offset: ?>>
!rows = memref<1x1x?x1xf32>
!mask = memref<1x1x1x?xi1>

// A dimension of size 1 has stride 0, known or not. Positions are those of the whole.
// CHECK-LABEL: func.func @bias
// CHECK: %[[D0:.*]] = memref.dim %arg3, %c0
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[D0]], %c1
// CHECK: arith.select %[[ONE]], %c0
// CHECK: scf.for %[[J:.*]] = %c0
// CHECK: %[[S:.*]] = attn_tile.dot
// CHECK: %[[POS:.*]] = arith.addi %arg8, %[[J]]
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %arg3 to offset: [%{{.*}}], sizes: [64, 32], strides: [%{{.*}}, %{{.*}}]
// CHECK: %[[T:.*]] = attn_tile.load %[[VIEW]][%c0, %c0] rows(%{{.*}}) {alignment = 2 : i64, row_dim = 0 : i64}
// CHECK: %[[F:.*]] = arith.extf %[[T]]
// CHECK: math.fma %[[S]], %{{.*}}, %[[F]]
// CHECK: scf.for
// CHECK: attn_tile.load %{{.*}}[%c0, %c0] rows(%{{.*}}) cols(%{{.*}}) {alignment = 2
func.func @bias(%q: !q, %k: !kv, %v: !kv, %bias: !bias, %o: !q, %b0: index, %h0: index, %i0: index, %j0: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) bias(%bias : !bias) base(%b0, %h0, %i0, %j0) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// One value per row is loaded once; a mask operand makes one loop of masked blocks.
// CHECK-LABEL: func.func @rows_and_mask
// CHECK: memref.reinterpret_cast %arg3 to {{.*}} sizes: [64],
// CHECK: scf.for
// CHECK: %[[R:.*]] = attn_tile.load {{.*}} -> tensor<64xf32>
// CHECK: attn_tile.broadcast %[[R]] : tensor<64xf32> -> tensor<64x32xf32>
// CHECK: %[[KEEP:.*]] = arith.cmpi slt
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %arg4 to {{.*}} strides: [0,
// CHECK: %[[M:.*]] = attn_tile.load %[[VIEW]][%c0, %c0] cols(%{{.*}}) {row_dim = 0 : i64, shift = 0 : i64}
// CHECK: arith.andi %[[KEEP]], %[[M]]
// CHECK-NOT: scf.for
func.func @rows_and_mask(%q: !q, %k: !kv, %v: !kv, %bias: !rows, %mask: !mask, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) bias(%bias : !rows) mask(%mask : !mask) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
