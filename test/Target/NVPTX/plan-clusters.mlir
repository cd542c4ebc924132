// RUN: fovea-opt %s --attn-plan=target=sm_90a --split-input-file | FileCheck %s

// Few queries: the parts of a tile are the thread blocks of a cluster, 8 or 4 of them, if 11 of 12 multiprocessors hold all
// clusters at once, and there are so many of these, or so few keys, that the rest may idle. No temporaries, no second kernel.
// CHECK-DAG: #[[ROWS8:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s5 * 11 - (((s0 * s2) * s3) * ((s1 floordiv s2) ceildiv 64)) * 96 >= 0, s5 * 12288 - s4 * (s5 - (((s0 * s2) * s3) * ((s1 floordiv s2) ceildiv 64)) * 16) >= 0, s1 - s2 * s3 >= 0, -s3 + 16 >= 0, s4 - 1024 >= 0)>
// CHECK-DAG: #[[ROWS4:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s5 * 11 - (((s0 * s2) * s3) * ((s1 floordiv s2) ceildiv 64)) * 48 >= 0, {{.*}}s4 - 1024 >= 0)>
// CHECK-DAG: #[[BLOCKS8:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s5 * 11 - ((s0 * s1) * (s3 ceildiv 64)) * 96 >= 0, s5 * 12288 - s4 * (s5 - ((s0 * s1) * (s3 ceildiv 64)) * 16) >= 0, s4 - 1024 >= 0)>
// CHECK-DAG: #[[GRID8:.*]] = affine_map<{{.*}} -> ((((s0 * s2) * s3) * ((s1 floordiv s2) ceildiv 64)) * 8)>
// CHECK-DAG: #[[GRID4:.*]] = affine_map<{{.*}} -> (((s0 * s1) * (s3 ceildiv 64)) * 4)>
// CHECK: attn.plan = [#attn.variant<name = "rows_cluster8", when = #[[ROWS8]], kernels = [@f_attn0_rows_cluster8]>, #attn.variant<name = "rows_cluster4", when = #[[ROWS4]], kernels = [@f_attn0_rows_cluster4]>, #attn.variant<name = "cluster8", when = #[[BLOCKS8]], kernels = [@f_attn0_cluster8]>, #attn.variant<name = "cluster4", when = #{{.*}}, kernels = [@f_attn0_cluster4]>, #attn.variant<name = "rows_split",
// The kernel has the op's own destinations and its sink.
// CHECK: func.func private @f_attn0_rows_cluster8({{.*}}operand = 3{{.*}}operand = 4{{.*}}) attributes {attn.launch = #attn.launch<grid = #[[GRID8]]>}
// CHECK: attn.attention {{.*}} sink({{.*}}strategy = #attn.strategy<block_m = 64, block_n = 128, warps = 4, stages = 3, vector_bytes = 16, pack_heads = true, split_kv = true, round_p = true, unit = warpgroup, overlap = true, rescale = optimistic, cluster = 8>
// CHECK: func.func private @f_attn0_cluster4({{.*}}grid = #[[GRID4]]
// CHECK: #attn.strategy<block_m = 64, block_n = 128, warps = 4, stages = 3, vector_bytes = 16, split_kv = true, {{.*}}cluster = 4>
!t = tensor<?x?x?x128xbf16>
func.func @f(%q: !t, %k: !t, %sink: tensor<?xf32>, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) sink(%sink : tensor<?xf32>) outs(%o : !t)
  return %r : !t
}

// -----

// Scores that cost registers have smaller blocks of keys, deep heads fewer stages.
!t = tensor<?x?x?x256xf16>
// CHECK: func.func private @deep_attn0_cluster8
// CHECK: #attn.strategy<block_m = 64, block_n = 48, warps = 4, stages = 4, {{.*}}rescale = lazy, cluster = 8>
func.func @deep(%q: !t, %k: !t, %b: tensor<1x1x?x?xf16>, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) bias(%b : tensor<1x1x?x?xf16>) outs(%o : !t)
  return %r : !t
}

// -----

// Products of f32 are those of warps, which have parts and a second kernel.
!t = tensor<?x?x?x64xf32>
// CHECK-LABEL: func.func @single
// CHECK-NOT: cluster
func.func @single(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}
