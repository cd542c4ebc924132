// RUN: fovea-opt %s --attn-plan=target=sm_80 | FileCheck %s

// Keys of f32 are cut into parts up to three blocks of queries for two multiprocessors. Where the last block has twice the
// keys of the mean one it is up to two for each, the more the longer; not with a window, whose blocks have the same keys.
// Of 16 bits there may be one for each.
// CHECK-DAG: #[[UNEVEN:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s4 - 1024 >= 0, s5 * 2 - (s0 * s1) * (s3 ceildiv 64) >= 0, s5 * (s4 + 5120) - ((s0 * s1) * (s3 ceildiv 64)) * 4096 >= 0)>
// CHECK-DAG: #[[EVEN:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s4 - 1024 >= 0, s5 * 3 - ((s0 * s1) * (s3 ceildiv 64)) * 2 >= 0)>
// CHECK-DAG: #[[HALF:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s4 - 2048 >= 0, s5 - (s0 * s1) * (s3 ceildiv 64) >= 0)>
// CHECK: func.func @causal(
// CHECK: #attn.variant<name = "split", when = #[[UNEVEN]],
// CHECK: func.func @window(
// CHECK: #attn.variant<name = "split", when = #[[EVEN]],
// CHECK: func.func @half(
// CHECK: #attn.variant<name = "split", when = #[[HALF]],
!t = tensor<?x?x?x128xf32>
!half = tensor<?x?x?x128xbf16>
func.func @causal(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) outs(%o : !t)
  return %r : !t
}
func.func @window(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) window(255, 0, top_left) outs(%o : !t)
  return %r : !t
}
func.func @half(%q: !half, %k: !half, %o: !half) -> !half {
  %r = attn.attention ins(%q, %k, %k : !half, !half, !half) causal(top_left) outs(%o : !half)
  return %r : !half
}
