// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=linalg

#zero = affine_map<(b, i, j) -> (0, 0, 0)>
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @on_queries(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @on_queries(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf16>
  %n = tensor.dim %q, %c1 : tensor<?x?x64xf16>
  %qse = tensor.empty(%b, %n) : tensor<?x?x64xf32>
  %qs = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<?x?x64xf16>) outs(%qse : tensor<?x?x64xf32>) {
  ^bb0(%x0: f16, %o: f32):
    %w = arith.extf %x0 : f16 to f32
    %m = arith.mulf %w, %scale : f32
    linalg.yield %m : f32
  } -> tensor<?x?x64xf32>
  %ke = tensor.empty(%b, %n) : tensor<?x?x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%qs, %k : tensor<?x?x64xf32>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @on_queries_and_keys(
// CHECK: attn.attention ins({{.*}}f16>) scale(1.250000e-01)
func.func @on_queries_and_keys(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %root = arith.constant 0.353553385 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf16>
  %n = tensor.dim %q, %c1 : tensor<?x?x64xf16>
  %nk = tensor.dim %k, %c1 : tensor<?x?x64xf16>
  %qse = tensor.empty(%b, %n) : tensor<?x?x64xf32>
  %qs = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<?x?x64xf16>) outs(%qse : tensor<?x?x64xf32>) {
  ^bb0(%x0: f16, %o: f32):
    %w = arith.extf %x0 : f16 to f32
    %m = arith.mulf %w, %root : f32
    linalg.yield %m : f32
  } -> tensor<?x?x64xf32>
  %kse = tensor.empty(%b, %nk) : tensor<?x?x64xf32>
  %ks = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : tensor<?x?x64xf16>) outs(%kse : tensor<?x?x64xf32>) {
  ^bb0(%x0: f16, %o: f32):
    %w = arith.extf %x0 : f16 to f32
    %m = arith.mulf %w, %root : f32
    linalg.yield %m : f32
  } -> tensor<?x?x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%qs, %ks : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @division(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @division(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %eight = arith.constant 8.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %m = arith.divf %x0, %eight : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @one_element(
// CHECK: %[[C:.*]] = tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<1x1x1xf32>
// CHECK: attn.attention ins({{.*}}) scale(%[[C]])
func.func @one_element(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %c: tensor<1x1x1xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #zero, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %c : tensor<?x?x?xf32>, tensor<1x1x1xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %m = arith.mulf %x0, %x1 : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @constant_tensor(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @constant_tensor(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %c = arith.constant dense<0.125> : tensor<1x1x1xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #zero, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %c : tensor<?x?x?xf32>, tensor<1x1x1xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %m = arith.mulf %x0, %x1 : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @run_time(
// CHECK: attn.attention ins({{.*}}) scale(%arg5)
func.func @run_time(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %scale: f32) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @none(
// CHECK: attn.attention ins({{.*}}) scale(1.000000e+00)
func.func @none(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @power_of_two_in_f16(
// CHECK: attn.attention ins({{.*}}) scale(2.500000e-01)
func.func @power_of_two_in_f16(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %h = arith.constant 0.25 : f16
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
