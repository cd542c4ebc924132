// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!parts = memref<?x?x8x?x64xf32, strided<[?, ?, ?, ?, ?], offset: ?>>
!part_lses = memref<?x?x8x?xf32, strided<[?, ?, ?, ?], offset: ?>>

// Parts are the fastest dimension of the grid. A temporary is contiguous.
// CHECK-LABEL: func.func @split
// CHECK: %[[ID:.*]] = attn_tile.program_id
// CHECK: %[[PARTS:.*]] = memref.dim %arg3, %c0
// CHECK: %[[PART:.*]] = arith.remui %[[ID]], %[[PARTS]]
// CHECK: %[[BEGIN:.*]] = arith.muli %[[PART]], %[[SIZE:.*]] : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEGIN]], %[[SIZE]]
// CHECK: %[[END:.*]] = arith.minsi {{.*}}%[[NEXT]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to
// CHECK: attn_tile.store %{{.*}}, %arg4[%[[PART]], %{{.*}}, %{{.*}}, %{{.*}}] rows(%{{.*}}) {alignment = 4 : i64, row_dim = 3 : i64}
// CHECK: attn_tile.store %{{.*}}, %arg3[%[[PART]], %{{.*}}, %{{.*}}, %{{.*}}, %c0] rows(%{{.*}}) {alignment = 128 : i64, row_dim = 3 : i64}
func.func @split(%q: !q, %k: !kv, %v: !kv, %o: !parts {attn.source = #attn.source<temporary = 0>}, %lse: !part_lses)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) outs(%o, %lse : !parts, !part_lses)
    {strategy = #attn.strategy<block_m = 16, block_n = 32, split_kv = true>}
  return
}
