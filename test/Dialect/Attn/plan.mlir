// RUN: fovea-opt %s --attn-plan=target=sm_80 | FileCheck %s

// The kernel takes the op's operands in order, with free strides; each argument says what it is bound to.
// CHECK-LABEL: func.func @f
// CHECK: attn.attention
// CHECK-SAME: attn.plan = [{{.*}}#attn.variant<name = "aligned", when = {{.*}}, kernels = [@f_attn0_aligned]>, {{.*}}#attn.variant<name = "any", kernels = [@f_attn0_any]>]
func.func @f(%q: tensor<2x8x?x64xbf16>, %k: tensor<2x2x?x64xbf16>, %init: tensor<2x8x?x64xbf16>) -> tensor<2x8x?x64xbf16> {
  %o = attn.attention ins(%q, %k, %k : tensor<2x8x?x64xbf16>, tensor<2x2x?x64xbf16>, tensor<2x2x?x64xbf16>)
         causal(bottom_right) outs(%init : tensor<2x8x?x64xbf16>)
  return %o : tensor<2x8x?x64xbf16>
}
// CHECK: func.func private @f_attn0_aligned(
// CHECK-SAME: memref<2x8x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>> {attn.source = #attn.source<operand = 0>}
// CHECK-SAME: {attn.source = #attn.source<operand = 1>}
// CHECK-SAME: {attn.source = #attn.source<operand = 2>}
// CHECK-SAME: {attn.source = #attn.source<operand = 3>}
// CHECK-SAME: attributes {attn.launch = #attn.launch<grid =
// CHECK: attn.attention {{.*}}strategy = #attn.strategy<

// Captured tensors become arguments and are loaded as memrefs; captured constants are cloned.
// CHECK: func.func private @capture_attn0_aligned(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: memref<8xf32, strided<[?], offset: ?>> {attn.source = #attn.source<capture = 0>}
// CHECK: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: memref.load %[[TABLE]]
// CHECK: arith.mulf %{{.*}}, %[[C]]
func.func @capture(%q: tensor<1x8x16x64xf16>, %table: tensor<8xf32>, %init: tensor<1x8x16x64xf16>) -> tensor<1x8x16x64xf16> {
  %c = arith.constant 2.0 : f32
  %o = attn.attention ins(%q, %q, %q : tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>)
         score_mod(%s, %b, %h, %i, %j) {
           %slope = tensor.extract %table[%h] : tensor<8xf32>
           %twice = arith.mulf %slope, %c : f32
           %r = arith.addf %s, %twice : f32
           attn.yield %r : f32
         } outs(%init : tensor<1x8x16x64xf16>)
  return %o : tensor<1x8x16x64xf16>
}
