// RUN: fovea-opt %s --attn-tile-to-nvvm --canonicalize | FileCheck %s

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 32>
#strategy = #attn.strategy<block_m = 16, block_n = 32, warps = 1>
!tile = tensor<16x32xf32, #attn_tile.mma_acc<warps = 1>>
!view = memref<16x32xf32, strided<[?, ?], offset: ?>>
!o = memref<?x32xf32, strided<[?, 1], offset: ?>>

// A thread has 16 elements in rows 8 apart. Of a tile by distance they are 10 places: one address and constant offsets
// where all exist and lie side by side, an address and a predicate for each elsewhere.
// CHECK-LABEL: func.func @distances
// The first place of a row lies in front of the tile's first column: it is a signed number.
// CHECK: %[[PLACES:.*]]:10 = scf.if
// CHECK: %[[PLACE:.*]] = arith.subi %{{.*}} : i32
// CHECK: arith.index_cast %[[PLACE]] : i32 to index
// CHECK: llvm.getelementptr %{{.*}}[-32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
// CHECK-NEXT: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-COUNT-9: llvm.load %{{.*}} invariant
// CHECK-NOT: llvm.load
// CHECK: } else {
// CHECK-COUNT-10: @$2 ld.global.b32
// CHECK-NOT: ld.global
// The first row, the one 8 below, which begins a block of columns earlier, and the first one's next block.
// CHECK: arith.bitcast %[[PLACES]]#2
// CHECK: arith.bitcast %[[PLACES]]#0
// CHECK: arith.bitcast %[[PLACES]]#4
// CHECK: arith.bitcast %[[PLACES]]#2
func.func @distances(%source: !view, %rows: index, %o: !o) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %source[%c0, %c0] rows(%rows) {row_dim = 0, alignment = 4, shift = 1 : i64} : !view -> !tile
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0} : !tile -> !o
  return
}

// As many by sum. No branch where all is known.
// CHECK-LABEL: func.func @sums
// CHECK-NOT: scf.if
// CHECK-COUNT-10: llvm.load %{{.*}} invariant
// CHECK-NOT: llvm.load
func.func @sums(%source: memref<16x32xf32, strided<[1, 1]>>, %o: !o) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %source[%c0, %c0] {row_dim = 0, alignment = 4, shift = -1 : i64} : memref<16x32xf32, strided<[1, 1]>> -> !tile
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0} : !tile -> !o
  return
}

// By key the rows of a thread are one, and columns are read by pairs where those are aligned.
// CHECK-LABEL: func.func @keys
// CHECK: %[[BITS:.*]] = arith.andi %{{.*}}, %c7
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[BITS]], %c0
// CHECK: scf.if %[[ALIGNED]]
// CHECK-COUNT-4: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK-NOT: llvm.load
// CHECK: } else {
// CHECK-COUNT-8: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NOT: llvm.load
func.func @keys(%source: memref<16x32xf32, strided<[0, 1]>>, %o: !o) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %source[%c0, %c0] {row_dim = 0, alignment = 4, shift = 0 : i64} : memref<16x32xf32, strided<[0, 1]>> -> !tile
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0} : !tile -> !o
  return
}

// Rows of their own have an address each; pairs need rows that begin at multiples of a pair.
// CHECK-LABEL: func.func @rows
// CHECK: scf.if
// CHECK: %[[ANY:.*]] = arith.ori
// CHECK: arith.andi %[[ANY]], %c3
// CHECK: scf.if
// CHECK-COUNT-8: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NOT: llvm.load
// CHECK: } else {
// CHECK-COUNT-16: llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK-NOT: llvm.load
// CHECK: } else {
// CHECK-COUNT-16: @$2 ld.global.b16
// CHECK-NOT: ld.global
func.func @rows(%source: memref<16x32xf16, strided<[?, ?], offset: ?>>, %rows: index, %o: !o)
    attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %source[%c0, %c0] rows(%rows) {row_dim = 0, alignment = 2}
    : memref<16x32xf16, strided<[?, ?], offset: ?>> -> tensor<16x32xf16, #attn_tile.mma_acc<warps = 1>>
  %f = arith.extf %t : tensor<16x32xf16, #attn_tile.mma_acc<warps = 1>> to !tile
  attn_tile.store %f, %o[%c0, %c0] {row_dim = 0} : !tile -> !o
  return
}
