// RUN: fovea-opt %s --attn-plan=target=cpu | FileCheck %s

// A constant tensor that a region reads lies in memory, once for all kernels.
// CHECK-COUNT-1: memref.global "private" constant @[[NAME:.*]] : memref<4xf32> = dense<[5.000000e-01, 2.500000e-01, 1.250000e-01, 6.250000e-02]>
// CHECK-NOT: memref.global
// CHECK: %[[TABLE:.*]] = memref.get_global @[[NAME]] : memref<4xf32>
// CHECK: memref.load %[[TABLE]]
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %slopes = arith.constant dense<[0.5, 0.25, 0.125, 0.0625]> : tensor<4xf32>
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
      %slope = tensor.extract %slopes[%h] : tensor<4xf32>
      %y = arith.mulf %s, %slope : f32
      attn.yield %y : f32
    } outs(%o : !t)
  return %r : !t
}
