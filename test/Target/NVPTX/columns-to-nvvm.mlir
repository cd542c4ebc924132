// RUN: fovea-opt %s --attn-tile-to-nvvm --canonicalize | FileCheck %s

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 32>
#strategy = #attn.strategy<block_m = 16, block_n = 32, warps = 1>
!acc = tensor<16x16xf32, #attn_tile.mma_acc<warps = 1>>
!cols = tensor<16x16xi32, #attn_tile.mma_acc<warps = 1>>
!o = memref<?x16xf32, strided<[?, 1], offset: ?>>

// A slope times the column number: one conversion, of the thread's first column, and one operation with a constant for
// each pair.
// CHECK-LABEL: func.func @slope
// CHECK-SAME: (%[[SLOPE:[a-z0-9]+]]: f32,
// CHECK-COUNT-1: arith.sitofp
// CHECK: %[[ROW:.*]] = math.fma %{{.*}}, %[[SLOPE]], %{{.*}} : f32
// CHECK: math.fma %cst{{[_0-9]*}}, %[[SLOPE]], %[[ROW]] : f32
// CHECK-NOT: arith.sitofp
func.func @slope(%slope: f32, %row: f32, %o: !o) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %numbers = attn_tile.iota {dim = 1 : i64} : !cols
  %columns = arith.sitofp %numbers : !cols to !acc
  %slopes = attn_tile.splat %slope : f32 -> !acc
  %rows = attn_tile.splat %row : f32 -> !acc
  %t = math.fma %columns, %slopes, %rows : !acc
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0} : !acc -> !o
  return
}
