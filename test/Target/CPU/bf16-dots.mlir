// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-tile-to-cpu{vector-width=16 num-registers=32 bf16-vectors},canonicalize))' | FileCheck %s --check-prefixes=CHECK,VECTORS
// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-tile-to-cpu{vector-width=16 num-registers=32 bf16-vectors bf16-tiles},canonicalize))' | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-tile-to-cpu{vector-width=16 num-registers=32},canonicalize))' | FileCheck %s --check-prefix=NONE

!m = memref<?x64xbf16, strided<[?, ?], offset: ?>>
!o = memref<?x64xf32, strided<[?, ?], offset: ?>>

// Queries, keys and values lie in scratch as pairs of bf16; a block with small numbers is widened, others are multiplied
// as pairs. The weights are rounded two columns at a time.
// CHECK-LABEL: func.func @block
// TILES:       %[[ANSWER:.*]] = llvm.inline_asm has_side_effects "syscall"
// TILES:       %[[DENIED:.*]] = arith.cmpi ne, %[[ANSWER]]
// CHECK:       %[[Q:.*]] = vector.reduction <minui>
// CHECK-NEXT:  %[[Q_SMALL:.*]] = arith.cmpi ult, %[[Q]]
// CHECK:       %[[K:.*]] = vector.reduction <minui>
// CHECK-NEXT:  %[[K_SMALL:.*]] = arith.cmpi ult, %[[K]]
// CHECK:       %[[V:.*]] = vector.reduction <minui>
// CHECK-NEXT:  %[[V_SMALL:.*]] = arith.cmpi ult, %[[V]]
// CHECK:       %[[WIDENED:.*]] = arith.ori %[[K_SMALL]], %[[Q_SMALL]]
// TILES:       %[[OTHERS:.*]] = arith.ori %[[WIDENED]], %[[DENIED]]
// TILES:       scf.if %[[OTHERS]] {
// VECTORS:     scf.if %[[WIDENED]] {
// CHECK:         vector.fma
// CHECK:       } else {
// VECTORS-COUNT-24: x86vector.avx512.dot
// TILES-COUNT-3: amx.tile_mulf {{.*}} : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
// TILES-COUNT-3: amx.tile_store
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
// VECTORS:     scf.if %[[V_SMALL]] {
// TILES:       %[[V_OTHERS:.*]] = arith.ori %[[V_SMALL]], %[[DENIED]]
// TILES:       scf.if %[[V_OTHERS]] {
// CHECK:         vector.fma
// CHECK:       } else {
// VECTORS-COUNT-24: x86vector.avx512.dot
// TILES-COUNT-3: amx.tile_mulf
// NONE-LABEL:  func.func @block
// NONE-NOT:    avx512.dot
// NONE-NOT:    amx.
// NONE:        return
func.func @block(%q: !m, %k: !m, %v: !m, %o: !o, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<48x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<48x64xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<48x64xbf16>
  %kt = attn_tile.load %k[%c0, %c0] rows(%n) {row_dim = 0} : !m -> tensor<64x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<48x64xbf16>, tensor<64x64xbf16> -> tensor<48x64xf32>
  %p = math.exp2 %s : tensor<48x64xf32>
  %vt = attn_tile.load %v[%c0, %c0] rows(%n) {row_dim = 0} : !m -> tensor<64x64xbf16>
  %r = attn_tile.dot %p, %vt, %zeros : tensor<48x64xf32>, tensor<64x64xbf16> -> tensor<48x64xf32>
  attn_tile.store %r, %o[%c0, %c0] {row_dim = 0} : tensor<48x64xf32> -> !o
  return
}
