// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// Three loops that pass on the first and last block between them.
// CHECK-LABEL: func.func @window
// CHECK: %[[LEFT:.*]]:3 = scf.for %{{.*}} = %[[BEGIN:.*]] to %[[FULL:.*]] step
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi sge
// CHECK: %[[MID:.*]]:3 = scf.for %{{.*}} = %[[FULL]] to %[[FULL_END:.*]] step {{.*}} iter_args(%{{.*}} = %[[LEFT]]#0
// CHECK-NOT: arith.cmpi
// CHECK: scf.for %{{.*}} = %[[FULL_END]] to %{{.*}} step {{.*}} iter_args(%{{.*}} = %[[MID]]#0
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi sge
func.func @window(%q: !q, %k: !kv, %v: !kv, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) window(128, 3, top_left) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// No end on the right: the first block of queries has the most work and comes first.
// CHECK-LABEL: func.func @left_only
// CHECK: %[[ID:.*]] = attn_tile.program_id
// CHECK: %[[BLOCK:.*]] = arith.remui %[[ID]]
// CHECK: arith.muli %[[BLOCK]], %c64
func.func @left_only(%q: !q, %k: !kv, %v: !kv, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) window(128, *, top_left) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
