// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf16, strided<[?, ?, ?, ?], offset: ?>>
!map = memref<1x1x?x?xi8, strided<[?, ?, ?, ?], offset: ?>>
!list = memref<1x1x?x?xi32, strided<[?, ?, ?, ?], offset: ?>>

// The loops count entries of the list: those that need masks, then the others.
// The first sixteenth of the blocks of queries of all heads come first, those with the longest lists.
// CHECK-LABEL: func.func @plain
// CHECK: %[[ID:.*]] = attn_tile.program_id
// CHECK: arith.cmpi slt, %[[ID]], %{{.*}}
// CHECK: %[[PLACE:.*]] = arith.select
// CHECK: memref.load %arg4[%c0, %c0, %[[PLACE]], %c2]
// CHECK: %[[PARTIAL32:.*]] = memref.load %arg4[%c0, %c0, %{{.*}}, %c0]
// CHECK: %[[PARTIAL:.*]] = arith.index_cast %[[PARTIAL32]]
// CHECK: %[[ALL32:.*]] = memref.load %arg4[%c0, %c0, %{{.*}}, %c1]
// CHECK: %[[ALL:.*]] = arith.index_cast %[[ALL32]]
// CHECK: scf.for %[[N:.*]] = %c0 to %[[PARTIAL]] step %c1
// CHECK: %[[ENTRY:.*]] = arith.addi %[[N]], %c3
// CHECK: memref.load %arg4[%c0, %c0, %{{.*}}, %[[ENTRY]]]
// CHECK: arith.remui
// CHECK: arith.select
// CHECK: scf.for %{{.*}} = %[[PARTIAL]] to %[[ALL]] step %c1
// CHECK-NOT: arith.remui
// CHECK: attn_tile.store
func.func @plain(%q: !q, %k: !q, %v: !q, %o: !q, %list: !list)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) block_list(%list : !list)
    mask_mod(%b, %h, %i, %j) {
      %c3 = arith.constant 3 : index
      %r = arith.remui %j, %c3 : index
      %kept = arith.cmpi ne, %r, %b : index
      attn.yield %kept : i1
    } outs(%o : !q) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// With overlap the first block is the first one of the list, with a mask where the list begins with a partial one. The block
// before is the entry before.
// CHECK-LABEL: func.func @overlapped
// CHECK: %[[PARTIAL32:.*]] = memref.load %arg4[%c0, %c0, %{{.*}}, %c0]
// CHECK: %[[PARTIAL:.*]] = arith.index_cast %[[PARTIAL32]]
// CHECK: %[[ALL32:.*]] = memref.load %arg4[%c0, %c0, %{{.*}}, %c1]
// CHECK: %[[ALL:.*]] = arith.index_cast %[[ALL32]]
// CHECK: %[[SOME:.*]] = arith.cmpi slt, %c0, %[[ALL]]
// CHECK: scf.if %[[SOME]]
// CHECK: attn_tile.dot
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c1 to %[[PARTIAL]] step %c1
// CHECK: %[[FIRST:.*]] = arith.maxsi %[[PARTIAL]], %c1
// CHECK: scf.for %[[N:.*]] = %[[FIRST]] to %[[ALL]] step %c1
// CHECK: %[[BEFORE:.*]] = arith.subi %[[N]], %c1
// CHECK: memref.load %arg4
func.func @overlapped(%q: !q, %k: !q, %v: !q, %o: !q, %list: !list)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) block_list(%list : !list)
    mask_mod(%b, %h, %i, %j) {
      %kept = arith.cmpi ne, %i, %j : index
      attn.yield %kept : i1
    } outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, unit = warpgroup, overlap = true, rescale = optimistic, round_p = true>}
  return
}

// Blocks of the list that lie inside one block of a map ask it once each; in others each pair asks it.
// CHECK-LABEL: func.func @inside_map
// CHECK: scf.for
// CHECK: arith.remui
// CHECK: %[[STATE:.*]] = memref.load %arg5[%c0, %c0, %{{.*}}, %{{.*}}]
// CHECK: %[[FULL:.*]] = arith.cmpi eq, %[[STATE]], %c2_i8
// CHECK: attn_tile.splat %[[FULL]]
// CHECK: arith.ori
// CHECK: scf.for
// CHECK-NOT: %arg5
// CHECK: return
func.func @inside_map(%q: !q, %k: !q, %v: !q, %o: !q, %list: !list, %map: !map)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) block_map(%map : !map, 128, 64) block_list(%list : !list)
    mask_mod(%b, %h, %i, %j) {
      %c3 = arith.constant 3 : index
      %r = arith.remui %j, %c3 : index
      %kept = arith.cmpi ne, %r, %b : index
      attn.yield %kept : i1
    } outs(%o : !q) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// CHECK-LABEL: func.func @across_map
// CHECK: attn_tile.gather %arg5
func.func @across_map(%q: !q, %k: !q, %v: !q, %o: !q, %list: !list, %map: !map)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) block_map(%map : !map, 96, 64) block_list(%list : !list)
    outs(%o : !q) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
