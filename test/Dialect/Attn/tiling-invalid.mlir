// RUN: fovea-opt %s --transform-interpreter --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 3, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  func.func @groups(%q: tensor<2x8x64x32xf16>, %k: tensor<2x2x64x32xf16>) -> tensor<2x8x64x32xf16> {
    // expected-error @+3 {{to tile operation}}
    // expected-remark @+2 {{a tile of query heads must divide the group of 4 heads that share a KV head, or be a multiple of it}}
    // expected-error @+1 {{failed to generate tiling loops}}
    %r = attn.attention ins(%q, %k, %k : tensor<2x8x64x32xf16>, tensor<2x2x64x32xf16>, tensor<2x2x64x32xf16>)
      outs(%q : tensor<2x8x64x32xf16>)
    return %r : tensor<2x8x64x32xf16>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 2, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  func.func @dynamic_heads(%q: tensor<2x?x64x32xf16>, %k: tensor<2x?x64x32xf16>) -> tensor<2x?x64x32xf16> {
    // expected-error @+3 {{to tile operation}}
    // expected-remark @+2 {{heads are cut one by one or not at all where their number is dynamic}}
    // expected-error @+1 {{failed to generate tiling loops}}
    %r = attn.attention ins(%q, %k, %k : tensor<2x?x64x32xf16>, tensor<2x?x64x32xf16>, tensor<2x?x64x32xf16>)
      outs(%q : tensor<2x?x64x32xf16>)
    return %r : tensor<2x?x64x32xf16>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  func.func @lengths(%q: memref<2x8x64x32xf16>, %k: memref<2x8x64x32xf16>, %n: memref<2xi32>, %o: memref<2x8x64x32xf16>) {
    // expected-error @+3 {{to tile operation}}
    // expected-remark @+2 {{with kv_lengths and bottom_right on memrefs, queries are cut together with batches of 1 only}}
    // expected-error @+1 {{failed to generate tiling loops}}
    attn.attention ins(%q, %k, %k : memref<2x8x64x32xf16>, memref<2x8x64x32xf16>, memref<2x8x64x32xf16>)
      causal(bottom_right) kv_lengths(%n : memref<2xi32>) outs(%o : memref<2x8x64x32xf16>)
    return
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  func.func @keys(%q: tensor<2x8x64x32xf16>) -> tensor<2x8x64x32xf16> {
    // expected-error @+3 {{to tile operation}}
    // expected-remark @+2 {{keys are a reduction: cut them with tile_reduction_using_for or tile_reduction_using_forall}}
    // expected-error @+1 {{failed to generate tiling loops}}
    %r = attn.attention ins(%q, %q, %q : tensor<2x8x64x32xf16>, tensor<2x8x64x32xf16>, tensor<2x8x64x32xf16>)
      outs(%q : tensor<2x8x64x32xf16>)
    return %r : tensor<2x8x64x32xf16>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{failed to tile using partial reduction}}
    %init, %part, %merge, %loop = transform.structured.tile_reduction_using_for %op by tile_sizes = [0, 0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
  func.func @parts(%q: memref<2x8x64x32xf16>, %o: memref<2x8x64x32xf16>) {
    // expected-remark @+1 {{keys are cut into parts on tensors only}}
    attn.attention ins(%q, %q, %q : memref<2x8x64x32xf16>, memref<2x8x64x32xf16>, memref<2x8x64x32xf16>)
      outs(%o : memref<2x8x64x32xf16>)
    return
  }
}
