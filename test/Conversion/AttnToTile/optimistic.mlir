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

// With row sums by the product V has columns of ones behind it, and no weight is added up. Weights are lowered by 2^7, large rows
// get infinite ones, and a weight of 2 or more is seen by a bit of its word. The accumulator's columns from 64 on are the sums.
// CHECK-LABEL: func.func @sums_by_product
// CHECK-DAG: %[[BIT:.*]] = arith.constant dense<1073741824> : tensor<64x8xi32>
// CHECK-DAG: %[[NONE:.*]] = arith.constant dense<0> : tensor<64x8xi32>
// CHECK-DAG: %[[INF:.*]] = arith.constant dense<0x7F800000> : tensor<64xf32>
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant dense<7.000000e+00> : tensor<64xf32>
// CHECK-DAG: %[[EIGHTH:.*]] = arith.constant dense<1.250000e-01> : tensor<64xf32>
// The masked loop, then the full one.
// CHECK: scf.for
// CHECK-NOT: attn_tile.fold %
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<64xf32>, tensor<64x72xf32>, tensor<64x32xbf16>, tensor<64xf32>, i1)
// CHECK: %[[V:.*]] = attn_tile.load %arg2{{.*}}ones = 8 : i64{{.*}} -> tensor<32x72xbf16>
// CHECK: attn_tile.dot %[[P]], %[[V]], %{{.*}} -> tensor<64x72xf32>
// CHECK: %[[LOW:.*]] = arith.subf %{{.*}}, %[[SEVEN]]
// CHECK: %[[LARGE:.*]] = arith.cmpf oge
// CHECK: %[[SHIFT:.*]] = arith.select %[[LARGE]], %[[INF]], %[[LOW]]
// CHECK: %[[B:.*]] = attn_tile.broadcast %[[SHIFT]]
// CHECK: %[[X:.*]] = math.fma %{{.*}}, %{{.*}}, %[[B]]
// CHECK: %[[W:.*]] = math.exp2 %[[X]]
// CHECK: %[[WORDS:.*]] = arith.bitcast %[[W]] : tensor<64x32xf32> to tensor<64x32xi32>
// CHECK: %[[BITS:.*]] = attn_tile.fold_bits %[[WORDS]]
// CHECK: %[[MASKED:.*]] = arith.andi %[[BITS]], %[[BIT]]
// CHECK: %[[WRONG:.*]] = arith.cmpi ne, %[[MASKED]], %[[NONE]]
// CHECK: %[[AGAIN:.*]] = attn_tile.any %[[WRONG]] {uniform}
// CHECK: %[[R:.*]]:3 = scf.if %[[AGAIN]]
// CHECK: %[[TOP:.*]] = attn_tile.row_reduce max
// CHECK: %[[MARKS:.*]] = arith.select %[[WRONG]]
// CHECK: %[[MARK:.*]] = attn_tile.row_reduce max %[[MARKS]]
// CHECK: %[[ROWS:.*]] = arith.cmpf ogt, %[[MARK]]
// CHECK: arith.select %[[ROWS]], %[[TOP]], %[[M]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[M]], %[[W]], %{{.*}}
// CHECK: %[[ALL:.*]] = attn_tile.dot {{.*}} -> tensor<64x72xf32>
// CHECK: %[[SUMS:.*]] = attn_tile.columns %[[ALL]] from 64 : tensor<64x72xf32> -> tensor<64x8xf32>
// CHECK: %[[SUM:.*]] = attn_tile.row_reduce sum %[[SUMS]]
// CHECK: arith.mulf %[[SUM]], %[[EIGHTH]]
// CHECK: attn_tile.columns %[[ALL]] from 0 : tensor<64x72xf32> -> tensor<64x64xf32>
func.func @sums_by_product(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) causal(top_left) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, vector_bytes = 16, round_p = true, unit = warpgroup, overlap = true, rescale = optimistic, row_sums = product>}
  return
}
