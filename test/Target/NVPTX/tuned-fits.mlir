// RUN: fovea-opt %s --attn-plan=target=sm_90a | FileCheck %s

!t = tensor<?x8x?x192xbf16>
// The table's kernels for depths up to 192 were measured with values of 128: keys and values of 192 don't fit the shared
// memory that way, so the rule plans them.
// CHECK: func.func private @f_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, block_n = 112, {{.*}}unit = warpgroup
func.func @f(%q: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %q, %q : !t, !t, !t) causal(top_left) outs(%o : !t)
  return %r : !t
}
