// RUN: fovea-opt %s --attn-plan="target=sm_90a tuning=%S/Inputs/two-blocks.json" --split-input-file | FileCheck %s

!t = tensor<?x8x?x64xbf16>
!l = tensor<?x8x?xf32>
// A multiprocessor holds two blocks: all tasks run at once where they are no more than twice the multiprocessors, and a
// persistent kernel has as many blocks as that.
// CHECK: #[[GRID:.*]] = affine_map<{{.*}} -> ((s0 * s1) * (s3 ceildiv 64), s5 * 2)>
// CHECK: #[[FEW:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, -((s0 * s1) * (s3 ceildiv 64)) + 2147483647 >= 0, s5 * 2 - (s0 * s1) * (s3 ceildiv 64) >= 0)>
// CHECK: #attn.variant<name = "warpgroup_narrow", when = #[[FEW]],
// CHECK: func.func private @d64_attn0_warpgroup_narrow({{.*}}#attn.launch<grid = #[[GRID]]
// CHECK: block_n = 128, {{.*}}row_sums = product, min_blocks = 2>
// CHECK: func.func private @d64_attn0_warpgroup({{.*}}#attn.launch<grid = #[[GRID]]
// CHECK: block_n = 96, {{.*}}row_sums = product, min_blocks = 2>
func.func @d64(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}
// What an op changes of a strategy leaves the blocks.
// CHECK: func.func private @lse_attn0_warpgroup(
// CHECK: block_n = 96, {{.*}}rescale = optimistic, min_blocks = 2>
func.func @lse(%q: !t, %k: !t, %o: !t, %l: !l) -> (!t, !l) {
  %r, %lse = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o, %l : !t, !l)
  return %r, %lse : !t, !l
}

// -----

!t = tensor<?x8x?x128xbf16>
// 96 keys fill half of the shared memory; of 112 there is no room, so that the rule plans.
// CHECK: func.func private @d128_attn0_warpgroup(
// CHECK: block_m = 64, block_n = 96, {{.*}}min_blocks = 2>
func.func @d128(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}
// CHECK: func.func private @large_attn0_warpgroup(
// CHECK: block_m = 128, block_n = 128, {{.*}}pingpong = true>
func.func @large(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x8x?x64xbf16>
// Lists of blocks by rule: three where scores are linear, at this depth. Their blocks lie inside those of a given map.
// CHECK: func.func private @map_attn0_warpgroup_map_map(
// CHECK: strategy = #attn.strategy<block_m = 64, block_n = 64,
// CHECK: func.func private @map_attn0_warpgroup_map(
// CHECK: strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, stages = 2, {{.*}}rescale = optimistic, interleave = true, min_blocks = 3>
func.func @map(%q: !t, %k: !t, %map: tensor<1x1x?x?xi8>, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) block_map(%map : tensor<1x1x?x?xi8>, 128, 128) outs(%o : !t)
  return %r : !t
}
// CHECK: func.func private @score_attn0_warpgroup_map(
// CHECK: strategy = #attn.strategy<block_m = 128, block_n = 32, {{.*}}pingpong = true>
func.func @score(%q: !t, %k: !t, %map: tensor<1x1x?x?xi8>, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) block_map(%map : tensor<1x1x?x?xi8>, 128, 128)
    score_mod(%s, %b, %h, %i, %j) {
      %t = math.tanh %s : f32
      attn.yield %t : f32
    } outs(%o : !t)
  return %r : !t
}
