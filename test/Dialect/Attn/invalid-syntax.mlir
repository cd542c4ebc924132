// RUN: fovea-opt %s --split-input-file --verify-diagnostics

func.func @twice(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{clause 'scale' is given twice}}
         scale(0.5) scale(0.25) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @packed(%q: tensor<1x2x4x8xf32>, %c: tensor<3xi32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{packed sequences (cu_seqlens) are not supported by attn.attention yet; pad the sequences to one length and give kv_lengths}}
         cu_seqlens(%c : tensor<3xi32>) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @unknown(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{unknown clause 'cuasal' of attn.attention; known clauses: ins, scale, causal, window, bias, mask, sink, kv_lengths, base, block_map, block_list, score_mod, mask_mod, outs}}
         cuasal(top_left) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @no_outs(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{clause 'outs' is missing}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @two_ins(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{clause 'ins' takes 3 operands, got 2}}
  %r = attn.attention ins(%q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @types(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{clause 'ins' has 3 operands but 1 types}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @bare_causal(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{expected a diagonal: top_left, bottom_right or '%offset : type'}}
         causal() outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @two_diagonals(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{the diagonal is named twice, in causal and in window; name it in causal alone}}
         causal(top_left) window(3, *, top_left) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @window_bound(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{expected a window bound: a number of keys, or * for unbounded}}
         window(all, 0) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @large_window_bound(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{a window bound is a number of keys up to 2^63 - 1, but this one is 9223372036854775808; * is for an unbounded side}}
         window(9223372036854775808, 0, top_left) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @small_window_bound(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{a window bound is a number of keys up to 2^63 - 1, but this one is -9223372036854775809; * is for an unbounded side}}
         window(0, -9223372036854775809, top_left) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @base(%q: tensor<1x2x4x8xf32>, %c: index) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{base takes 4 indices (batch, head, query, key), got 2}}
         base(%c, %c) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @region_arguments(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         // expected-error @+1 {{mask_mod takes 4 arguments (batch, head, query, key), got 2}}
         mask_mod(%i, %j) {
         }
         outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @clause_attribute(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         outs(%q : tensor<1x2x4x8xf32>)
         // expected-error @+1 {{attribute 'causal' is written as a clause, not in the dictionary}}
         {causal}
  return
}

// -----

func.func @attribute_type(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         outs(%q : tensor<1x2x4x8xf32>)
         // expected-error @+1 {{attribute 'strategy' failed to satisfy constraint}}
         {strategy = 3}
  return
}
