// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile),canonicalize,cse)' --split-input-file | FileCheck %s

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// A program takes every num_programs-th task. Tasks are decoded in 32 bits.
// CHECK-LABEL: func.func @persistent
// CHECK: %[[ID:.*]] = attn_tile.program_id : index
// CHECK: %[[N:.*]] = attn_tile.num_programs : index
// CHECK: %[[BH:.*]] = arith.muli %{{.*}}, %c8
// CHECK: %[[TASKS:.*]] = arith.muli %[[BH]], %{{.*}}
// CHECK: scf.for %[[T:.*]] = %[[ID]] to %[[TASKS]] step %[[N]] {
// CHECK-NEXT: arith.index_castui %[[T]] : index to i32
// CHECK-NEXT: arith.divui %{{.*}} : i32
// CHECK: attn_tile.load %arg0
// CHECK: attn_tile.store
func.func @persistent(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, persistent = true>}
  return
}

// -----

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// A causal item is a pair: the last block, then its mirror image at the beginning, unless both are the middle one.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[BLOCKS:.*]] = arith.divui %{{.*}}, %c64
// CHECK: %[[MORE:.*]] = arith.addi %[[BLOCKS]], %c1
// CHECK: %[[PAIRS:.*]] = arith.divui %[[MORE]], %c2
// CHECK: %[[LAST:.*]] = arith.subi %[[BLOCKS]], %c1
// CHECK: scf.for
// CHECK: scf.for %[[HALF:.*]] = %c0 to %c2 step %c1
// CHECK: %[[BLOCK:.*]] = arith.index_castui %{{.*}} : i32 to index
// CHECK: %[[MIRROR:.*]] = arith.subi %[[LAST]], %[[BLOCK]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[HALF]], %c1
// CHECK: %[[MIDDLE:.*]] = arith.cmpi eq, %[[BLOCK]], %[[MIRROR]]
// CHECK: %[[REPEATED:.*]] = arith.andi %[[FIRST]], %[[MIDDLE]]
// CHECK: %[[OWN:.*]] = arith.xori %[[REPEATED]], %true
// CHECK: %[[B:.*]] = arith.select %[[FIRST]], %[[BLOCK]], %[[MIRROR]]
// CHECK: arith.muli %[[B]], %c64
// CHECK: scf.if %[[OWN]] {
// CHECK: attn_tile.load %arg0
// CHECK: attn_tile.store
func.func @pairs(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) causal(top_left) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, persistent = true>}
  return
}

// -----

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
!s = memref<?x8x128x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// The programs of a cluster take neighbouring blocks of queries of one item.
// CHECK-LABEL: func.func @cluster
// CHECK: %[[ID:.*]] = attn_tile.program_id : index
// CHECK: %[[N:.*]] = attn_tile.num_programs : index
// CHECK: %[[MEMBER:.*]] = arith.remui %[[ID]], %c2
// CHECK: %[[C:.*]] = arith.divui %[[ID]], %c2
// CHECK: %[[CLUSTERS:.*]] = arith.divui %[[N]], %c2
// CHECK: scf.for %{{.*}} = %[[C]] to %{{.*}} step %[[CLUSTERS]]
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c2
// CHECK: %[[BLOCK:.*]] = arith.addi %[[FIRST]], %[[MEMBER]]
// CHECK: %[[I:.*]] = arith.muli %[[BLOCK]], %c64
// CHECK: attn_tile.load %arg0[%{{.*}}, %{{.*}}, %[[I]], %c0] rows(%{{.*}})
func.func @cluster(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, unit = warpgroup, persistent = true, cluster = 2>}
  return
}

// A member may have no block, so that rows have a limit even where blocks divide the queries.
// CHECK-LABEL: func.func @exact_cluster
// CHECK: attn_tile.load %arg0[%{{.*}}] rows(%c128)
func.func @exact_cluster(%q: !s, %k: !s, %v: !s, %o: !s) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !s, !s, !s) outs(%o : !s)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, unit = warpgroup, persistent = true, cluster = 2>}
  return
}
