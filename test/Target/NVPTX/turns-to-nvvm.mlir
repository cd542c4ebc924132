// RUN: fovea-opt %s --attn-tile-to-nvvm --canonicalize | FileCheck %s

// Warpgroup w waits at barrier 8 + w for itself and the one before it, and arrives at the barrier of the next one.
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 512>
// CHECK-LABEL: func.func @turns
// CHECK-SAME: %[[WG:.*]]: i32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : i32
// CHECK: %[[OWN:.*]] = arith.addi %[[WG]], %[[C8]]
// CHECK: nvvm.barrier id = %[[OWN]] number_of_threads = %[[C256]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[WG]], %[[C1]]
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %[[C3]]
// CHECK: %[[WRAPPED:.*]] = arith.select %[[WRAPS]], %[[C0]], %[[NEXT]]
// CHECK: %[[OTHER:.*]] = arith.addi %[[WRAPPED]], %[[C8]]
// CHECK: nvvm.barrier.arrive id = %[[OTHER]] number_of_threads = %[[C256]]
func.func @turns(%wg: i32) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 192, block_n = 32, warps = 12, unit = warpgroup, pingpong = true>} {
  attn_tile.await_turn %wg of 3
  attn_tile.pass_turn %wg of 3
  return
}
