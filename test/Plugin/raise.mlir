// Attention in upstream's linalg is found by the distribution's mlir-opt.
// REQUIRES: plain-build
// RUN: mlir-opt --load-dialect-plugin=%bin/../lib/FoveaPlugin.so --load-pass-plugin=%bin/../lib/FoveaPlugin.so %s --pass-pipeline="builtin.module(func.func(attn-raise))" | FileCheck %s
// CHECK-LABEL: func.func @softmax
// CHECK: attn.attention ins(
// CHECK-NOT: linalg.softmax

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#kt = affine_map<(b, m, n, k) -> (b, n, k)>
#s = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @softmax(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #kt, #s] ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%fs : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%fo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %o : tensor<2x8x16xf32>
}
