// RUN: fovea-opt %s --attn-plan=target=sm_80 --split-input-file --verify-diagnostics | FileCheck %s

// Few blocks: half the rows a block. Aligned to 16 bytes: copies of as many; to 4 likewise. Anything else: element by element.
// CHECK: #[[FEW:.*]] = affine_set<()[s0, s1, s2, s3, s4, s5, s6] : (s6 - 16 >= 0, -((s0 * s1) * (s3 ceildiv 128)) + 264 >= 0)>
// CHECK: #[[SET:.*]] = affine_set<()[s0, s1, s2, s3, s4, s5, s6] : (s6 - 16 >= 0)>
// CHECK: #[[FOUR:.*]] = affine_set<()[s0, s1, s2, s3, s4, s5, s6] : (s6 - 4 >= 0)>
// CHECK: attn.plan = [#attn.variant<name = "rows_split", {{.*}}#attn.variant<name = "split", {{.*}}#attn.variant<name = "narrow", when = #[[FEW]], kernels = [@f_attn0_narrow]>, #attn.variant<name = "aligned", when = #[[SET]], kernels = [@f_attn0_aligned]>, #attn.variant<name = "aligned4", when = #[[FOUR]], kernels = [@f_attn0_aligned4]>, #attn.variant<name = "any", kernels = [@f_attn0_any]>]
// CHECK: func.func private @f_attn0_narrow
// CHECK: strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, stages = 2, vector_bytes = 16, round_p = true>
// CHECK: func.func private @f_attn0_aligned
// CHECK: strategy = #attn.strategy<block_m = 128, block_n = 64, warps = 4, stages = 2, vector_bytes = 16, round_p = true>
// CHECK: func.func private @f_attn0_aligned4
// CHECK: strategy = #attn.strategy<block_m = 128, block_n = 64, warps = 4, stages = 2, vector_bytes = 4, round_p = true>
// CHECK: func.func private @f_attn0_any
// CHECK: strategy = #attn.strategy<block_m = 128, block_n = 64, warps = 4, stages = 2, vector_bytes = 2, round_p = true>
func.func @f(%q: tensor<1x8x?x128xbf16>, %k: tensor<1x8x?x128xbf16>, %o: tensor<1x8x?x128xbf16>) -> tensor<1x8x?x128xbf16> {
  %r = attn.attention ins(%q, %k, %k : tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>) outs(%o : tensor<1x8x?x128xbf16>)
  return %r : tensor<1x8x?x128xbf16>
}

// -----

!t = tensor<1x8x?x576xbf16>
func.func @deep(%q: !t, %k: !t, %o: !t) -> !t {
  // expected-error@+1 {{no kernel for Dqk 576 and Dv 576 on sm_80; up to 256 each works, and target cpu takes deeper ones}}
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x8x?x64xf8E4M3FN>
!o = tensor<1x8x?x64xbf16>
func.func @f8(%q: !t, %k: !t, %o: !o) -> !o {
  // expected-error@+1 {{no kernel for 'f8E4M3FN' on sm_80: f8 needs sm_89 or newer, and there is no code for f8 on any chip yet; f16 and bf16 work}}
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !o)
  return %r : !o
}
