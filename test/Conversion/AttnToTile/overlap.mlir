// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile),canonicalize,cse)' --split-input-file | FileCheck %s

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// The last block first: its scores alone. Then a step multiplies the keys of its block, the values of the one before (its
// position plus block_n), and computes the weights of its own. Row sums stay spread over 8 columns until the end. The last
// values are multiplied behind the loops. Only the length can cut the first block, so it is looked whether it does.
// CHECK-LABEL: func.func @overlap
// CHECK: %[[HAS:.*]] = arith.cmpi sgt
// CHECK: scf.if %[[HAS]]
// CHECK: %[[Q:.*]] = attn_tile.load %arg0
// CHECK: %[[K0:.*]] = attn_tile.load %arg1
// CHECK: %[[S0:.*]] = attn_tile.dot %[[Q]], %[[K0]], %{{.*}} {transpose_rhs}
// CHECK: %[[CUT:.*]] = arith.cmpi sge
// CHECK: scf.if %[[CUT]]
// CHECK: arith.select
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[S0]]
// CHECK: %[[M0:.*]] = attn_tile.row_reduce max
// CHECK: %[[SUM0:.*]] = attn_tile.fold %{{.*}} : tensor<64x32xf32> -> tensor<64x8xf32>
// CHECK: %[[P0:.*]] = arith.truncf %{{.*}} : tensor<64x32xf32> to tensor<64x32xbf16>
// The masked loop, then the full blocks: from last to first.
// CHECK: scf.for
// CHECK: scf.yield {{.*}} : tensor<64xf32>, tensor<64x8xf32>,
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %c32
// CHECK: %[[R:.*]]:5 = scf.for %[[I:.*]] = %c0 to %[[END]] step %c32 iter_args(%[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}) -> (tensor<64xf32>, tensor<64x8xf32>, tensor<64x64xf32>, tensor<64x32xbf16>, tensor<64xf32>)
// CHECK: %[[J:.*]] = arith.subi %[[LAST]], %[[I]]
// CHECK: %[[K:.*]] = attn_tile.load %arg1[%{{.*}}, %{{.*}}, %[[J]], %c0]
// CHECK: %[[S:.*]] = attn_tile.dot %[[Q]], %[[K]], %{{.*}} {transpose_rhs}
// CHECK: %[[JV:.*]] = arith.addi %[[J]], %c32
// CHECK: %[[AB:.*]] = attn_tile.broadcast %[[A]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[ACC]], %[[AB]]
// CHECK: %[[V:.*]] = attn_tile.load %arg2[%{{.*}}, %{{.*}}, %[[JV]], %c0]
// CHECK: %[[O:.*]] = attn_tile.dot %[[P]], %[[V]], %[[SCALED]]
// CHECK-NOT: arith.select {{.*}}tensor<64x32xf32>
// CHECK: %[[NM:.*]] = attn_tile.row_reduce max %[[S]], %[[M]]
// CHECK: %[[E:.*]] = math.exp2 %{{.*}} : tensor<64x32xf32>
// CHECK: %[[NA:.*]] = math.exp2 %{{.*}} : tensor<64xf32>
// CHECK: %[[FOLD:.*]] = attn_tile.fold %[[E]]
// CHECK: %[[NL:.*]] = arith.addf %{{.*}}, %[[FOLD]] : tensor<64x8xf32>
// CHECK: %[[NP:.*]] = arith.truncf %[[E]]
// CHECK: scf.yield %[[NM]], %[[NL]], %[[O]], %[[NP]], %[[NA]]
// CHECK: %[[V0:.*]] = attn_tile.load %arg2[%{{.*}}, %{{.*}}, %c0, %c0]
// CHECK: attn_tile.dot %[[R]]#3, %[[V0]]
// CHECK: attn_tile.row_reduce sum %[[R]]#1, %{{.*}} : tensor<64x8xf32> -> tensor<64xf32>
// CHECK-NOT: attn_tile.dot
// O's own length limits the store.
// CHECK: %[[LO:.*]] = memref.dim %arg3
// CHECK: attn_tile.store %{{.*}}, %arg3[%{{.*}}] rows(%[[LO]])
func.func @overlap(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, vector_bytes = 16, round_p = true, overlap = true>}
  return
}

// -----

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// With kv_lengths V is loaded up to the sequence's own length, which is not where the memory ends.
// CHECK-LABEL: func.func @lengths
// CHECK: %[[LK:.*]] = memref.load %arg4
// CHECK: %[[N:.*]] = arith.index_cast %[[LK]]
// CHECK: scf.for
// CHECK: attn_tile.load %arg2[%{{.*}}] rows(%{{.*}})
func.func @lengths(%q: !q, %k: !q, %v: !q, %o: !q, %l: memref<?xi32>) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) kv_lengths(%l : memref<?xi32>) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, vector_bytes = 16, round_p = true, overlap = true>}
  return
}

// -----

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// A row keeps its maximum while the new one is at most 8 above it in units of log2, and the accumulator is rescaled in the
// next step where a row of the warp did not: the loop carries whether.
// CHECK-LABEL: func.func @lazy
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[NEEDED:.*]] = %{{.*}}) -> ({{.*}}, i1)
// CHECK: attn_tile.dot {{.*}} {transpose_rhs}
// CHECK: %[[SCALED:.*]] = scf.if %[[NEEDED]]
// CHECK: arith.mulf %[[ACC]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ACC]]
// CHECK: attn_tile.dot %[[P]], %{{.*}}, %[[SCALED]]
// CHECK: %[[TOP:.*]] = attn_tile.row_reduce max %{{.*}}, %[[M]]
// CHECK: %[[LIMIT:.*]] = arith.addf %[[M]], %{{.*}} : tensor<64xf32>
// CHECK: %[[GROWS:.*]] = arith.cmpf ogt, %[[TOP]], %[[LIMIT]]
// CHECK: arith.select %[[GROWS]], %[[TOP]], %[[M]]
// CHECK: %[[ANY:.*]] = attn_tile.any %[[GROWS]] : tensor<64xi1>
// CHECK: scf.yield {{.*}}, %[[ANY]]
func.func @lazy(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, vector_bytes = 16, round_p = true, overlap = true, rescale = lazy>}
  return
}

// A wide window has no block that both bounds cut: behind the right edge blocks have no lower bound, at the left edge no upper one
// but the length. There the weights are guessed, since rows have seen other keys before.
// CHECK-LABEL: func.func @window
// CHECK: scf.if
// CHECK: arith.cmpi slt, {{.*}} : tensor<64x32xi32>
// CHECK: arith.cmpi sge, {{.*}} : tensor<64x32xi32>
// CHECK: scf.for
// CHECK: arith.cmpi slt, {{.*}} : tensor<64x32xi32>
// CHECK-NOT: arith.cmpi sge, {{.*}} : tensor<64x32xi32>
// CHECK: scf.for
// CHECK-NOT: : tensor<64x32xi32>
// CHECK: scf.for
// CHECK: %[[LENGTH:.*]] = attn_tile.splat {{.*}} -> tensor<64x32xi32>
// CHECK: arith.cmpi slt, %{{.*}}, %[[LENGTH]]
// CHECK: arith.cmpi sge, {{.*}} : tensor<64x32xi32>
// CHECK: attn_tile.any %{{.*}} {uniform}
func.func @window(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) window(96, 0, top_left) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, vector_bytes = 16, round_p = true, overlap = true, rescale = optimistic>}
  return
}
