// RUN: fovea-opt %s --transform-interpreter --canonicalize --cse --split-input-file | FileCheck %s

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %init:2, %part, %merge, %loop = transform.structured.tile_reduction_using_forall %op by num_threads = [0, 0, 0, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  // Four parts of the keys: bottom_right becomes the offset of the whole, the base says where the keys lie, the sink joins
  // at the end.
  // CHECK-LABEL: func.func @parallel
  // CHECK-SAME: %[[Q:.+]]: tensor<2x8x64x32xf16>, %[[K:.+]]: tensor<2x2x?x32xf16>, %[[SINK:.+]]: tensor<8xf32>, %[[O:[^:]+]]: tensor
  // CHECK-DAG: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
  // CHECK-DAG: %[[OUTS:.*]] = tensor.empty() : tensor<4x2x8x64x32xf32>
  // CHECK-DAG: %[[LSES:.*]] = linalg.fill ins(%[[NONE]] : f32) outs(%{{.*}} : tensor<4x2x8x64xf32>)
  // CHECK: %[[PARTS:.*]]:2 = scf.forall (%[[PART:.*]]) in (4) shared_outs(%[[OS:.*]] = %[[OUTS]], %[[LS:.*]] = %[[LSES]])
  // CHECK-DAG: %[[J:.*]] = affine.apply {{.*}}(%[[PART]])
  // CHECK-DAG: %[[OFF:.*]] = arith.subi %{{.*}}, %c64
  // CHECK-DAG: %[[OPART:.*]] = tensor.extract_slice %[[OS]][%[[PART]], 0, 0, 0, 0] [1, 2, 8, 64, 32] {{.*}} to tensor<2x8x64x32xf32>
  // CHECK-DAG: %[[LPART:.*]] = tensor.extract_slice %[[LS]][%[[PART]], 0, 0, 0] [1, 2, 8, 64] {{.*}} to tensor<2x8x64xf32>
  // CHECK-DAG: %[[KPART:.*]] = tensor.extract_slice %[[K]][0, 0, %[[J]], 0] [2, 2, %{{.*}}, 32]
  // CHECK: %[[R:.*]]:2 = attn.attention ins(%[[Q]], %[[KPART]], %[[KPART]]
  // CHECK-SAME: causal(%[[OFF]] : index) base(%c0, %c0, %c0, %[[J]]) outs(%[[OPART]], %[[LPART]] :
  // CHECK: tensor.parallel_insert_slice %[[R]]#0 into %[[OS]][%[[PART]], 0, 0, 0, 0]
  // CHECK: tensor.parallel_insert_slice %[[R]]#1 into %[[LS]][%[[PART]], 0, 0, 0]
  // CHECK: attn.combine ins(%[[PARTS]]#0, %[[PARTS]]#1 : {{.*}}) sink(%[[SINK]] : tensor<8xf32>) outs(%[[O]] : tensor<2x8x64x32xf16>)
  func.func @parallel(%q: tensor<2x8x64x32xf16>, %k: tensor<2x2x?x32xf16>, %sink: tensor<8xf32>,
                      %o: tensor<2x8x64x32xf16>) -> tensor<2x8x64x32xf16> {
    %r = attn.attention ins(%q, %k, %k : tensor<2x8x64x32xf16>, tensor<2x2x?x32xf16>, tensor<2x2x?x32xf16>)
      causal(bottom_right) sink(%sink : tensor<8xf32>) outs(%o : tensor<2x8x64x32xf16>)
    return %r : tensor<2x8x64x32xf16>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %init:2, %part, %merge, %loop = transform.structured.tile_reduction_using_for %op by tile_sizes = [0, 0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  // The loop carries one part and merges each tile with it; lengths need a base.
  // CHECK-LABEL: func.func @sequential
  // CHECK-SAME: %[[Q:.+]]: tensor<2x4x8x32xf16>, %[[K:.+]]: tensor<2x4x64x32xf16>, %[[N:[^:]+]]: tensor<2xi32>
  // CHECK: %[[PARTS:.*]]:2 = scf.for %[[J:.*]] = %c0 to %c64 step %c16
  // CHECK: %[[T:.*]]:2 = attn.attention ins(%[[Q]], %{{.*}}, %{{.*}} : tensor<2x4x8x32xf16>, tensor<2x4x16x32xf16>
  // CHECK-SAME: kv_lengths(%[[N]] : tensor<2xi32>) base(%c0, %c0, %c0, %[[J]])
  // CHECK: tensor.insert_slice %[[T]]#0 into {{.*}} into tensor<2x2x4x8x32xf32>
  // CHECK: attn.combine {{.*}} tensor<2x2x4x8xf32>) outs(%{{.*}}, %{{.*}} : tensor<2x4x8x32xf32>, tensor<2x4x8xf32>)
  // CHECK: attn.combine ins(%[[PARTS]]#0, %[[PARTS]]#1 : tensor<16x2x4x8x32xf32>, tensor<16x2x4x8xf32>)
  func.func @sequential(%q: tensor<2x4x8x32xf16>, %k: tensor<2x4x64x32xf16>, %n: tensor<2xi32>,
                        %o: tensor<2x4x8x32xf16>, %l: tensor<2x4x8xf32>) -> (tensor<2x4x8x32xf16>, tensor<2x4x8xf32>) {
    %r:2 = attn.attention ins(%q, %k, %k : tensor<2x4x8x32xf16>, tensor<2x4x64x32xf16>, tensor<2x4x64x32xf16>)
      kv_lengths(%n : tensor<2xi32>) outs(%o, %l : tensor<2x4x8x32xf16>, tensor<2x4x8xf32>)
    return %r#0, %r#1 : tensor<2x4x8x32xf16>, tensor<2x4x8xf32>
  }
}
