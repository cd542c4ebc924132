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

// -----

func.func @bias_of_8_bits(%q: tensor<1x8x16x64xf16>, %bias: tensor<1x1x1x16xf8E4M3FN>, %init: tensor<1x8x16x64xf16>) -> tensor<1x8x16x64xf16> {
  // expected-error@+1 {{has a bias of 'f8E4M3FN', for which there is no code; f64, f32, f16 and bf16 work}}
  %o = attn.attention ins(%q, %q, %q : tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>)
         bias(%bias : tensor<1x1x1x16xf8E4M3FN>) outs(%init : tensor<1x8x16x64xf16>)
  return %o : tensor<1x8x16x64xf16>
}

// -----

func.func @table_of_8_bits(%q: tensor<1x8x16x64xf16>, %table: tensor<8xf8E5M2>, %init: tensor<1x8x16x64xf16>) -> tensor<1x8x16x64xf16> {
  %o = attn.attention ins(%q, %q, %q : tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>)
         score_mod(%s, %b, %h, %i, %j) {
           // expected-error@+1 {{'tensor.extract' in a region is on 'f8E5M2', for which there is no code; f64, f32, f16 and bf16 work}}
           %x = tensor.extract %table[%h] : tensor<8xf8E5M2>
           %slope = arith.extf %x : f8E5M2 to f32
           %r = arith.addf %s, %slope : f32
           attn.yield %r : f32
         } outs(%init : tensor<1x8x16x64xf16>)
  return %o : tensor<1x8x16x64xf16>
}

// -----

func.func @wide_float(%q: tensor<1x8x16x64xf16>, %init: tensor<1x8x16x64xf16>) -> tensor<1x8x16x64xf16> {
  %o = attn.attention ins(%q, %q, %q : tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>, tensor<1x8x16x64xf16>)
         score_mod(%s, %b, %h, %i, %j) {
           // expected-error@+1 {{'arith.extf' in a region is on 'f80', for which there is no code; f64, f32, f16 and bf16 work}}
           %x = arith.extf %s : f32 to f80
           %r = arith.truncf %x : f80 to f32
           attn.yield %r : f32
         } outs(%init : tensor<1x8x16x64xf16>)
  return %o : tensor<1x8x16x64xf16>
}
