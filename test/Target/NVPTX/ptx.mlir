// RUN: fovea-compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// RUN: fovea-compile %s --target=sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=SM90
// RUN: fovea-compile %s --target=sm_80 --emit=ptx --ptx-version=8.3 -o - | FileCheck %s --check-prefix=NEWER

// CHECK: .version 7.0
// CHECK: .target sm_80
// CHECK: .extern .shared
// CHECK: .visible .entry f_attn0_aligned(
// CHECK: .reqntid 128
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group 0
// CHECK: bar.sync
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: ex2.approx.ftz.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: .visible .entry f_attn0_aligned4(
// CHECK-NOT: cp.async.cg
// CHECK: cp.async.ca.shared.global {{.*}}, 4, %r
// CHECK: .visible .entry f_attn0_any(
// CHECK-NOT: cp.async.cg
// CHECK: ld.global.b16
// CHECK: st.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32

// SM90: .version 7.8
// SM90: .target sm_90
// NEWER: .version 8.3

!t = tensor<?x?x?x64xbf16>
func.func @f(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%init : !t)
  return %o : !t
}
