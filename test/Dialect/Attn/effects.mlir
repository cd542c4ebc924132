// RUN: fovea-opt %s --cse | FileCheck %s

// Ops on tensors have no effects, unless a region reads memory.
// CHECK-LABEL: func.func @tensors
// CHECK-COUNT-1: attn.attention
// CHECK-NOT: attn.attention
// CHECK: return
func.func @tensors(%q: tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) {
  %0 = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) outs(%q : tensor<1x1x4x8xf32>)
  %1 = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) outs(%q : tensor<1x1x4x8xf32>)
  return %0, %1 : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
}

// CHECK-LABEL: func.func @reads
// CHECK-COUNT-2: attn.attention
func.func @reads(%q: tensor<1x1x4x8xf32>, %m: memref<4xf32>, %x: f32) -> (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %0 = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
    score_mod(%s, %b, %h, %i, %j) {
      %t = memref.load %m[%i] : memref<4xf32>
      attn.yield %t : f32
    } outs(%q : tensor<1x1x4x8xf32>)
  memref.store %x, %m[%c0] : memref<4xf32>
  %1 = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
    score_mod(%s, %b, %h, %i, %j) {
      %t = memref.load %m[%i] : memref<4xf32>
      attn.yield %t : f32
    } outs(%q : tensor<1x1x4x8xf32>)
  return %0, %1 : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
}
