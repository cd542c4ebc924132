// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=linalg

#ckq = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#ckk = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#cks = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#cvp = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#cvv = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#cvo = affine_map<(b, h, i, d, j) -> (b, h, i, d)>

// A column of the scores, cut off after the softmax, that each head has one number in.
// CHECK-LABEL: func.func @sink_column(
// CHECK: attn.attention ins(%arg0, %arg1, %arg2 : {{.*}}) scale(1.000000e+00) sink(%arg3 : tensor<4xf32>) outs
func.func @sink_column(%q: tensor<2x4x3x64xf16>, %k: tensor<2x4x5x64xf16>, %v: tensor<2x4x5x64xf16>, %sink: tensor<4xf32>) -> tensor<2x4x3x64xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x4x3x5xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %s = linalg.contract indexing_maps = [#ckq, #ckk, #cks] ins(%q, %k : tensor<2x4x3x64xf16>, tensor<2x4x5x64xf16>) outs(%s0 : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %e1 = tensor.empty() : tensor<2x4x3x1xf32>
  %b = linalg.broadcast ins(%sink : tensor<4xf32>) outs(%e1 : tensor<2x4x3x1xf32>) dimensions = [0, 2, 3]
  %t = tensor.concat dim(3) %s, %b : (tensor<2x4x3x5xf32>, tensor<2x4x3x1xf32>) -> tensor<2x4x3x6xf32>
  %e6 = tensor.empty() : tensor<2x4x3x6xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x4x3x6xf32>) outs(%e6 : tensor<2x4x3x6xf32>) -> tensor<2x4x3x6xf32>
  %w = tensor.extract_slice %p[0, 0, 0, 0] [2, 4, 3, 5] [1, 1, 1, 1] : tensor<2x4x3x6xf32> to tensor<2x4x3x5xf32>
  %eo = tensor.empty() : tensor<2x4x3x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x3x64xf32>) -> tensor<2x4x3x64xf32>
  %r = linalg.contract indexing_maps = [#cvp, #cvv, #cvo] ins(%w, %v : tensor<2x4x3x5xf32>, tensor<2x4x5x64xf16>) outs(%o0 : tensor<2x4x3x64xf32>) -> tensor<2x4x3x64xf32>
  return %r : tensor<2x4x3x64xf32>
}

// Keys that are the first ones of a longer tensor: the slice stays.
// CHECK-LABEL: func.func @sliced_keys(
// CHECK: %[[K:.*]] = tensor.extract_slice %arg1
// CHECK: attn.attention ins(%arg0, %[[K]], %arg2 : {{.*}}) scale(1.000000e+00) outs
func.func @sliced_keys(%q: tensor<2x4x3x64xf16>, %cache: tensor<2x4x9x64xf16>, %v: tensor<2x4x5x64xf16>) -> tensor<2x4x3x64xf32> {
  %zero = arith.constant 0.0 : f32
  %k = tensor.extract_slice %cache[0, 0, 0, 0] [2, 4, 5, 64] [1, 1, 1, 1] : tensor<2x4x9x64xf16> to tensor<2x4x5x64xf16>
  %es = tensor.empty() : tensor<2x4x3x5xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %s = linalg.contract indexing_maps = [#ckq, #ckk, #cks] ins(%q, %k : tensor<2x4x3x64xf16>, tensor<2x4x5x64xf16>) outs(%s0 : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x4x3x5xf32>) outs(%es : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %eo = tensor.empty() : tensor<2x4x3x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x3x64xf32>) -> tensor<2x4x3x64xf32>
  %r = linalg.contract indexing_maps = [#cvp, #cvv, #cvo] ins(%p, %v : tensor<2x4x3x5xf32>, tensor<2x4x5x64xf16>) outs(%o0 : tensor<2x4x3x64xf32>) -> tensor<2x4x3x64xf32>
  return %r : tensor<2x4x3x64xf32>
}
