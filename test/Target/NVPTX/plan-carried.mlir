// RUN: fovea-opt %s --attn-plan=target=sm_90a --split-input-file | FileCheck %s

!t = tensor<?x8x?x128xbf16>
// The table's causal kernel carries its first scores. It needs a key to copy.
// CHECK: #[[WHEN:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s4 - 1 >= 0, -((s0 * s1) * (s3 ceildiv 128)) + 2147483647 >= 0, -s3 + 6143 >= 0
// CHECK: #attn.variant<name = "warpgroup_short", when = #[[WHEN]], kernels = [@plain_attn0_warpgroup_short]>
// CHECK: func.func private @plain_attn0_warpgroup_short(
// CHECK: #attn.strategy<block_m = 128, block_n = 128, {{.*}}pingpong = true, carry_scores = true>
// Long sequences are in an order of lengths.
// CHECK: func.func private @plain_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 192, block_n = 80, {{.*}}carry_scores = true, longest_first = true>
// CHECK: func.func private @plain_attn0_aligned(
func.func @plain(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x128xbf16>
// Linear scores have the same kernels of two warpgroups, but their region may ask that there is a key.
// CHECK: func.func private @region_attn0_warpgroup_short(
// CHECK: #attn.strategy<block_m = 128, block_n = 128, {{.*}}pingpong = true>
// CHECK: func.func private @region_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, block_n = 128, {{.*}}pingpong = true, longest_first = true>
// CHECK-NOT: carry_scores
func.func @region(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) score_mod(%s, %b, %h, %i, %j) {
    %c = arith.constant 2.0 : f32
    %t = arith.mulf %s, %c : f32
    attn.yield %t : f32
  } outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x128xbf16>
// A batch may have no keys.
// CHECK: func.func private @lengths_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, block_n = 128, {{.*}}pingpong = true>
// CHECK-NOT: carry_scores
func.func @lengths(%q: !t, %k: !t, %l: tensor<?xi32>, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) kv_lengths(%l : tensor<?xi32>) causal(bottom_right) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x128xbf16>
// Pairs of a given map are looked at one by one here.
// CHECK: func.func private @map_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 128, {{.*}}unit = warpgroup
// CHECK-NOT: carry_scores
func.func @map(%q: !t, %k: !t, %m: tensor<1x1x?x?xi8>, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) block_map(%m : tensor<1x1x?x?xi8>, 128, 128) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x64xbf16>
// Kernels of linear regions have an entry of their own in the table.
// CHECK: func.func private @shallow_attn0_warpgroup(
// CHECK: #attn.strategy<block_m = 192, block_n = 64, {{.*}}pingpong = true, interleave = true, longest_first = true>
func.func @shallow(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) score_mod(%s, %b, %h, %i, %j) {
    %c = arith.constant 2.0 : f32
    %t = arith.mulf %s, %c : f32
    attn.yield %t : f32
  } outs(%o : !t)
  return %r : !t
}
