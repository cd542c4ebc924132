// RUN: fovea-opt %s --attn-plan="target=sm_90a tuning=%S/Inputs/rounds.json" | FileCheck %s
// Blocks of 128 queries serve short keys and blocks of 192 the others, but for problems whose tasks the multiprocessors
// (s5) take in rounds that the other one fills better by a sixth (up to depth 64). Both variants have one kernel.

// CHECK-DAG: #[[SHORT:set[0-9]*]] = affine_set<{{.*}} -s4 + 1279 >= 0, (((s0 * s1) * (s3 ceildiv 192)) ceildiv s5) * 1344 - (((s0 * s1) * (s3 ceildiv 128)) ceildiv s5) * 768 - 1 >= 0)>
// CHECK-DAG: #[[ROUNDS:set[0-9]*]] = affine_set<{{.*}}>= 0, (((s0 * s1) * (s3 ceildiv 192)) ceildiv s5) * 1152 - (((s0 * s1) * (s3 ceildiv 128)) ceildiv s5) * 896 >= 0)>
// A task of a causal kernel is a pair of blocks; in an order of lengths the last round is a part of one.
// CHECK-DAG: #[[PAIRS:set[0-9]*]] = affine_set<{{.*}}>= 0, ((((s0 * s1) * (s3 ceildiv 192)) * 192) ceildiv s5 + 96) * 6 - (((s0 * s1) * (s3 ceildiv 256)) ceildiv s5) * 1792 >= 0)>

!t = tensor<?x?x?x64xbf16>
// CHECK: #attn.variant<name = "warpgroup_short", when = #[[SHORT]], kernels = [@full_attn0_warpgroup_short]>
// CHECK-SAME: #attn.variant<name = "warpgroup_rounds", when = #[[ROUNDS]], kernels = [@full_attn0_warpgroup_short]>
// CHECK-SAME: #attn.variant<name = "warpgroup", {{.*}}, kernels = [@full_attn0_warpgroup]>
func.func @full(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%init : !t)
  return %o : !t
}

// CHECK: #attn.variant<name = "warpgroup_rounds", when = #[[PAIRS]], kernels = [@causal_attn0_warpgroup_short]>
func.func @causal(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) causal(top_left) outs(%init : !t)
  return %o : !t
}
