// A task of one block of keys, whose number the compiler knows: only the product that is begun ahead reads Q, so the load ahead gives
// its rows back, and the end of a task, which no loop of products precedes, has the turn.
// RUN: fovea-compile %s --target=sm_90a --emit=tile -o %t.mlir
// RUN: fovea-opt %t.mlir --attn-tile-assign-layouts --attn-tile-specialize-warps=chip=sm_90a --attn-tile-schedule-dots \
// RUN:   --attn-tile-verify-async | FileCheck %s
// CHECK-LABEL: @f_attn0_warpgroup_short(
// CHECK: } compute {
// CHECK: %[[Q:.*]] = attn_tile.await_tile {{.*}} : tensor<128x64xbf16, {{.*}}parts = 2
// CHECK: attn_tile.issue_dot %[[Q]]
// CHECK: attn_tile.release %[[Q]]
// CHECK: scf.for
// CHECK: attn_tile.await_turn
// CHECK: attn_tile.issue_dot
// CHECK: %[[NEXT:.*]] = attn_tile.await_tile {{.*}} : tensor<128x64xbf16, {{.*}}parts = 2
// CHECK: attn_tile.issue_dot %[[NEXT]]
// CHECK: attn_tile.pass_turn
// CHECK: attn_tile.release %[[NEXT]]
// CHECK: scf.yield
!q = tensor<2x70x70x64xbf16>
!kv = tensor<2x70x96x64xbf16>
func.func @f(%q: !q, %k: !kv, %v: !kv, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !kv, !kv) causal(bottom_right) outs(%o : !q)
  return %r : !q
}
