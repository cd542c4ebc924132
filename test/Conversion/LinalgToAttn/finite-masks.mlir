// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=linalg

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @finite_fill(
// CHECK-NOT: mask
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) score_mod(%[[S:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK: %[[K:.*]] = tensor.extract %arg5
// CHECK: %[[Y:.*]] = arith.select %[[K]], %[[S]], %{{.*}}
// CHECK: attn.yield %[[Y]]
func.func @finite_fill(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e38 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %x1, %m, %low : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @small_fill(
// CHECK-NOT: causal
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) score_mod(%[[S:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK: arith.select %{{.*}}, %[[S]], %{{.*}}
func.func @small_fill(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e4 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sle, %j, %i : index
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %c, %m, %low : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// The fill is no lower than scores where it has been scaled.
// CHECK-LABEL: func.func @scaled_fill(
// CHECK-NOT: causal
// CHECK: attn.attention ins({{.*}}) scale(1.000000e+00) score_mod(%[[S:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[S]], %{{.*}}
// CHECK: arith.mulf %[[Y]]
func.func @scaled_fill(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -2.0e30 : f32
  %tiny = arith.constant 1.0e-30 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sle, %j, %i : index
    %m = arith.select %c, %x0, %low : f32
    %y = arith.mulf %m, %tiny : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @finite_with_bias(
// CHECK: attn.attention ins({{.*}}) scale(1.000000e+00) causal(top_left) bias({{.*}} : tensor<?x1x?x?xf32>) outs
func.func @finite_with_bias(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %bias: tensor<?x?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e38 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %bias : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sle, %j, %i : index
    %b = arith.addf %x0, %x1 : f32
    %y = arith.select %c, %b, %low : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{the mask's finite fill is -inf here; a bias that is as low makes other rows than in what this was raised from}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}
