// RUN: fovea-opt %s --attn-tile-to-nvvm --canonicalize | FileCheck %s

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 32>
#strategy = #attn.strategy<block_m = 16, block_n = 32, warps = 1>
!tile = tensor<16x32xf32, #attn_tile.mma_acc<warps = 1>>
!halves = tensor<16x32xf16, #attn_tile.mma_acc<warps = 1>>
!view = memref<16x32xf32, strided<[?, ?], offset: ?>>
!o = memref<?x32xf32, strided<[?, 1], offset: ?>>
!o16 = memref<?x32xf16, strided<[?, 1], offset: ?>>

// The 16 rows of a warp hold 47 elements of a tile by distance, which lanes load side by side. The 16 elements of a thread
// are 10 places: an exchange for each, where the tile is used.
// CHECK-LABEL: func.func @distances
// CHECK-COUNT-2: @$2 ld.global.nc.b32
// CHECK-NOT: ld.global
// CHECK: memref.store
// CHECK-COUNT-10: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
func.func @distances(%source: !view, %rows: index, %place: memref<1xindex>, %o: !o)
    attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %source[%c0, %c0] rows(%rows) {row_dim = 0, alignment = 4, shift = 1 : i64} : !view -> !tile
  memref.store %c0, %place[%c0] : memref<1xindex>
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0} : !tile -> !o
  return
}

// As many by sum.
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-2: ld.global.nc.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-10: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
func.func @sums(%source: !view, %o: !o) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %source[%c0, %c0] {row_dim = 0, alignment = 4, shift = -1 : i64} : !view -> !tile
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0} : !tile -> !o
  return
}

// By key a row is all there is.
// CHECK-LABEL: func.func @keys
// CHECK: ld.global.nc.u16
// CHECK-NOT: ld.global
// CHECK-COUNT-8: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
func.func @keys(%source: memref<16x32xf16, strided<[0, 1]>>, %o: !o16) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %source[%c0, %c0] {row_dim = 0, alignment = 2, shift = 0 : i64} : memref<16x32xf16, strided<[0, 1]>> -> !halves
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0} : !halves -> !o16
  return
}
