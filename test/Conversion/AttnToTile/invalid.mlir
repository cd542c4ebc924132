// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' --split-input-file --verify-diagnostics

!q = memref<?x8x?x64xf32>

func.func @no_strategy(%q: !q, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{'attn.attention' op in a kernel needs a strategy}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%o : !q)
  return
}

// -----

!t = tensor<?x8x?x64xf32>
func.func @tensors(%q: !t, %o: !t)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{in a kernel works on memrefs, but got 'tensor<?x8x?x64xf32>'}}
  %r = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {strategy = #attn.strategy<block_m = 16, block_n = 16>}
  return
}

// -----

!f8 = memref<?x8x?x64xf8E4M3FN>
!o = memref<?x8x?x64xbf16>
func.func @f8(%q: !f8, %o: !o)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{query has element type 'f8E4M3FN', but tiles compute in f32, f16 or bf16}}
  attn.attention ins(%q, %q, %q : !f8, !f8, !f8) outs(%o : !o) {strategy = #attn.strategy<block_m = 16, block_n = 16>}
  return
}

// -----

!q = memref<?x8x?x64xf32>
!p = memref<?x?x8x?x64xf32>
!pl = memref<?x?x8x?xf32>
func.func @split_without_lse(%q: !q, %o: !p)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{with split_kv needs lse: partial results are merged by it}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%o : !p)
    {strategy = #attn.strategy<block_m = 16, block_n = 16, split_kv = true>}
  return
}

func.func @split_with_sink(%q: !q, %o: !p, %l: !pl, %s: memref<8xf32>)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{with split_kv leaves the sink to attn.combine}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) sink(%s : memref<8xf32>) outs(%o, %l : !p, !pl)
    {strategy = #attn.strategy<block_m = 16, block_n = 16, split_kv = true>}
  return
}

func.func @combine_without_strategy(%o: !p, %l: !pl, %out: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{'attn.combine' op in a kernel needs 'attn.strategy'}}
  attn.combine ins(%o, %l : !p, !pl) outs(%out : !q)
  return
}

// -----

// One error although the region would be cloned into two loops.
!q = memref<?x8x?x64xf32>
func.func @loop_in_region(%q: !q, %o: !q, %n: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.attention ins(%q, %q, %q : !q, !q, !q) causal(top_left)
    score_mod(%s, %b, %h, %i, %j) {
      // expected-error@below {{'scf.for' in a score_mod region cannot be lowered to tiles; use arith, math, scf.if and memref.load}}
      %r = scf.for %x = %c0 to %n step %c1 iter_args(%a = %s) -> f32 {
        %y = arith.addf %a, %s : f32
        scf.yield %y : f32
      }
      attn.yield %r : f32
    } outs(%o : !q) {strategy = #attn.strategy<block_m = 16, block_n = 16>}
  return
}

// -----

!q = memref<?x8x?x64xf32>
func.func @tensor_in_region(%q: !q, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c1 = arith.constant 1 : index
  attn.attention ins(%q, %q, %q : !q, !q, !q)
    score_mod(%s, %b, %h, %i, %j) {
      // expected-error@below {{'tensor.extract' in a score_mod region cannot be lowered to tiles; pass the tensor as an argument of the function}}
      %r = tensor.extract %t[%c1] : tensor<2xf32>
      attn.yield %r : f32
    } outs(%o : !q) {strategy = #attn.strategy<block_m = 16, block_n = 16>}
  return
}

// -----

!q = memref<?x8x?x64xf32>
func.func @vector_in_region(%q: !q, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %q, %q : !q, !q, !q)
    score_mod(%s, %b, %h, %i, %j) {
      // expected-error@below {{'vector.broadcast' in a score_mod region cannot be lowered to tiles; use arith, math, scf.if and memref.load}}
      %v = vector.broadcast %s : f32 to vector<4xf32>
      %w = arith.addf %v, %v : vector<4xf32>
      %r = vector.reduction <add>, %w : vector<4xf32> into f32
      attn.yield %r : f32
    } outs(%o : !q) {strategy = #attn.strategy<block_m = 16, block_n = 16>}
  return
}

// -----

!q = memref<?x8x?x64xbf16>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>
#cluster = #attn.strategy<block_m = 64, block_n = 32, unit = warpgroup, persistent = true, cluster = 2>
func.func @causal_cluster(%q: !q, %o: !q) attributes {attn.launch = #launch} {
  // expected-error@below {{'attn.attention' op with a cluster of 2 needs the same keys for all queries, but has causal; a strategy with cluster = 1 works}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) causal(top_left) outs(%o : !q) {strategy = #cluster}
  return
}

func.func @window_cluster(%q: !q, %o: !q) attributes {attn.launch = #launch} {
  // expected-error@below {{needs the same keys for all queries, but has a window}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) window(4, 4, top_left) outs(%o : !q) {strategy = #cluster}
  return
}

func.func @listed_heads(%q: !q, %list: memref<1x1x?x?xi32>, %o: !q) attributes {attn.launch = #launch} {
  // expected-error@below {{'attn.attention' op with block_list can't have split_kv, pack_heads or persistent}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) block_list(%list : memref<1x1x?x?xi32>) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, pack_heads = true>}
  return
}

func.func @thread(%q: !q, %o: !q) attributes {attn.launch = #launch} {
  // expected-error@below {{'attn.attention' op has tiles, but unit = thread has none; warp and warpgroup work}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, unit = thread>}
  return
}

func.func @map_without_strategy(%q: !q, %m: memref<1x1x?x?xi1>, %states: memref<1x1x?x?xi32>) attributes {attn.launch = #launch} {
  // expected-error@below {{'attn.block_map' op in a kernel needs a strategy}}
  attn.block_map ins(%q, %q : !q, !q) mask(%m : memref<1x1x?x?xi1>) outs(%states : memref<1x1x?x?xi32>)
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
func.func @loop(%q: !t, %k: !t, %v: !t, %o: !t)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    score_mod(%s, %b, %h, %i, %j) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      // expected-error@+1 {{'scf.for' in a score_mod region cannot be lowered to tiles; use arith, math, scf.if and memref.load}}
      %y = scf.for %n = %c0 to %h step %c1 iter_args(%a = %s) -> f32 {
        %z = arith.addf %a, %s : f32
        scf.yield %z : f32
      }
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!q = memref<?x8x?x64xf16>
!l = memref<?x8x?xf32>
func.func @lse_of_rounded_weights(%q: !q, %o: !q, %l: !l)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{has lse, which sums of rounded weights are too coarse for; a strategy with row_sums = add works}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%o, %l : !q, !l)
    {strategy = #attn.strategy<block_m = 64, block_n = 16, warps = 4, round_p = true, unit = warpgroup, overlap = true, row_sums = product>}
  return
}

// -----

!q = memref<?x8x?x64xf16>
!m = memref<1x1x?x?xi1>
func.func @carried_scores_of_a_mask(%q: !q, %m: !m, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{of depths 64 and 64 can't have carry_scores, which is for ops without a region, a bias, a mask or kv_lengths and for depths up to 128; a strategy with carry_scores = false works}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) mask(%m : !m) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 16, warps = 4, round_p = true, unit = warpgroup, overlap = true, persistent = true, carry_scores = true>}
  return
}

// -----

!q = memref<?x8x?x192xf16>
!v = memref<?x8x?x128xf16>
func.func @carried_scores_of_deep_heads(%q: !q, %v: !v, %o: !v)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{of depths 192 and 128 can't have carry_scores}}
  attn.attention ins(%q, %q, %v : !q, !q, !v) outs(%o : !v)
    {strategy = #attn.strategy<block_m = 64, block_n = 16, warps = 4, round_p = true, unit = warpgroup, overlap = true, persistent = true, carry_scores = true>}
  return
}

// -----

!q = memref<?x8x?x64xf16>
func.func @longest_first_of_equal_tasks(%q: !q, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  // expected-error@below {{can't have longest_first, which is for keys that causal or a window bounds on the right; a strategy with longest_first = false works}}
  attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 16, warps = 4, round_p = true, unit = warpgroup, overlap = true, persistent = true, longest_first = true>}
  return
}
