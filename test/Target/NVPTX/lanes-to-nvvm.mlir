// RUN: fovea-opt %s --attn-tile-to-nvvm --canonicalize | FileCheck %s

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 64>
#strategy = #attn.strategy<block_m = 128, block_n = 128, warps = 2, unit = thread>
!out = memref<?xi32, strided<[1], offset: ?>>

// A block of 64 threads has eight tasks of eight lanes each. Only the lanes of one task exchange values: others may be
// elsewhere.
// CHECK-LABEL: func.func @few
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: arith.shrui %{{.*}}, %c3_i32
// CHECK: arith.muli %{{.*}}, %c8
// CHECK: arith.andi %{{.*}}, %c24_i32
// CHECK: %[[MASK:.*]] = arith.shli %c255_i32
// CHECK: %[[A:.*]] = nvvm.shfl.sync bfly %[[MASK]], %arg1, %c1_i32, %c31_i32
// CHECK: %[[B:.*]] = arith.minsi %arg1, %[[A]]
// CHECK: nvvm.shfl.sync bfly %[[MASK]], %[[B]], %c2_i32
// CHECK: nvvm.shfl.sync bfly %[[MASK]], %{{.*}}, %c4_i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @few(%out: !out, %v: i32) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %id = attn_tile.program_id {lanes = 8 : i64} : index
  %least = attn_tile.reduce_lanes min %v of 8 : i32
  memref.store %least, %out[%id] : !out
  return
}

// 64 bits go in two halves, a condition in 32 bits.
// CHECK-LABEL: func.func @wide
// CHECK-COUNT-10: nvvm.shfl.sync
// CHECK: arith.extsi %{{.*}} : i1 to i32
// CHECK: %[[ANY:.*]] = nvvm.redux.sync or %{{.*}}, %c-1_i32
// CHECK: arith.trunci %[[ANY]] : i32 to i1
func.func @wide(%out: !out, %v: index, %c: i1) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %greatest = attn_tile.reduce_lanes max %v of 32 : index
  %any = attn_tile.reduce_lanes or %c of 32 : i1
  %value = arith.extui %any : i1 to i32
  memref.store %value, %out[%greatest] : !out
  return
}

// CHECK-LABEL: func.func @warp
// CHECK: nvvm.redux.sync add %arg1, %c-1_i32
// CHECK: %[[HOLDING:.*]] = nvvm.vote.sync ballot %c-1_i32, %arg2
// CHECK: %[[LOWER:.*]] = nvvm.read.ptx.sreg.lanemask.lt
// CHECK: %[[BEFORE:.*]] = arith.andi %[[HOLDING]], %[[LOWER]]
// CHECK: llvm.intr.ctpop(%[[BEFORE]])
// CHECK: llvm.intr.ctpop(%[[HOLDING]])
func.func @warp(%out: !out, %v: i32, %c: i1) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %lane = attn_tile.lane of 32 : index
  %sum = attn_tile.reduce_lanes add %v of 32 : i32
  %before, %all = attn_tile.count_lanes %c of 32 : i32
  %x = arith.addi %sum, %before : i32
  %y = arith.muli %x, %all : i32
  memref.store %y, %out[%lane] : !out
  return
}
