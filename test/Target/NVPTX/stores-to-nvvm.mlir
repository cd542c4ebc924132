// RUN: fovea-opt %s --attn-tile-to-nvvm --canonicalize | FileCheck %s

!o = memref<?x32xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 32>
#strategy = #attn.strategy<block_m = 16, block_n = 32, warps = 1>

// Lanes that share a row exchange pairs, so that each stores four elements of 16 bits at once: two rows of two pairs of
// column blocks.
// CHECK-LABEL: func.func @quadruples
// CHECK: %[[ODD:.*]] = arith.cmpi ne
// CHECK: %[[SENT:.*]] = arith.select %[[ODD]]
// CHECK: %[[GOT:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[SENT]]
// CHECK: arith.select %[[ODD]], %[[GOT]]
// CHECK: "@$2 st.global.b64 [$1], $0;"
// CHECK-COUNT-3: "@$2 st.global.b64 [$1], $0;"
// CHECK-NOT: st.global
func.func @quadruples(%i: !o, %o: !o)
    attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %i[%c0, %c0] {row_dim = 0, alignment = 2} : !o -> tensor<16x32xbf16, #attn_tile.mma_acc<warps = 1>>
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0, alignment = 16} : tensor<16x32xbf16, #attn_tile.mma_acc<warps = 1>> -> !o
  return
}

// Pairs where rows begin at multiples of 4 bytes alone.
// CHECK-LABEL: func.func @pairs
// CHECK-NOT: nvvm.shfl.sync
// CHECK-COUNT-8: "@$2 st.global.b32 [$1], $0;"
// CHECK-NOT: st.global
func.func @pairs(%i: !o, %o: !o)
    attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.load %i[%c0, %c0] {row_dim = 0, alignment = 2} : !o -> tensor<16x32xbf16, #attn_tile.mma_acc<warps = 1>>
  attn_tile.store %t, %o[%c0, %c0] {row_dim = 0, alignment = 4} : tensor<16x32xbf16, #attn_tile.mma_acc<warps = 1>> -> !o
  return
}
