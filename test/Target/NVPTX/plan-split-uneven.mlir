// RUN: fovea-opt %s --attn-plan=target=sm_80 | FileCheck %s

// Where the last block has twice the keys of the mean one, three blocks for two multiprocessors are few enough; not with a
// window, whose blocks have the same keys. Products of f32 take long: it pays from fewer keys on.
// CHECK-DAG: #[[UNEVEN:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s5 * 3 - ((s0 * s1) * (s3 ceildiv 64)) * 2 >= 0, s4 - 1024 >= 0)>
// CHECK-DAG: #[[EVEN:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s5 - ((s0 * s1) * (s3 ceildiv 64)) * 2 >= 0, s4 - 1024 >= 0)>
// CHECK: func.func @causal
// CHECK: #attn.variant<name = "split", when = #[[UNEVEN]],
// CHECK: func.func @window
// CHECK: #attn.variant<name = "split", when = #[[EVEN]],
!t = tensor<?x?x?x128xf32>
func.func @causal(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) outs(%o : !t)
  return %r : !t
}
func.func @window(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) window(255, 0, top_left) outs(%o : !t)
  return %r : !t
}
