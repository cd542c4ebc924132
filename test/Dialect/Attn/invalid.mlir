// RUN: fovea-opt %s --split-input-file --verify-diagnostics

func.func @depth(%q: tensor<1x1x4x64xf32>, %k: tensor<1x1x9x80xf32>, %o: tensor<1x1x4x80xf32>) {
  // expected-error @+1 {{'attn.attention' op key dim 3 (Dqk) is 80 but query dim 3 is 64}}
  %r = attn.attention ins(%q, %k, %k : tensor<1x1x4x64xf32>, tensor<1x1x9x80xf32>, tensor<1x1x9x80xf32>) outs(%o : tensor<1x1x4x80xf32>)
  return
}

// -----

func.func @mask_dim(%q: tensor<2x1x9x8xf32>, %k: tensor<2x1x101x8xf32>, %m: tensor<2x1x9x100xi1>) {
  // expected-error @+1 {{mask dim 3 is 100, expected 1 or 101 (Skv, key dim 2)}}
  %r = attn.attention ins(%q, %k, %k : tensor<2x1x9x8xf32>, tensor<2x1x101x8xf32>, tensor<2x1x101x8xf32>)
         mask(%m : tensor<2x1x9x100xi1>) outs(%q : tensor<2x1x9x8xf32>)
  return
}

// -----

func.func @window(%q: tensor<1x1x4x8xf32>) {
  // expected-error @+1 {{window_left is -5, must be at least 0; leave it out (written *) for an unbounded side}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
         window(-5, 0, top_left) outs(%q : tensor<1x1x4x8xf32>)
  return
}

// -----

func.func @groups(%q: tensor<1x8x4x8xf32>, %k: tensor<1x3x4x8xf32>) {
  // expected-error @+1 {{query has 8 heads (Hq) but key has 3 (Hkv): Hq must be a multiple of Hkv}}
  %r = attn.attention ins(%q, %k, %k : tensor<1x8x4x8xf32>, tensor<1x3x4x8xf32>, tensor<1x3x4x8xf32>) outs(%q : tensor<1x8x4x8xf32>)
  return
}

// -----

func.func @rank(%q: tensor<4x8xf32>) {
  // expected-error @+1 {{query has rank 2, expected 4: [B, Hq, Sq, Dqk]}}
  %r = attn.attention ins(%q, %q, %q : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%q : tensor<4x8xf32>)
  return
}

// -----

func.func @dynamic_depth(%q: tensor<1x1x4x?xf32>) {
  // expected-error @+1 {{query dim 3 (Dqk) is dynamic, but the depth must be static}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x4x?xf32>, tensor<1x1x4x?xf32>, tensor<1x1x4x?xf32>) outs(%q : tensor<1x1x4x?xf32>)
  return
}

// -----

func.func @empty_depth(%q: tensor<1x1x4x8xf32>, %v: tensor<1x1x4x0xf32>) {
  // expected-error @+1 {{value dim 3 (Dv) is 0, must be at least 1}}
  %r = attn.attention ins(%q, %q, %v : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x0xf32>) outs(%v : tensor<1x1x4x0xf32>)
  return
}

// -----

func.func @element_type(%q: tensor<1x1x4x8xf64>) {
  // expected-error @+1 {{query has element type 'f64', expected f32, f16, bf16, f8E4M3FN or f8E5M2}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf64>, tensor<1x1x4x8xf64>, tensor<1x1x4x8xf64>) outs(%q : tensor<1x1x4x8xf64>)
  return
}

// -----

func.func @mixed_element_types(%q: tensor<1x1x4x8xf32>, %k: tensor<1x1x4x8xf16>) {
  // expected-error @+1 {{value has element type 'f16' but query has 'f32'}}
  %r = attn.attention ins(%q, %q, %k : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf16>) outs(%q : tensor<1x1x4x8xf32>)
  return
}

// -----

func.func @mixed_forms(%q: tensor<1x1x4x8xf32>, %k: memref<1x1x4x8xf32>) {
  // expected-error @+1 {{query is a tensor but key is a memref: all operands must be tensors or all memrefs}}
  %r = attn.attention ins(%q, %k, %q : tensor<1x1x4x8xf32>, memref<1x1x4x8xf32>, tensor<1x1x4x8xf32>) outs(%q : tensor<1x1x4x8xf32>)
  return
}

// -----

func.func @mixed_destinations(%q: tensor<1x1x4x8xf32>, %l: memref<1x1x4xf32>) {
  // expected-error @+1 {{query is a tensor but lse is a memref: all operands must be tensors or all memrefs}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
         outs(%q, %l : tensor<1x1x4x8xf32>, memref<1x1x4xf32>)
  return
}

// -----

func.func @bias_type(%q: tensor<1x1x4x8xf32>, %b: tensor<1x1x4x4xi32>) {
  // expected-error @+1 {{bias has element type 'i32', expected a float type}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
         bias(%b : tensor<1x1x4x4xi32>) outs(%q : tensor<1x1x4x8xf32>)
  return
}

// -----

func.func @mask_type(%q: tensor<1x1x4x8xf32>, %m: tensor<1x1x4x4xi8>) {
  // expected-error @+1 {{mask has element type 'i8', expected i1}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
         mask(%m : tensor<1x1x4x4xi8>) outs(%q : tensor<1x1x4x8xf32>)
  return
}

// -----

func.func @sink(%q: tensor<1x2x4x8xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{sink dim 0 (Hq) is 3 but query dim 1 is 2}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         sink(%s : tensor<3xf32>) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @kv_lengths(%q: tensor<1x2x4x8xf32>, %n: tensor<1xindex>) {
  // expected-error @+1 {{kv_lengths has element type 'index', expected i32 or i64}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         kv_lengths(%n : tensor<1xindex>) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @offset(%q: tensor<1x2x4x8xf32>, %n: i32) {
  // expected-error @+1 {{offset has type 'i32', expected index or one i32 or i64 for each batch}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         causal(%n : i32) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @offset_dim(%q: tensor<1x2x4x8xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{offset dim 0 (B) is 2 but query dim 0 is 1}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         causal(%n : tensor<2xi32>) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @lse(%q: tensor<1x2x4x8xf32>, %l: tensor<1x2x5xf32>) {
  // expected-error @+1 {{lse dim 2 (Sq) is 5 but query dim 2 is 4}}
  %r:2 = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         outs(%q, %l : tensor<1x2x4x8xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @no_diagonal(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{window needs the diagonal: top_left, bottom_right or an offset operand}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         window(3, *) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @unused_diagonal(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{diagonal top_left is given, but neither causal nor a window uses it}}
  %r = "attn.attention"(%q, %q, %q, %q) <{diagonal = #attn<diagonal top_left>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0>}> ({}, {}) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----

func.func @no_offset(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{diagonal offset needs the offset operand}}
  %r = "attn.attention"(%q, %q, %q, %q) <{causal, diagonal = #attn<diagonal offset>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0>}> ({}, {}) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----

func.func @unused_offset(%q: tensor<1x2x4x8xf32>, %off: index) {
  // expected-error @+1 {{the offset operand is given, but the diagonal is top_left}}
  %r = "attn.attention"(%q, %q, %q, %off, %q) <{causal, diagonal = #attn<diagonal top_left>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0>}> ({}, {}) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, index, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----

func.func @two_scales(%q: tensor<1x2x4x8xf32>, %s: f32) {
  // expected-error @+1 {{the scale is given twice, as an operand and as the attribute static_scale = 0.5}}
  %r = "attn.attention"(%q, %q, %q, %s, %q) <{static_scale = 0.5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0>}> ({}, {}) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, f32, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----

func.func @infinite_scale(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{static_scale is -Inf, must be finite}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         scale(0xFF800000) outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @overlap(%q: memref<1x2x4x8xf32>, %k: memref<1x2x4x8xf32>) {
  // expected-error @+1 {{output is the same memref as query; a destination may not overlap}}
  attn.attention ins(%q, %k, %k : memref<1x2x4x8xf32>, memref<1x2x4x8xf32>, memref<1x2x4x8xf32>)
    outs(%q : memref<1x2x4x8xf32>)
  return
}

// -----

func.func @broadcast_destination(%q: memref<1x2x4x8xf32>, %o: memref<1x2x4x8xf32, strided<[64, 0, 8, 1]>>) {
  // expected-error @+1 {{output has stride 0 in dim 1 of size 2: no two elements of a destination may share an address}}
  attn.attention ins(%q, %q, %q : memref<1x2x4x8xf32>, memref<1x2x4x8xf32>, memref<1x2x4x8xf32>)
    outs(%o : memref<1x2x4x8xf32, strided<[64, 0, 8, 1]>>)
  return
}

// -----

func.func @yield_type(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         score_mod(%s, %b, %h, %i, %j) {
           %c = arith.constant 0 : i32
           // expected-error @+1 {{score_mod region yields 'i32', expected 'f32'}}
           attn.yield %c : i32
         }
         outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @yields_nothing(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{mask_mod region yields nothing, expected 'i1'}}
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         mask_mod(%b, %h, %i, %j) {
         }
         outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @impure(%q: tensor<1x2x4x8xf32>, %m: memref<4xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         score_mod(%s, %b, %h, %i, %j) {
           // expected-error @+1 {{score_mod must be pure, but 'memref.store' has an effect other than a read}}
           memref.store %s, %m[%i] : memref<4xf32>
           attn.yield %s : f32
         }
         outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func private @f(index) -> i1
func.func @unknown_effects(%q: tensor<1x2x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         mask_mod(%b, %h, %i, %j) {
           // expected-error @+1 {{mask_mod must be pure, but the effects of 'func.call' are not known}}
           %c = func.call @f(%i) : (index) -> i1
           attn.yield %c : i1
         }
         outs(%q : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @region_arguments(%q: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{score_mod argument 0 (score) has type 'f16', expected f32}}
  %r = "attn.attention"(%q, %q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0>}> ({
  ^bb0(%s: f16, %b: index, %h: index, %i: index, %j: index):
    "attn.yield"(%s) : (f16) -> ()
  }, {}) : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return
}

// -----

func.func @combine_parts(%o: tensor<3x1x2x4x8xf32>, %l: tensor<4x1x2x4xf32>, %init: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{'attn.combine' op partial_lses dim 0 (parts) is 4 but partial_outputs dim 0 is 3}}
  %r = attn.combine ins(%o, %l : tensor<3x1x2x4x8xf32>, tensor<4x1x2x4xf32>) outs(%init : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @combine_type(%o: tensor<3x1x2x4x8xf32>, %l: tensor<3x1x2x4xf16>, %init: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{'attn.combine' op partial_lses has element type 'f16', expected f32}}
  %r = attn.combine ins(%o, %l : tensor<3x1x2x4x8xf32>, tensor<3x1x2x4xf16>) outs(%init : tensor<1x2x4x8xf32>)
  return
}

// -----

func.func @list_without_strategy(%q: memref<1x1x4x8xf32>, %o: memref<1x1x4x8xf32>, %l: memref<1x1x1x3xi32>) {
  // expected-error @+1 {{block_list is given, but it has a meaning in kernels alone, on memrefs and with a strategy}}
  attn.attention ins(%q, %q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>, memref<1x1x4x8xf32>)
    block_list(%l : memref<1x1x1x3xi32>) outs(%o : memref<1x1x4x8xf32>)
  return
}

// -----

func.func @map_rank(%q: memref<1x1x4x8xf32>, %states: memref<1x3xi32>) {
  // expected-error @+1 {{'attn.block_map' op states has rank 2, expected 4}}
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) outs(%states : memref<1x3xi32>)
  return
}

// -----

func.func @map_mask(%q: memref<1x1x4x8xf32>, %m: memref<1x1x5x4xi1>, %states: memref<1x1x1x1xi32>) {
  // expected-error @+1 {{'attn.block_map' op mask dim 2 is 5, expected 1 or 4 (Sq, query dim 2)}}
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) mask(%m : memref<1x1x5x4xi1>)
    outs(%states : memref<1x1x1x1xi32>)
  return
}

// -----

func.func @map_diagonal(%q: memref<1x1x4x8xf32>, %states: memref<1x1x1x1xi32>) {
  // expected-error @+1 {{'attn.block_map' op causal needs the diagonal: top_left, bottom_right or an offset operand}}
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) outs(%states : memref<1x1x1x1xi32>) {causal}
  return
}

// -----

func.func @map_yield(%q: memref<1x1x4x8xf32>, %states: memref<1x1x1x1xi32>) {
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) mask_mod {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{mask_mod region yields 'index', expected 'i1'}}
    attn.yield %i : index
  } outs(%states : memref<1x1x1x1xi32>)
  return
}

// -----

func.func @list_type(%states: memref<1x1x1x1xi64>, %list: memref<1x1x1x3xi32>) {
  // expected-error @+1 {{'attn.block_list' op states has element type 'i64', expected i32}}
  attn.block_list %states, %list : memref<1x1x1x1xi64>, memref<1x1x1x3xi32>
  return
}

// -----

func.func @order(%list: memref<1x1x4xi32>) {
  // expected-error @+1 {{'attn.block_order' op list has rank 3, expected 4}}
  attn.block_order %list : memref<1x1x4xi32>
  return
}

// -----

func.func @map_blocks(%q: tensor<2x4x1024x64xf16>, %m: tensor<1x4x7x8xi8>) -> tensor<2x4x1024x64xf16> {
  // expected-error @+1 {{'attn.attention' op block_map dim 2 is 7, expected 8: blocks of 128 of the 1024 queries}}
  %o = attn.attention ins(%q, %q, %q : tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>)
    block_map(%m : tensor<1x4x7x8xi8>, 128, 128) outs(%q : tensor<2x4x1024x64xf16>)
  return %o : tensor<2x4x1024x64xf16>
}

// -----

func.func @map_heads(%q: tensor<2x4x1024x64xf16>, %m: tensor<1x3x8x8xi8>) -> tensor<2x4x1024x64xf16> {
  // expected-error @+1 {{'attn.attention' op block_map dim 1 is 3, expected 1 or 4 (Hq, query dim 1)}}
  %o = attn.attention ins(%q, %q, %q : tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>)
    block_map(%m : tensor<1x3x8x8xi8>, 128, 128) outs(%q : tensor<2x4x1024x64xf16>)
  return %o : tensor<2x4x1024x64xf16>
}

// -----

func.func @map_type(%q: tensor<2x4x1024x64xf16>, %m: tensor<1x1x8x8xi1>) -> tensor<2x4x1024x64xf16> {
  // expected-error @+1 {{'attn.attention' op block_map has element type 'i1', expected i8}}
  %o = attn.attention ins(%q, %q, %q : tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>)
    block_map(%m : tensor<1x1x8x8xi1>, 128, 128) outs(%q : tensor<2x4x1024x64xf16>)
  return %o : tensor<2x4x1024x64xf16>
}

// -----

func.func @map_sizes(%q: tensor<2x4x1024x64xf16>, %m: tensor<1x1x8x?xi8>) -> tensor<2x4x1024x64xf16> {
  // expected-error @+1 {{'attn.attention' op block_map has blocks of [128, 0], expected the number of queries and of keys, each at least 1}}
  %o = attn.attention ins(%q, %q, %q : tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>)
    block_map(%m : tensor<1x1x8x?xi8>, 128, 0) outs(%q : tensor<2x4x1024x64xf16>)
  return %o : tensor<2x4x1024x64xf16>
}

// -----

func.func @map_rank(%q: tensor<2x4x1024x64xf16>, %m: tensor<8x8xi8>) -> tensor<2x4x1024x64xf16> {
  // expected-error @+1 {{'attn.attention' op block_map has rank 2, expected 4}}
  %o = attn.attention ins(%q, %q, %q : tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>, tensor<2x4x1024x64xf16>)
    block_map(%m : tensor<8x8xi8>, 128, 128) outs(%q : tensor<2x4x1024x64xf16>)
  return %o : tensor<2x4x1024x64xf16>
}

// -----

func.func @sizes_alone(%q: tensor<2x4x8x64xf16>) -> tensor<2x4x8x64xf16> {
  // expected-error @+1 {{'attn.attention' op block_map_sizes are given, but there is no block_map}}
  %o = "attn.attention"(%q, %q, %q, %q) <{block_map_sizes = array<i64: 8, 8>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0>}> ({}, {})
    : (tensor<2x4x8x64xf16>, tensor<2x4x8x64xf16>, tensor<2x4x8x64xf16>, tensor<2x4x8x64xf16>) -> tensor<2x4x8x64xf16>
  return %o : tensor<2x4x8x64xf16>
}

// -----

func.func @map_alone(%q: tensor<2x4x8x64xf16>, %m: tensor<1x1x1x1xi8>) -> tensor<2x4x8x64xf16> {
  // expected-error @+1 {{'attn.attention' op block_map needs block_map_sizes, the queries and keys of a block}}
  %o = "attn.attention"(%q, %q, %q, %m, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0>}> ({}, {})
    : (tensor<2x4x8x64xf16>, tensor<2x4x8x64xf16>, tensor<2x4x8x64xf16>, tensor<1x1x1x1xi8>, tensor<2x4x8x64xf16>) -> tensor<2x4x8x64xf16>
  return %o : tensor<2x4x8x64xf16>
}

// -----

func.func @block_map_without_mask(%q: memref<1x1x4x8xf32>, %states: memref<1x1x1x1xi32>) {
  // expected-error @+1 {{'attn.block_map' op has neither a mask nor a mask_mod, so there is nothing to say of blocks}}
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) outs(%states : memref<1x1x1x1xi32>)
  return
}

// -----

func.func @block_map_offset(%q: memref<1x1x4x8xf32>, %off: f32, %states: memref<1x1x1x1xi32>) {
  // expected-error @+1 {{'attn.block_map' op offset has type 'f32', expected index or one i32 or i64 for each batch}}
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) offset(%off : f32) outs(%states : memref<1x1x1x1xi32>)
    {causal, diagonal = #attn<diagonal offset>}
  return
}

// -----

func.func @block_map_offset_type(%q: memref<1x1x4x8xf32>, %off: memref<1xf32>, %states: memref<1x1x1x1xi32>) {
  // expected-error @+1 {{'attn.block_map' op offset has element type 'f32', expected i32 or i64}}
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) offset(%off : memref<1xf32>) outs(%states : memref<1x1x1x1xi32>)
    {causal, diagonal = #attn<diagonal offset>}
  return
}

// -----

func.func @block_map_offset_rank(%q: memref<1x1x4x8xf32>, %off: memref<1x1xi32>, %states: memref<1x1x1x1xi32>) {
  // expected-error @+1 {{'attn.block_map' op offset has rank 2, expected 1: [B]}}
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) offset(%off : memref<1x1xi32>) outs(%states : memref<1x1x1x1xi32>)
    {causal, diagonal = #attn<diagonal offset>}
  return
}

// -----

func.func @block_map_of_tensors(%q: tensor<1x1x4x8xf32>, %m: memref<1x1x4x4xi1>, %states: memref<1x1x1x1xi32>) {
  // expected-error @+1 {{'attn.block_map' op states is a memref but query is a tensor: all operands must be tensors or all memrefs}}
  attn.block_map ins(%q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) mask(%m : memref<1x1x4x4xi1>) outs(%states : memref<1x1x1x1xi32>)
  return
}

// -----

func.func @bytes(%q: tensor<1x2x?x64xf32>, %k: tensor<1x2x4611686018427387904x64xf32>, %o: tensor<1x2x?x64xf32>) {
  // expected-error @+1 {{'attn.attention' op key has type 'tensor<1x2x4611686018427387904x64xf32>' of more than 2^63 - 1 bytes, which no memory holds; smaller sizes work}}
  %0 = attn.attention ins(%q, %k, %k : tensor<1x2x?x64xf32>, tensor<1x2x4611686018427387904x64xf32>, tensor<1x2x4611686018427387904x64xf32>)
         outs(%o : tensor<1x2x?x64xf32>)
  return
}
