// RUN: fovea-opt %s --attn-cpu-judge --verify-diagnostics

func.func @slice(%q: tensor<1x1x4x8xf32>, %table: tensor<?xf32>, %o: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
         score_mod(%s, %b, %h, %i, %j) {
           // expected-error @below {{'tensor.extract_slice' on a captured tensor cannot be part of a kernel; use tensor.extract or tensor.dim}}
           %part = tensor.extract_slice %table[%j] [1] [1] : tensor<?xf32> to tensor<1xf32>
           %c0 = arith.constant 0 : index
           %x = tensor.extract %part[%c0] : tensor<1xf32>
           attn.yield %x : f32
         } outs(%o : tensor<1x1x4x8xf32>)
  return %r : tensor<1x1x4x8xf32>
}
