// RUN: fovea-opt %s --verify-diagnostics --attn-verify-strategies=target=sm_80

!m = memref<?x?x?x64xbf16>
func.func @cluster(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64) * 8)>>} {
  // expected-error@+1 {{sm_80 has no clusters of thread blocks, but this strategy has one of 8; cluster = 1 works}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, split_kv = true, round_p = true, cluster = 8>}
  return
}
