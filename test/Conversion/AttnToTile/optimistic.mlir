// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile),canonicalize,cse)' | FileCheck %s
// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile),canonicalize,cse,canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=TWICE

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// The weights of a block are relative to the maximum from before it. Where a sum of a few is above 2^8, a row had no key
// yet, or |m * c| is above 2^10, the block is multiplied again for the whole warpgroup, and the rows in question take
// another maximum. There rows with a large maximum subtract it from their scores, the others have the bits of the fast path.
// CHECK-LABEL: func.func @bf16
// CHECK-DAG: %[[BOUND:.*]] = arith.constant dense<2.560000e+02> : tensor<64x8xf32>
// CHECK-DAG: %[[LARGE:.*]] = arith.constant dense<5678.26{{.*}}> : tensor<64xf32>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<0.180336878> : tensor<64x32xf32>
// The masked loop takes the maximum of each block.
// CHECK: scf.for
// CHECK: attn_tile.row_reduce max
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> ({{.*}}, i1)
// CHECK: %[[K:.*]] = attn_tile.load %arg1
// CHECK: %[[S:.*]] = attn_tile.dot %[[Q:.*]], %[[K]], %{{.*}} {transpose_rhs}
// CHECK: attn_tile.dot
// CHECK-NOT: attn_tile.row_reduce
// CHECK: %[[X:.*]] = math.fma %[[S]], %[[C]], %[[SHIFT:.*]] :
// CHECK: %[[W:.*]] = math.exp2 %[[X]] : tensor<64x32xf32>
// CHECK: %[[SUMS:.*]] = attn_tile.fold %[[W]]
// CHECK: %[[ABS:.*]] = math.absf %[[M]]
// CHECK: %[[ISLARGE:.*]] = arith.cmpf oge, %[[ABS]], %[[LARGE]]
// CHECK: %[[E:.*]] = attn_tile.broadcast %[[ISLARGE]]
// CHECK: %[[OVER:.*]] = arith.cmpf ogt, %[[SUMS]], %[[BOUND]]
// CHECK: %[[WRONG:.*]] = arith.ori %[[OVER]], %[[E]]
// CHECK: %[[AGAIN:.*]] = attn_tile.any %[[WRONG]] {uniform}
// CHECK: %[[R:.*]]:5 = scf.if %[[AGAIN]]
// CHECK: %[[ZERO:.*]] = attn_tile.recompute %{{.*}} : tensor<64x32xf32>
// CHECK: %[[S2:.*]] = attn_tile.dot %[[Q]], %[[K]], %[[ZERO]] {transpose_rhs}
// CHECK: %[[TOP:.*]] = attn_tile.row_reduce max %[[S2]], %[[M]]
// CHECK: %[[LARGEST:.*]] = attn_tile.row_reduce max %[[SUMS]]
// CHECK: %[[ISWRONG:.*]] = arith.ori
// CHECK: %[[NM:.*]] = arith.select %[[ISWRONG]], %[[TOP]], %[[M]]
// CHECK: arith.subf %[[S2]]
// CHECK: math.fma
// CHECK: scf.yield %[[NM]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[M]], %[[L]], %[[SUMS]], %[[W]], %{{.*}}
// CHECK: scf.yield %[[R]]#0, %{{.*}}, %{{.*}}, %{{.*}}, %[[R]]#4, %[[AGAIN]]

// The slow path's product is not merged with the first one, or its scores would be kept all the time.
// TWICE-LABEL: func.func @bf16
// TWICE-COUNT-2: scf.for
// TWICE: attn_tile.dot {{.*}} {transpose_rhs}
// TWICE: attn_tile.any
// TWICE-NEXT: scf.if
// TWICE: attn_tile.dot {{.*}} {transpose_rhs}
func.func @bf16(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, vector_bytes = 16, round_p = true, overlap = true, rescale = optimistic>}
  return
}
