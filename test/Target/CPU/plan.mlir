// RUN: fovea-opt %s --attn-plan=target=cpu:x86-64-v3 --split-input-file --verify-diagnostics | FileCheck %s

!q = tensor<?x8x?x64xbf16>
!kv = tensor<?x2x?x64xbf16>

// Few queries: the heads of a group are the rows of a tile, the keys are split where threads would idle. Others: blocks
// of whole row panels.
// CHECK: #[[SPLIT:.*]] = affine_set<()[s0, s1, s2, s3, s4, s5, s6] : (
// CHECK: attn.plan = [#attn.variant<name = "rows_split", when = {{.*}}, kernels = [@f_attn0_rows_split_parts, @f_attn0_rows_split_combine]
// CHECK-SAME: #attn.variant<name = "rows", when = {{.*}}, kernels = [@f_attn0_rows]>
// CHECK-SAME: #attn.variant<name = "tiled", kernels = [@f_attn0_tiled]>
// CHECK: strategy = #attn.strategy<block_m = 4, block_n = 256, pack_heads = true, split_kv = true>
// CHECK: strategy = #attn.strategy<block_m = 4, block_n = 256, pack_heads = true>
// CHECK: strategy = #attn.strategy<block_m = 96, block_n = 128>
func.func @f(%q: !q, %k: !kv, %v: !kv, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !kv, !kv) outs(%o : !q)
  return %r : !q
}

// -----

!t = tensor<?x8x?x64xf32>
!e = tensor<?x8x?xf32>

// Where LSE is a result scores of f32 are summed up in f64, unless TF32 is allowed.
// CHECK-LABEL: func.func @lse
// CHECK-COUNT-3: strategy = #attn.strategy<{{.*}}score_part = 16>
func.func @lse(%q: !t, %o: !t, %e: !e) -> (!t, !e) {
  %r:2 = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o, %e : !t, !e)
  return %r#0, %r#1 : !t, !e
}

// -----

!t = tensor<?x8x?x64xf32>
!e = tensor<?x8x?xf32>

// CHECK-LABEL: func.func @lse_tf32
// CHECK-NOT: score_part
func.func @lse_tf32(%q: !t, %o: !t, %e: !e) -> (!t, !e) {
  %r:2 = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o, %e : !t, !e) {allow_tf32}
  return %r#0, %r#1 : !t, !e
}

// -----

!t = tensor<1x1x16x64xf8E4M3FN>
!o = tensor<1x1x16x64xbf16>
func.func @f8(%q: !t, %o: !o) -> !o {
  // expected-error @below {{has elements of type 'f8E4M3FN', which has no CPU kernel; f32, f16 and bf16 have one}}
  %r = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !o)
  return %r : !o
}

// -----

func.func @deep(%q: tensor<1x2x4x200000xf32>, %o: tensor<1x2x4x200000xf32>) -> tensor<1x2x4x200000xf32> {
  // expected-error @below {{has Dqk = 200000, but CPU kernels take depths up to 131072}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x200000xf32>, tensor<1x2x4x200000xf32>, tensor<1x2x4x200000xf32>)
      outs(%o : tensor<1x2x4x200000xf32>)
  return %r : tensor<1x2x4x200000xf32>
}
