// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile),canonicalize,cse)' --split-input-file | FileCheck %s

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// The first scores of a task are made before the loop over the tasks, and behind the last product of values of the task before.
// Q is loaded ahead for them. Where no task follows the program's own is begun once more.
// CHECK-LABEL: func.func @full
// CHECK: %[[ID:.*]] = attn_tile.program_id
// CHECK: %[[N:.*]] = attn_tile.num_programs
// A program without a task begins the last one.
// CHECK: %[[LASTTASK:.*]] = arith.subi %[[TASKS:.*]], %c1
// CHECK: %[[BEGIN:.*]] = arith.minsi %[[ID]], %[[LASTTASK]]
// CHECK: arith.index_castui %[[BEGIN]]
// One block at least, which the mask keeps no key of where there is none.
// CHECK: %[[KEYS:.*]] = memref.dim %arg1
// CHECK: arith.maxsi %[[KEYS]], %c1
// CHECK: %[[LAST:.*]] = arith.muli %{{.*}}, %c32
// CHECK: %[[K:.*]] = attn_tile.load %arg1[%{{.*}}, %{{.*}}, %[[LAST]], %c0]
// CHECK: %[[Q:.*]] = attn_tile.load %arg0[{{.*}}] rows(%{{.*}}) {ahead,
// CHECK: %[[S:.*]] = attn_tile.dot %[[Q]], %[[K]], %{{.*}} {transpose_rhs}
// CHECK: scf.for %[[T:[a-z0-9]+]] = %[[ID]] to %[[TASKS]] step %[[N]] iter_args(%[[FIRST:[a-z0-9]+]] = %[[S]]) -> (tensor<64x32xf32>) {
// CHECK: %[[FOLLOWING:.*]] = arith.addi %[[T]], %[[N]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[FOLLOWING]], %[[TASKS]]
// CHECK: %[[NEXT:.*]] = arith.select %[[EXISTS]], %[[FOLLOWING]], %[[T]]
// CHECK: arith.index_castui %[[NEXT]]
// CHECK: %[[OWN:.*]] = attn_tile.load %arg0
// CHECK-NOT: ahead
// CHECK-SAME: ->
// CHECK-NOT: attn_tile.dot
// CHECK: scf.if
// CHECK: scf.yield %[[FIRST]]
// CHECK: scf.for
// CHECK: attn_tile.dot %[[OWN]]
// CHECK: scf.for
// CHECK: attn_tile.dot %[[OWN]]
// CHECK: %[[V:.*]] = attn_tile.load %arg2[%{{.*}}, %{{.*}}, %c0, %c0]
// CHECK: %[[O:.*]] = attn_tile.dot %{{.*}}, %[[V]]
// CHECK: %[[K1:.*]] = attn_tile.load %arg1[%{{.*}}, %{{.*}}, %[[LAST]], %c0]
// CHECK: %[[Q1:.*]] = attn_tile.load %arg0[{{.*}}] rows(%{{.*}}) {ahead,
// CHECK: %[[S1:.*]] = attn_tile.dot %[[Q1]], %[[K1]], %{{.*}} {transpose_rhs}
// CHECK: arith.mulf %[[O]]
// CHECK: attn_tile.store
// CHECK: scf.yield %[[S1]] : tensor<64x32xf32>
func.func @full(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, round_p = true, unit = warpgroup, overlap = true, persistent = true, carry_scores = true>}
  return
}

// -----

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// The scores pass through both halves of an item, of which the middle one of an odd number has one. Behind an item's last half
// comes the first one of the next item.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[S:[a-z0-9]+]] = attn_tile.dot
// CHECK: scf.for %[[ITEM:[a-z0-9]+]] = %[[ID:[a-z0-9]+]] to %[[ITEMS:[a-z0-9]+]] step %[[N:[a-z0-9]+]] iter_args(%[[OUTER:[a-z0-9]+]] = %[[S]])
// CHECK: %[[MIDDLE:.*]] = arith.cmpi eq
// CHECK: %[[HALVES:.*]] = arith.select %[[MIDDLE]], %c1, %c2
// CHECK: %[[BEHIND:.*]] = arith.addi %[[ITEM]], %[[N]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[BEHIND]], %[[ITEMS]]
// CHECK: %[[OTHER:.*]] = arith.select %[[EXISTS]], %[[BEHIND]], %[[ITEM]]
// CHECK: %[[R:.*]] = scf.for %[[HALF:[a-z0-9]+]] = %c0 to %[[HALVES]] step %c1 iter_args(%[[FIRST:[a-z0-9]+]] = %[[OUTER]])
// CHECK: %[[FOLLOWING:.*]] = arith.addi %[[HALF]], %c1
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[FOLLOWING]], %[[HALVES]]
// CHECK: arith.select %[[INSIDE]], %[[ITEM]], %[[OTHER]]
// CHECK: arith.select %[[INSIDE]], %[[FOLLOWING]], %c0
// CHECK-NOT: attn_tile.dot
// CHECK: arith.select %{{.*}}, %[[FIRST]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[Q1:.*]] = attn_tile.load %arg0[{{.*}}] rows(%{{.*}}) {ahead,
// CHECK: %[[S1:.*]] = attn_tile.dot %[[Q1]], %{{.*}} {transpose_rhs}
// CHECK: attn_tile.store
// CHECK: scf.yield %[[S1]]
// CHECK: scf.yield %[[R]]
func.func @pairs(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) causal(top_left) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, round_p = true, unit = warpgroup, overlap = true, persistent = true, carry_scores = true>}
  return
}
