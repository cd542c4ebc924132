// RUN: not fovea-opt %s --attn-plan=target=sm_91 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: fovea-opt %s --attn-plan=target=sm_80 --split-input-file --verify-diagnostics

// TARGET: error: unknown target 'sm_91'; known targets: {{.*}}sm_80

func.func @captured_tensor(%q: tensor<1x8x16x64xf16>, %table: tensor<8xf32>, %init: tensor<1x8x16x64xf16>) -> tensor<1x8x16x64xf16> {
  %o = attn.attention ins(%q, %q, %q : tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>)
         score_mod(%s, %b, %h, %i, %j) {
           // expected-error@+1 {{'tensor.cast' on a captured tensor cannot be part of a kernel; use tensor.extract or tensor.dim}}
           %cast = tensor.cast %table : tensor<8xf32> to tensor<?xf32>
           %slope = tensor.extract %cast[%h] : tensor<?xf32>
           %r = arith.addf %s, %slope : f32
           attn.yield %r : f32
         } outs(%init : tensor<1x8x16x64xf16>)
  return %o : tensor<1x8x16x64xf16>
}
