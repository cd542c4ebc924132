// RUN: fovea-opt %s --attn-plan=target=sm_80 --split-input-file | FileCheck %s
// RUN: fovea-compile %s --target=sm_80 --emit=ptx | FileCheck %s --check-prefix=PTX

// Few queries: the keys are cut into parts, whose number comes from the multiprocessors, the tasks and the keys. The heads of
// a group are rows where there are at least as many of them as queries; else blocks of queries, if they leave half of the GPU idle.
// CHECK-DAG: #[[GROUPS:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s1 - s2 * s3 >= 0, -s3 + 16 >= 0, s4 - 1024 >= 0)>
// CHECK-DAG: #[[BLOCKS:.*]] = affine_set<{{.*}} : (s6 - 16 >= 0, s4 - 2048 >= 0, s5 - ((s0 * s1) * (s3 ceildiv 64)) * 2 >= 0)>
// CHECK: attn.plan = [#attn.variant<name = "rows_split", when = #[[GROUPS]], kernels = [@f_attn0_rows_split_parts, @f_attn0_rows_split_combine], temporaries = [{{.*}}]>, #attn.variant<name = "split", when = #[[BLOCKS]], kernels = [@f_attn0_split_parts, @f_attn0_rows_split_combine],
// CHECK: func.func private @f_attn0_rows_split_parts
// CHECK: strategy = #attn.strategy<block_m = 16, block_n = 32, {{.*}}pack_heads = true, split_kv = true, round_p = true>
// CHECK: func.func private @f_attn0_rows_split_combine
// CHECK: attn.combine{{.*}}#attn.strategy<block_m = 16, block_n = 16, stages = 8, vector_bytes = 16>
// CHECK: func.func private @f_attn0_split_parts
// CHECK: strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, {{.*}}split_kv = true, round_p = true>
// PTX: .entry f_attn0_rows_split_parts(
// PTX: .entry f_attn0_rows_split_combine(
// PTX: .entry f_attn0_split_parts(
func.func @f(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %o: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %r = attn.attention ins(%q, %k, %k : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) outs(%o : tensor<?x?x?x128xbf16>)
  return %r : tensor<?x?x?x128xbf16>
}
