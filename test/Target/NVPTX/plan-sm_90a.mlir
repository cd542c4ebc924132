// RUN: fovea-opt %s --attn-plan="target=sm_90a tuning=none" --split-input-file | FileCheck %s

// The rule for what no table has. What is checked here is which kinds of kernels run when.

!t = tensor<?x8x?x64xbf16>
// Kernels for few queries, see plan-clusters.mlir; 192 rows by three warpgroups, 64 where those would not fill the GPU; then the kernels of warps.
// CHECK: #[[NARROW:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, -((s0 * s1) * (s3 ceildiv 64)) + 2147483647 >= 0, s5 - (s0 * s1) * (s3 ceildiv 64) >= 0)>
// CHECK: #[[WIDE:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, -((s0 * s1) * (s3 ceildiv 192)) + 2147483647 >= 0)>
// CHECK: #[[ALIGNED:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0)>
// CHECK: #[[FOUR:.*]] = affine_set<{{.*}} : (s6 - 4 >= 0)>
// CHECK: attn.plan = [#attn.variant<name = "rows_cluster8", {{.*}}#attn.variant<name = "split", {{.*}}#attn.variant<name = "warpgroup_narrow", when = #[[NARROW]], kernels = [@d64_attn0_warpgroup_narrow]>, #attn.variant<name = "warpgroup", when = #[[WIDE]], kernels = [@d64_attn0_warpgroup]>, #attn.variant<name = "aligned", when = #[[ALIGNED]], kernels = [@d64_attn0_aligned]>, #attn.variant<name = "aligned4", when = #[[FOUR]], kernels = [@d64_attn0_aligned4]>, #attn.variant<name = "any", kernels = [@d64_attn0_any]>]
// CHECK: func.func private @d64_attn0_warpgroup_narrow
// CHECK: #attn.strategy<block_m = 64, block_n = {{[0-9]+}}, warps = 4, stages = 2, vector_bytes = 16, round_p = true, unit = warpgroup, overlap = true, persistent = true, rescale = optimistic, row_sums = product, interleave = true>
// CHECK: func.func private @d64_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 192, {{.*}}warps = 12, {{.*}}unit = warpgroup, {{.*}}pingpong = true, interleave = true>
// CHECK: func.func private @d64_attn0_aligned
// CHECK-NOT: unit = warpgroup
// CHECK: func.func private @d64_attn0_any(
func.func @d64(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x64xbf16>
!l = tensor<?x8x?xf32>
// LSE is made of exact weights.
// CHECK: func.func private @lse_attn0_warpgroup_narrow(
// CHECK-NOT: row_sums
// CHECK: func.func private @lse_attn0_aligned(
func.func @lse(%q: !t, %k: !t, %o: !t, %l: !l) -> (!t, !l) {
  %r, %lse = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o, %l : !t, !l)
  return %r, %lse : !t, !l
}

// -----

!t = tensor<?x8x?x40xbf16>
// Columns of ones lie behind whole panels of V.
// CHECK: func.func private @d40_attn0_warpgroup_narrow(
// CHECK-NOT: row_sums
// CHECK: func.func private @d40_attn0_aligned(
func.func @d40(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x128xf16>
// CHECK: #[[GRID:.*]] = affine_map<{{.*}} -> ((s0 * s1) * (s3 ceildiv 128), s5)>
// CHECK: func.func private @d128_causal_attn0_warpgroup({{.*}}#attn.launch<grid = #[[GRID]]
// CHECK: #attn.strategy<block_m = 128, {{.*}}warps = 8,
// CHECK-NOT: cluster
// CHECK: func.func private @d128_causal_attn0_aligned(
func.func @d128_causal(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(bottom_right) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x192xbf16>
!v = tensor<?x8x?x128xbf16>
// CHECK: func.func private @mla_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, {{.*}}unit = warpgroup
// CHECK-NOT: cluster
// CHECK: func.func private @mla_attn0_aligned(
func.func @mla(%q: !t, %k: !t, %v: !v, %o: !v) -> !v {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !v) outs(%o : !v)
  return %r : !v
}

// -----

!t = tensor<?x8x?x128xbf16>
// To compute a block twice would cost the score function too.
// CHECK: func.func private @score_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, {{.*}}unit = warpgroup, {{.*}}rescale = lazy
// CHECK-NOT: rescale = optimistic
// CHECK: func.func private @score_attn0_aligned(
func.func @score(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
    %t = math.tanh %s : f32
    attn.yield %t : f32
  } outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x128xbf16>
// Addends that rows repeat are linear: they take registers, and no other kernel.
// CHECK: func.func private @table_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, {{.*}}unit = warpgroup, {{.*}}rescale = optimistic
// CHECK: func.func private @table_attn0_aligned(
func.func @table(%q: !t, %k: !t, %o: !t, %table: tensor<?xf32>, %n: index) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
    %d = arith.subi %j, %i : index
    %at = arith.addi %d, %n : index
    %e = tensor.extract %table[%at] : tensor<?xf32>
    %t = arith.addf %s, %e : f32
    attn.yield %t : f32
  } outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x128xbf16>
// A bias that is the same for all queries is such a table, another one is none.
// CHECK: func.func private @padding_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, {{.*}}unit = warpgroup, {{.*}}rescale = optimistic
// CHECK: func.func private @padding_attn0_aligned(
func.func @padding(%q: !t, %k: !t, %o: !t, %bias: tensor<?x1x1x?xf32>) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) bias(%bias : tensor<?x1x1x?xf32>) outs(%o : !t)
  return %r : !t
}
// CHECK: func.func private @bias_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, {{.*}}unit = warpgroup, {{.*}}rescale = lazy
// CHECK: func.func private @bias_attn0_aligned(
func.func @bias(%q: !t, %k: !t, %o: !t, %bias: tensor<1x?x?x?xf32>) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) bias(%bias : tensor<1x?x?x?xf32>) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x64xbf16>
// So is what blocks of pairs agree on from some distance on.
// CHECK: func.func private @clamped_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 192, {{.*}}unit = warpgroup, {{.*}}rescale = optimistic
// CHECK: func.func private @clamped_attn0_aligned(
func.func @clamped(%q: !t, %k: !t, %o: !t, %table: tensor<32xf32>) -> !t {
  %c31 = arith.constant 31 : index
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) score_mod(%s, %b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %at = arith.minsi %d, %c31 : index
    %e = tensor.extract %table[%at] : tensor<32xf32>
    %t = arith.addf %s, %e : f32
    attn.yield %t : f32
  } outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x64xbf16>
// Not what never stays the same, nor what the score decides.
// CHECK: func.func private @thirds_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, {{.*}}unit = warpgroup, {{.*}}rescale = lazy
// CHECK: func.func private @thirds_attn0_aligned(
func.func @thirds(%q: !t, %k: !t, %o: !t, %table: tensor<?xf32>) -> !t {
  %c3 = arith.constant 3 : index
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
    %at = arith.divui %j, %c3 : index
    %e = tensor.extract %table[%at] : tensor<?xf32>
    %t = arith.addf %s, %e : f32
    attn.yield %t : f32
  } outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x128xf32>
// Warpgroup products take 16-bit elements.
// CHECK: #attn.variant<name = "split", {{.*}}#attn.variant<name = "aligned"
// CHECK-NOT: unit = warpgroup
func.func @f32(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}
