// TOSA by hand, as frontends write it: f16 products, the softmax in f32 by a reciprocal, scale as a tensor of one element.
// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(tosa-to-linalg-named,canonicalize,tosa-to-linalg,canonicalize,cse),tosa-to-arith,attn-raise)' --verify-diagnostics | FileCheck %s --implicit-check-not=linalg --implicit-check-not=tosa

// CHECK-LABEL: func.func @tosa(
// CHECK: attn.attention ins({{.*}} : tensor<2x1x8x16xf16>, tensor<2x1x9x16xf16>, tensor<2x1x9x16xf16>) scale(2.500000e-01) outs({{.*}} : tensor<2x1x8x16xf16>)
func.func @tosa(%q: tensor<2x8x16xf16>, %k: tensor<2x9x16xf16>, %v: tensor<2x9x16xf16>) -> tensor<2x8x16xf16> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %scale = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<2x9x16xf16>) -> tensor<2x16x9xf16>
  %s = tosa.matmul %q, %kt, %z, %z : (tensor<2x8x16xf16>, tensor<2x16x9xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<2x8x9xf32>
  %t = tosa.mul %s, %scale, %shift : (tensor<2x8x9xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x8x9xf32>
  %m = tosa.reduce_max %t {axis = 2 : i32} : (tensor<2x8x9xf32>) -> tensor<2x8x1xf32>
  %d = tosa.sub %t, %m : (tensor<2x8x9xf32>, tensor<2x8x1xf32>) -> tensor<2x8x9xf32>
  %e = tosa.exp %d : (tensor<2x8x9xf32>) -> tensor<2x8x9xf32>
  %l = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<2x8x9xf32>) -> tensor<2x8x1xf32>
  %r = tosa.reciprocal %l : (tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
  %p = tosa.mul %e, %r, %shift : (tensor<2x8x9xf32>, tensor<2x8x1xf32>, tensor<1xi8>) -> tensor<2x8x9xf32>
  %h = tosa.cast %p : (tensor<2x8x9xf32>) -> tensor<2x8x9xf16>
  %o = tosa.matmul %h, %v, %z, %z : (tensor<2x8x9xf16>, tensor<2x9x16xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<2x8x16xf16>
  return %o : tensor<2x8x16xf16>
}
