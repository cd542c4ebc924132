// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile),canonicalize,cse)' | FileCheck %s

// Where O has a longer significand than V no rounding of O hides that of the weights: a row takes every larger maximum, so
// that its largest weight is 1. What is summed up is rescaled where a row has one.

!h = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
!w = memref<?x8x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>
!f = memref<?x8x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// CHECK-LABEL: func.func @lazy
// CHECK: scf.for
// CHECK: %[[TOP:.*]] = attn_tile.row_reduce max %{{.*}}, %[[M:.*]] : tensor<64x32xf32> -> tensor<64xf32>
// CHECK: %[[GROWS:.*]] = arith.cmpf ogt, %[[TOP]], %[[M]]
// CHECK: %[[NEW:.*]] = arith.select %[[GROWS]], %[[TOP]], %[[M]]
// CHECK: attn_tile.any %[[GROWS]]
func.func @lazy(%q: !h, %k: !h, %v: !h, %o: !w) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !h, !h, !h) outs(%o : !w)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, round_p = true, overlap = true, rescale = lazy>}
  return
}

// Nothing is guessed, whatever the strategy says.
// CHECK-LABEL: func.func @optimistic
// CHECK-NOT: attn_tile.recompute
// CHECK: scf.for
// CHECK: %[[TOP:.*]] = attn_tile.row_reduce max
// CHECK: arith.cmpf ogt, %[[TOP]],
// CHECK-NOT: attn_tile.recompute
// CHECK: return
func.func @optimistic(%q: !h, %k: !h, %v: !h, %o: !f) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !h, !h, !h) outs(%o : !f)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, round_p = true, overlap = true, rescale = optimistic>}
  return
}

// Of 16 bits each the maximum lags by up to 2^8.
// CHECK-LABEL: func.func @narrow
// CHECK: scf.for
// CHECK: %[[TOP:.*]] = attn_tile.row_reduce max %{{.*}}, %[[M:.*]] : tensor<64x32xf32> -> tensor<64xf32>
// CHECK: %[[LIMIT:.*]] = arith.addf %[[M]]
// CHECK: arith.cmpf ogt, %[[TOP]], %[[LIMIT]]
func.func @narrow(%q: !f, %k: !f, %v: !f, %o: !h) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !f, !f, !f) outs(%o : !h)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, round_p = true, overlap = true, rescale = lazy>}
  return
}
