// RUN: fovea-opt %s --attn-raise=allow-narrow-softmax | FileCheck %s --implicit-check-not=linalg

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @narrow_softmax(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @narrow_softmax(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %eh: tensor<?x?x?xf16>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%eh : tensor<?x?x?xf16>) {
  ^bb0(%x0: f32, %o: f16):
    %m = arith.mulf %x0, %scale : f32
    %h = arith.truncf %m : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?x?xf16>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf16>) outs(%eh : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf16>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}
