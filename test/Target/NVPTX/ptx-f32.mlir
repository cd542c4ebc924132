// RUN: fovea-compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s

// f32 accuracy from TF32 takes three products, of high and low parts.
// CHECK-LABEL: .entry exact_attn0_aligned(
// CHECK: cvt.rna.tf32.f32
// CHECK: sub.rn.f32
// CHECK: cvt.rna.tf32.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// Elements of 4 bytes are copied asynchronously with any stride.
// CHECK-LABEL: .entry exact_attn0_any(
// CHECK-NOT: cp.async.cg
// CHECK: cp.async.ca.shared.global {{.*}}, 4, %r
!t = tensor<?x?x?x64xf32>
func.func @exact(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%init : !t)
  return %o : !t
}

// CHECK-LABEL: .entry fast_attn0_aligned(
// CHECK-NOT: sub.rn.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: ex2.approx.ftz.f32
func.func @fast(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%init : !t) {allow_tf32}
  return %o : !t
}

// With LSE scores have all bits: three pieces of bf16. The product with V is as without.
// CHECK-LABEL: .entry sums_attn0_aligned(
// CHECK: cvt.rn.bf16x2.f32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: ex2.approx.ftz.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @sums(%q: !t, %k: !t, %v: !t, %init: !t, %l: tensor<?x?x?xf32>) -> (!t, tensor<?x?x?xf32>) {
  %o:2 = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%init, %l : !t, tensor<?x?x?xf32>)
  return %o#0, %o#1 : !t, tensor<?x?x?xf32>
}
