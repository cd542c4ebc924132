// RUN: fovea-opt %s --attn-raise | FileCheck %s
// RUN: fovea-opt %s --attn-raise=move-scale | FileCheck %s --check-prefix=MOVED

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @rounded_in_f16(
// CHECK: %[[Q:.*]] = linalg.generic
// CHECK: %[[Q4:.*]] = tensor.expand_shape %[[Q]]
// CHECK: attn.attention ins(%[[Q4]], {{.*}}) scale(1.000000e+00)
// MOVED-LABEL: func.func @rounded_in_f16(
// MOVED-NOT: linalg
// MOVED: attn.attention ins({{.*}}) scale(0.300048828)
func.func @rounded_in_f16(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %h = arith.constant 0.3 : f16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf16>
  %n = tensor.dim %q, %c1 : tensor<?x?x64xf16>
  %qe = tensor.empty(%b, %n) : tensor<?x?x64xf16>
  %qs = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<?x?x64xf16>) outs(%qe : tensor<?x?x64xf16>) {
  ^bb0(%x0: f16, %o: f16):
    %m = arith.mulf %x0, %h : f16
    linalg.yield %m : f16
  } -> tensor<?x?x64xf16>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%qs, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}
