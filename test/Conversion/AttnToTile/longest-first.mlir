// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile),canonicalize,cse)' | FileCheck %s

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// Program i of p takes the places i and 2p - 1 - i of each 2p in the order of lengths.
// CHECK-LABEL: func.func @causal
// CHECK: %[[ID:.*]] = attn_tile.program_id
// CHECK: %[[P:.*]] = attn_tile.num_programs
// CHECK: %[[HEADS:.*]] = arith.muli %{{.*}}, %c8
// CHECK: %[[BLOCKS:.*]] = arith.divui %{{.*}}, %c64
// CHECK: %[[TOTAL:.*]] = arith.muli %[[HEADS]], %[[BLOCKS]]
// CHECK: %[[STEP:.*]] = arith.muli %[[P]], %c2
// CHECK: %[[LAST:.*]] = arith.subi %[[STEP]], %c1
// CHECK: %[[TWICE:.*]] = arith.muli %[[ID]], %c2
// CHECK: %[[TOSECOND:.*]] = arith.subi %[[LAST]], %[[TWICE]]
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %[[BLOCKS]], %c64
// CHECK: %[[HALF16:.*]] = arith.select %[[FEW]], %c16, %c8
// CHECK: arith.cmpi slt, %[[BLOCKS]], %c128
// CHECK: %[[GROUP:.*]] = arith.select %{{.*}}, %[[HALF16]],
// CHECK: arith.muli %[[BLOCKS]], %[[GROUP]]
// CHECK: scf.for %[[ITEM:[a-z0-9]+]] = %[[ID]] to %[[TOTAL]] step %[[STEP]]
// CHECK: scf.for %[[HALF:[a-z0-9]+]] = %c0 to %c2 step %c1
// CHECK: %[[ISSECOND:.*]] = arith.cmpi eq, %[[HALF]], %c1
// CHECK: %[[OFFSET:.*]] = arith.select %[[ISSECOND]], %[[TOSECOND]], %c0
// CHECK: %[[PLACE:.*]] = arith.addi %[[ITEM]], %[[OFFSET]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[PLACE]], %[[TOTAL]]
// Groups of 16 heads, of 8 or 4 where they have many blocks, or what is left of them; the last group's lengths fall, those of the one before rise.
// CHECK: arith.minsi %{{.*}}, %[[GROUP]]
// CHECK: arith.andi %{{.*}}, %c1
// CHECK: scf.if %[[EXISTS]]
// CHECK: attn_tile.load
func.func @causal(%q: !q, %k: !q, %v: !q, %o: !q) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) causal(top_left) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, round_p = true, unit = warpgroup, overlap = true, persistent = true, longest_first = true>}
  return
}
