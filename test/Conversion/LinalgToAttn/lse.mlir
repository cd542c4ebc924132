// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=linalg

#rows = affine_map<(b, i) -> (b, i)>
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @lse(
// CHECK: %[[O:.*]]:2 = attn.attention ins({{.*}}) scale(1.250000e-01) outs({{.*}} : tensor<?x1x?x64xf32>, tensor<?x1x?xf32>)
// CHECK-DAG: %[[R:.*]] = tensor.collapse_shape %[[O]]#0
// CHECK-DAG: %[[L:.*]] = tensor.collapse_shape %[[O]]#1
// CHECK: return %[[R]], %[[L]]
func.func @lse(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> (tensor<?x?x64xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %mx0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%mx0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?xf32>
  %sh = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.subf %x0, %x1 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sh : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %z = math.exp %x0 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<?x?x?xf32>) outs(%l0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %n = arith.addf %x, %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.divf %x0, %x1 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %lse = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%mx, %l : tensor<?x?xf32>, tensor<?x?xf32>) outs(%er : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = math.log %y : f32
    %w = arith.addf %x, %z : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %r, %lse : tensor<?x?x64xf32>, tensor<?x?xf32>
}

// The logarithm of the sum is computed apart from the softmax, with a maximum of its own that is guarded against -inf.
// CHECK-LABEL: func.func @logsumexp(
// CHECK: %[[O:.*]]:2 = attn.attention ins({{.*}}) scale(1.250000e-01) outs({{.*}} : tensor<?x1x?x64xf32>, tensor<?x1x?xf32>)
// CHECK-DAG: %[[R:.*]] = tensor.collapse_shape %[[O]]#0
// CHECK-DAG: %[[L:.*]] = tensor.collapse_shape %[[O]]#1
// CHECK: return %[[R]], %[[L]]
func.func @logsumexp(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> (tensor<?x?x64xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %mx0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%mx0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?xf32>
  %guarded = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%mx : tensor<?x?xf32>) outs(%er : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %a = math.absf %x : f32
    %c = arith.cmpf oeq, %a, %inf : f32
    %y = arith.select %c, %zero, %x : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %guarded : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.subf %x0, %x1 : f32
    %y = math.exp %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<?x?x?xf32>) outs(%l0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %n = arith.addf %x, %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %lse = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%guarded, %l : tensor<?x?xf32>, tensor<?x?xf32>) outs(%er : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = math.log %y : f32
    %w = arith.addf %x, %z : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %r, %lse : tensor<?x?x64xf32>, tensor<?x?xf32>
}
