// RUN: fovea-opt %s --split-input-file --verify-diagnostics --attn-verify-strategies=target=sm_90a

!m = memref<?x?x?x64xbf16>
func.func @rows(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 96))>>} {
  // expected-error@+1 {{a strategy with 4 warps needs a block_m that is a multiple of 64, but this one has 96}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 96, block_n = 64, warps = 4, round_p = true>}
  return
}

// -----

!m = memref<?x?x?x64xbf16>
func.func @keys(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for a GPU needs a block_n that is a multiple of 16, but this one has 40}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 40, warps = 4, round_p = true>}
  return
}

// -----

!m = memref<?x?x?x64xbf16>
func.func @overlap(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy with overlap needs unit = warpgroup: products of warps don't run beside other code}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, round_p = true, overlap = true>}
  return
}

// -----

!m = memref<?x?x?x64xf16>
func.func @rounding(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for 'f16' on a GPU needs round_p = true}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @types(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy with unit = warpgroup needs elements of 16 bits, but the query has 'f32'; unit = warp works}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, unit = warpgroup>}
  return
}

// -----

!m = memref<?x?x?x64xbf16>
func.func @warps(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy with unit = warpgroup needs 4, 8 or 12 warps, but this one has 6}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 6, round_p = true, unit = warpgroup>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @grid(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{the strategy needs the grid affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> ((s0 * s1) * (s3 ceildiv 128))>, but attn.launch has affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> ((s0 * s1) * (s3 ceildiv 64))>}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 128, block_n = 64, warps = 4>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @persistent_grid(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{the strategy needs the grid affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> ((s0 * s1) * (s3 ceildiv 64), s5)>}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, persistent = true>}
  return
}

// -----

!m = memref<?x?x?x64xbf16>
func.func @cluster_grid(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{the strategy needs the grid affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> (((s0 * s1) * (s3 ceildiv 64)) * 8)>}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, split_kv = true, round_p = true, cluster = 8>}
  return
}

// -----

!m = memref<?x?x?x256xbf16>
func.func @wide_values(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 192))>>} {
  // expected-error@+1 {{a product of 256 columns needs 158 registers of a thread, which has 128 where a block of 16 warps starts and a multiprocessor holds 1; cluster = 1, fewer warps or smaller block_n work}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 192, block_n = 32, warps = 12, round_p = true, unit = warpgroup, persistent = true, cluster = 2>}
  return
}

// -----

// A strategy for other ops, whatever the target.
!m = memref<?x?x?x64xbf16>
func.func @longest_first(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 128), threads)>>} {
  // expected-error@+1 {{'attn.attention' op can't have longest_first, which is for keys that causal or a window bounds on the right; a strategy with longest_first = false works}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) window(7, *, top_left) outs(%o : !m) {strategy = #attn.strategy<block_m = 128, block_n = 64, warps = 8, round_p = true, unit = warpgroup, persistent = true, longest_first = true>}
  return
}

// -----

!m = memref<?x?x?x64xbf16>
func.func @cluster(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 128), threads)>>} {
  // expected-error@+1 {{'attn.attention' op with a cluster of 2 needs the same keys for all queries, but has causal; a strategy with cluster = 1 works}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) causal(top_left) outs(%o : !m) {strategy = #attn.strategy<block_m = 128, block_n = 64, warps = 8, round_p = true, unit = warpgroup, persistent = true, cluster = 2>}
  return
}

// -----

!m = memref<?x?x?x32xbf16>
func.func @ones(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy with row_sums = product needs a depth of V that is a multiple of 64, but it is 32; row_sums = add works}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, round_p = true, unit = warpgroup, overlap = true, row_sums = product>}
  return
}
