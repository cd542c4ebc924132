// RUN: fovea-opt %s --split-input-file --verify-diagnostics --attn-verify-strategies

!m = memref<?x?x?x64xf32>
func.func @warps(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for the CPU has warps = 1, but this one has 4}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @stages(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for the CPU has stages = 1, but this one has 2}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, stages = 2>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @alignment(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for the CPU has vector_bytes = 1, but this one has 16}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, vector_bytes = 16>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @unit(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for the CPU can't have unit = warpgroup}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, unit = warpgroup>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @overlap(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for the CPU can't have overlap}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, overlap = true>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @persistent(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for the CPU can't have persistent}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, persistent = true>}
  return
}

// -----

!m = memref<?x?x?x64xf32>
func.func @rescale(%q: !m, %o: !m)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>>} {
  // expected-error@+1 {{a strategy for the CPU can't have rescale}}
  attn.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) {strategy = #attn.strategy<block_m = 64, block_n = 64, rescale = lazy>}
  return
}
