// RUN: fovea-opt %s --transform-interpreter --canonicalize --cse --split-input-file | FileCheck %s

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:3 = transform.structured.tile_using_for %op tile_sizes [1, 2, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  // Two query heads of a group of four read one KV head; bottom_right becomes the offset Skv - Sq of the whole; the mask
  // is read at positions of the whole.
  // CHECK: #[[GROUP:.*]] = affine_map<()[s0] -> (s0 floordiv 4)>
  // CHECK-LABEL: func.func @all
  // CHECK-SAME: %[[Q:.+]]: tensor<2x8x64x32xf16>, %[[K:.+]]: tensor<2x2x?x32xf16>, %[[MASK:[^:]+]]:
  // CHECK: scf.for %[[B:[a-z0-9]+]] =
  // CHECK: scf.for %[[H:[a-z0-9]+]] =
  // CHECK: scf.for %[[I:[a-z0-9]+]] =
  // CHECK-DAG: %[[KVH:.*]] = affine.apply #[[GROUP]]()[%[[H]]]
  // CHECK-DAG: %[[SKV:.*]] = tensor.dim %[[K]], %c2
  // CHECK-DAG: %[[OFF:.*]] = arith.subi %[[SKV]], %c64
  // CHECK-DAG: %[[QT:.*]] = tensor.extract_slice %[[Q]][%[[B]], %[[H]], %[[I]], 0] [1, 2, 16, 32] [1, 1, 1, 1]
  // CHECK-DAG: %[[KT:.*]] = tensor.extract_slice %[[K]][%[[B]], %[[KVH]], 0, 0] [1, 1, %[[SKV]], 32] [1, 1, 1, 1]
  // CHECK-DAG: %[[ST:.*]] = tensor.extract_slice %{{.*}}[%[[H]]] [2] [1] : tensor<8xf32> to tensor<2xf32>
  // CHECK: attn.attention ins(%[[QT]], %[[KT]],
  // CHECK-SAME: causal(%[[OFF]] : index) window(7, *) mask(%[[MASK]] : {{.*}}) sink(%[[ST]] : tensor<2xf32>)
  // CHECK-SAME: base(%[[B]], %[[H]], %[[I]], %c0) score_mod
  // CHECK: outs(%{{.*}}, %{{.*}} : tensor<1x2x16x32xf16>, tensor<1x2x16xf32>)
  // CHECK: tensor.insert_slice {{.*}}[%[[B]], %[[H]], %[[I]], 0] [1, 2, 16, 32]
  // CHECK: tensor.insert_slice {{.*}}[%[[B]], %[[H]], %[[I]]] [1, 2, 16]
  func.func @all(%q: tensor<2x8x64x32xf16>, %k: tensor<2x2x?x32xf16>, %mask: tensor<1x8x1x?xi1>, %sink: tensor<8xf32>,
                 %o: tensor<2x8x64x32xf16>, %lse: tensor<2x8x64xf32>) -> (tensor<2x8x64x32xf16>, tensor<2x8x64xf32>) {
    %r:2 = attn.attention ins(%q, %k, %k : tensor<2x8x64x32xf16>, tensor<2x2x?x32xf16>, tensor<2x2x?x32xf16>)
      causal(bottom_right) window(7, *) mask(%mask : tensor<1x8x1x?xi1>) sink(%sink : tensor<8xf32>)
      score_mod(%s, %b, %h, %i, %j) {
        %t = math.tanh %s : f32
        attn.yield %t : f32
      } outs(%o, %lse : tensor<2x8x64x32xf16>, tensor<2x8x64xf32>)
    return %r#0, %r#1 : tensor<2x8x64x32xf16>, tensor<2x8x64xf32>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [0, 4, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  // Tiles of whole groups; lengths differ by batch, and so do the offsets; a base is added to.
  // CHECK-DAG: #[[GROUP:.*]] = affine_map<()[s0] -> (s0 floordiv 2)>
  // CHECK-DAG: #[[ADD:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
  // CHECK-LABEL: func.func @lengths
  // CHECK-SAME: {{.*}}%[[X:arg3]]: index
  // CHECK: scf.for %[[H:[a-z0-9]+]] =
  // CHECK: scf.for %[[I:[a-z0-9]+]] =
  // CHECK: %[[KVH:.*]] = affine.apply #[[GROUP]]()[%[[H]]]
  // CHECK: %[[OFFS:.*]] = tensor.generate
  // CHECK:   arith.maxsi
  // CHECK:   arith.minsi
  // CHECK:   arith.subi
  // CHECK: } : tensor<3xi64>
  // CHECK: tensor.extract_slice %{{.*}}[0, %[[KVH]], 0, 0] [3, %{{.*}}, 128, 32]
  // CHECK-DAG: %[[H0:.*]] = affine.apply #[[ADD]]()[%[[X]], %[[H]]]
  // CHECK-DAG: %[[I0:.*]] = affine.apply #[[ADD]]()[%[[X]], %[[I]]]
  // CHECK: attn.attention {{.*}} causal(%[[OFFS]] : tensor<3xi64>) kv_lengths(%{{.*}} : tensor<3xi32>) base(%[[X]], %[[H0]], %[[I0]], %[[X]])
  func.func @lengths(%q: tensor<3x6x64x32xf16>, %k: tensor<3x3x128x32xf16>, %n: tensor<3xi32>, %x: index) -> tensor<3x6x64x32xf16> {
    %o = tensor.empty() : tensor<3x6x64x32xf16>
    %r = attn.attention ins(%q, %k, %k : tensor<3x6x64x32xf16>, tensor<3x3x128x32xf16>, tensor<3x3x128x32xf16>)
      causal(bottom_right) kv_lengths(%n : tensor<3xi32>) base(%x, %x, %x, %x) outs(%o : tensor<3x6x64x32xf16>)
    return %r : tensor<3x6x64x32xf16>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:3 = transform.structured.tile_using_for %op tile_sizes [1, 1, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  // Memrefs with dynamic head counts: one head at a time, its KV head computed; nothing reads a position of the whole.
  // CHECK-LABEL: func.func @memrefs
  // CHECK: scf.for
  // CHECK: arith.divui
  // CHECK: arith.divui
  // CHECK: memref.subview
  // CHECK: attn.attention ins({{.*}}) kv_lengths(%{{.*}} : memref<1xi64, {{.*}}>) outs(
  func.func @memrefs(%q: memref<?x?x?x32xf16>, %k: memref<?x?x?x32xf16>, %n: memref<?xi64>, %o: memref<?x?x?x32xf16>) {
    attn.attention ins(%q, %k, %k : memref<?x?x?x32xf16>, memref<?x?x?x32xf16>, memref<?x?x?x32xf16>)
      kv_lengths(%n : memref<?xi64>) outs(%o : memref<?x?x?x32xf16>)
    return
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.combine"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [0, 2, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  // CHECK-LABEL: func.func @combine
  // CHECK: tensor.extract_slice %{{.*}}[0, 0, %{{.*}}, %{{.*}}, 0] [%{{.*}}, 2, 2, 16, 32]
  // CHECK: attn.combine ins({{.*}}) sink({{.*}} : tensor<2xf32>) outs({{.*}} : tensor<2x2x16x32xf16>)
  func.func @combine(%p: tensor<?x2x8x64x32xf32>, %l: tensor<?x2x8x64xf32>, %s: tensor<8xf32>, %o: tensor<2x8x64x32xf16>) -> tensor<2x8x64x32xf16> {
    %r = attn.combine ins(%p, %l : tensor<?x2x8x64x32xf32>, tensor<?x2x8x64xf32>) sink(%s : tensor<8xf32>) outs(%o : tensor<2x8x64x32xf16>)
    return %r : tensor<2x8x64x32xf16>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.fuse %op tile_sizes [0, 2, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  // A producer is fused into the loops of its consumer.
  // CHECK-LABEL: func.func @fuse
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: attn.attention
  // CHECK: linalg.exp
  func.func @fuse(%q: tensor<2x8x64x32xf32>) -> tensor<2x8x64x32xf32> {
    %e = tensor.empty() : tensor<2x8x64x32xf32>
    %r = attn.attention ins(%q, %q, %q : tensor<2x8x64x32xf32>, tensor<2x8x64x32xf32>, tensor<2x8x64x32xf32>)
      causal(top_left) outs(%e : tensor<2x8x64x32xf32>)
    %x = linalg.exp ins(%r : tensor<2x8x64x32xf32>) outs(%e : tensor<2x8x64x32xf32>) -> tensor<2x8x64x32xf32>
    return %x : tensor<2x8x64x32xf32>
  }
}
