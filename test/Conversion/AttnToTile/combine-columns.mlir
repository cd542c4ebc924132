// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!o = memref<?x8x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
!parts = memref<?x?x8x?x64xf32, strided<[?, ?, ?, ?, ?], offset: ?>>
!part_lses = memref<?x?x8x?xf32, strided<[?, ?, ?, ?], offset: ?>>

// A task has 32 of 64 columns, and loads two parts before it merges them; of a part that does not exist it reads nothing.
// CHECK-LABEL: func.func @combine
// CHECK: %[[ID:.*]] = attn_tile.program_id
// CHECK: %[[BLOCK:.*]] = arith.remui %[[ID]], %c2
// CHECK: %[[COLUMN:.*]] = arith.muli %[[BLOCK]], %c32
// CHECK: %[[PARTS:.*]] = memref.dim %arg0, %c0
// CHECK: scf.for %[[PART:.*]] = %c0 to %[[PARTS]] step %c2
// CHECK: attn_tile.load %arg1[%[[PART]],
// CHECK: attn_tile.load %arg0[%[[PART]], {{.*}}, %[[COLUMN]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[PART]], %c1
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT]], %[[PARTS]]
// CHECK: %[[LIMIT:.*]] = arith.select %[[EXISTS]], %{{.*}}, %c0
// CHECK: attn_tile.load %arg1[%[[NEXT]], {{.*}}] rows(%[[LIMIT]])
// CHECK: attn_tile.load %arg0[%[[NEXT]], {{.*}}, %[[COLUMN]]] rows(%[[LIMIT]])
// CHECK: attn_tile.store %{{.*}}, %arg2[{{.*}}, %[[COLUMN]]] {{.*}} : tensor<16x32xbf16>
func.func @combine(%o: !parts, %lse: !part_lses, %out: !o)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.combine ins(%o, %lse : !parts, !part_lses) outs(%out : !o)
    {attn.strategy = #attn.strategy<block_m = 16, block_n = 32, stages = 2>}
  return
}
