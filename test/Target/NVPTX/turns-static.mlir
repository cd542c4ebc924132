// Where the number of blocks of keys is known the first products stand beside the loop of the others, in the loop over
// blocks of queries, and no turn is taken around that inner loop.
// RUN: fovea-compile %s --target=sm_90a --emit=tile -o %t.mlir
// RUN: fovea-opt %t.mlir --attn-tile-assign-layouts --attn-tile-specialize-warps=chip=sm_90a --attn-tile-schedule-dots \
// RUN:   --attn-tile-verify-async | FileCheck %s
// CHECK-LABEL: @f_attn0_warpgroup(
// CHECK: } compute {
// CHECK: scf.for
// CHECK-NOT: attn_tile.await_turn
// CHECK: scf.for
// CHECK: attn_tile.await_turn
// CHECK: attn_tile.issue_dot
// CHECK: attn_tile.pass_turn
!q = tensor<1x2x128x64xf16>
!kv = tensor<1x2x4096x64xf16>
func.func @f(%q: !q, %k: !kv, %v: !kv, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !kv, !kv) outs(%o : !q)
  return %r : !q
}
