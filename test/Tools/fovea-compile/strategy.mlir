// RUN: fovea-compile %s --target=sm_80 --emit=attn --strategy='#attn.strategy<block_m = 64, block_n = 32, warps = 4, vector_bytes = 8, round_p = true>' | FileCheck %s
// RUN: fovea-compile %s --target=cpu --emit=attn --strategy='#attn.strategy<block_m = 4, block_n = 32, split_kv = true>' | FileCheck %s --check-prefix=SPLIT
// RUN: fovea-compile %s --target=sm_90a --emit=attn --strategy='#attn.strategy<block_m = 128, block_n = 160, warps = 8, stages = 2, vector_bytes = 16, round_p = true, unit = warpgroup, overlap = true, persistent = true, cluster = 2>' | FileCheck %s --check-prefix=CLUSTER
// RUN: not fovea-compile %s --target=sm_80 --strategy='fastest' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not fovea-compile %s --target=sm_80 --strategy='#attn.strategy<block_m = 64, block_n = 0>' 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not fovea-compile %s --target=sm_90a --emit=attn --strategy='#attn.strategy<block_m = 128, block_n = 160, warps = 8, stages = 2, vector_bytes = 16, round_p = true, unit = warpgroup, overlap = true, persistent = true, longest_first = true>' 2>&1 | FileCheck %s --check-prefix=ORDER --implicit-check-not=error:
// RUN: not fovea-compile %s --target=sm_80 --emit=attn --strategy='#attn.strategy<block_m = 64, block_n = 32, warps = 4, vector_bytes = 8>' 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=error:

// A given strategy runs what it can, by its own conditions, and the target's last variant the rest.
// CHECK: #[[WHEN:.*]] = affine_set<{{.*}} : (s6 - 8 >= 0)>
// CHECK: attn.plan = [#attn.variant<name = "given", when = #[[WHEN]], kernels = [@f_attn0_given]>, #attn.variant<name = "any", kernels = [@f_attn0_any]>]
// CHECK: func.func private @f_attn0_given
// CHECK: strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, vector_bytes = 8, round_p = true>
// The parts are as many as fill the processors.
// SPLIT: #attn.variant<name = "given", kernels = [@f_attn0_given_parts, @f_attn0_given_combine], temporaries =
// The grid of clusters of two is a multiple of two.
// CLUSTER: affine_map<{{.*}} -> ({{.*}}(s3 ceildiv 256) * {{.*}}, (s5 floordiv 2) * 2)>
// One for other ops or for another target is refused where it is given, before there is code.
// ORDER: strategy.mlir:[[#]]:8: error: 'attn.attention' op can't have longest_first, which is for keys that causal or a window bounds on the right; a strategy with longest_first = false works
// TARGET: strategy.mlir:[[#]]:8: error: a strategy for 'f16' on a GPU needs round_p = true
// NONE: error: 'fastest' is no strategy; expected #attn.strategy<...>
// BOUNDS: error: '#attn.strategy<block_m = 64, block_n = 0>' is no strategy; expected #attn.strategy<...> (strategy block_n is 0, must be from 1 to 1024)
func.func @f(%q: tensor<1x8x?x64xf16>, %k: tensor<1x8x?x64xf16>, %o: tensor<1x8x?x64xf16>) -> tensor<1x8x?x64xf16> {
  %r = attn.attention ins(%q, %k, %k : tensor<1x8x?x64xf16>, tensor<1x8x?x64xf16>, tensor<1x8x?x64xf16>) outs(%o : tensor<1x8x?x64xf16>)
  return %r : tensor<1x8x?x64xf16>
}
