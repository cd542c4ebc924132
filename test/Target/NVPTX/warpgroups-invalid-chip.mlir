// RUN: fovea-opt %s --verify-diagnostics --attn-tile-specialize-warps=chip=sm_80

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{sm_80 has no products of warpgroups; a strategy with unit = warp works}}
func.func @kernel() attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, unit = warpgroup>} {
  return
}
