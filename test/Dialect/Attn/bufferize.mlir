// RUN: fovea-opt %s --one-shot-bufferize=bufferize-function-boundaries --split-input-file | FileCheck %s

!q = tensor<1x2x?x8xf32>

// Destinations are written in place, regions read the buffers of what they capture.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: %[[Q:.+]]: memref<1x2x?x8xf32, {{.*}}>, %[[O:.+]]: memref<1x2x?x8xf32, {{.*}}>, %[[L:.+]]: memref<1x2x?xf32, {{.*}}>, %[[N:.+]]: memref<1xi32, {{.*}}>, %[[S:.+]]: memref<2xf32, {{.*}}>
// CHECK-NOT: memref.alloc
// CHECK: attn.attention ins(%[[Q]], %[[Q]], %[[Q]] : {{.*}}) causal(bottom_right) kv_lengths(%[[N]] : {{.*}}) score_mod(
// CHECK:   memref.load %[[S]]
// CHECK: } outs(%[[O]], %[[L]] : {{.*}})
// CHECK: return %[[O]], %[[L]]
func.func @in_place(%q: !q, %o: !q, %lse: tensor<1x2x?xf32>, %n: tensor<1xi32>, %slopes: tensor<2xf32>) -> (!q, tensor<1x2x?xf32>) {
  %r:2 = attn.attention ins(%q, %q, %q : !q, !q, !q) causal(bottom_right) kv_lengths(%n : tensor<1xi32>)
    score_mod(%s, %b, %h, %i, %j) {
      %m = tensor.extract %slopes[%h] : tensor<2xf32>
      %t = arith.mulf %s, %m : f32
      attn.yield %t : f32
    } outs(%o, %lse : !q, tensor<1x2x?xf32>)
  return %r#0, %r#1 : !q, tensor<1x2x?xf32>
}

// -----

!q = tensor<1x2x4x8xf32>

// An input that is also the destination is not overwritten while it is read.
// CHECK-LABEL: func.func @input_is_destination
// CHECK-SAME: %[[Q:.+]]: memref
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NOT: memref.copy
// CHECK: attn.attention ins(%[[Q]], {{.*}} outs(%[[A]] :
func.func @input_is_destination(%q: !q) -> !q {
  %r = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q)
  return %r : !q
}

// -----

!q = tensor<1x2x4x8xf32>

// Nor is a tensor that a region reads.
// CHECK-LABEL: func.func @capture_is_destination
// CHECK-SAME: %[[Q:.+]]: memref<{{.*}}>, %[[O:.+]]: memref
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: attn.attention
// CHECK:   memref.load %[[O]]
// CHECK: outs(%[[A]] :
func.func @capture_is_destination(%q: !q, %o: !q) -> !q {
  %r = attn.attention ins(%q, %q, %q : !q, !q, !q) mask_mod(%b, %h, %i, %j) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %e = tensor.extract %o[%b, %h, %c0, %c0] : !q
    %c = arith.cmpf olt, %e, %zero : f32
    attn.yield %c : i1
  } outs(%o : !q)
  return %r : !q
}

// -----

!q = tensor<1x2x4x8xf32>

// A captured tensor that is overwritten after the op is still the old one inside.
// CHECK-LABEL: func.func @write_after
// CHECK-SAME: %[[Q:.+]]: memref<{{.*}}>, %[[T:.+]]: memref<2xf32
// CHECK: attn.attention
// CHECK:   memref.load %[[T]]
// CHECK: memref.store %{{.*}}, %[[T]]
func.func @write_after(%q: !q, %t: tensor<2xf32>, %x: f32, %o: !q) -> (!q, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %r = attn.attention ins(%q, %q, %q : !q, !q, !q) score_mod(%s, %b, %h, %i, %j) {
    %e = tensor.extract %t[%h] : tensor<2xf32>
    attn.yield %e : f32
  } outs(%o : !q)
  %u = tensor.insert %x into %t[%c0] : tensor<2xf32>
  return %r, %u : !q, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @combine
// CHECK-SAME: %[[O:.+]]: memref<3x1x2x4x8xf32, {{.*}}>, %[[L:.+]]: memref<3x1x2x4xf32, {{.*}}>, %[[I:.+]]: memref<1x2x4x8xf16
// CHECK: attn.combine ins(%[[O]], %[[L]] : {{.*}}) outs(%[[I]] :
func.func @combine(%o: tensor<3x1x2x4x8xf32>, %l: tensor<3x1x2x4xf32>, %init: tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16> {
  %r = attn.combine ins(%o, %l : tensor<3x1x2x4x8xf32>, tensor<3x1x2x4xf32>) outs(%init : tensor<1x2x4x8xf16>)
  return %r : tensor<1x2x4x8xf16>
}
