// Each has one remark, at the op that breaks the first rule; the last two are none.
// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=attn.attention
// CHECK: func.func @other_dimension

#col = affine_map<(b, i, j) -> (b, j)>
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>
#csr = #sparse_tensor.encoding<{map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed)}>

func.func @other_dimension(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
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
  // expected-remark @below {{attention is not raised: the softmax runs over another dimension than the second product sums over}}
  %p = linalg.softmax dimension(1) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @other_maximum(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %ec: tensor<?x?xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %m0 = linalg.fill ins(%ninf : f32) outs(%ec : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%t : tensor<?x?x?xf32>) outs(%m0 : tensor<?x?xf32>) dimensions = [1]
  // expected-remark @below {{attention is not raised: the maximum that is subtracted runs over another dimension than the keys}}
  %e = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
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
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.divf %x0, %x1 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @other_divisor(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>, %other: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  // expected-remark @below {{attention is not raised: the divisor is not the sum of the weights}}
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %a = arith.addf %x1, %scale : f32
    %z = arith.divf %x0, %a : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @no_division(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{attention is not raised: the weights are not divided by their sum}}
  %r = linalg.batch_matmul ins(%e, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @dropout(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %drop: tensor<?x?x?xf32>) -> tensor<?x?x64xf32> {
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
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // expected-remark @below {{attention is not raised: the weights are changed between the softmax and the second product}}
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %drop : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.mulf %x0, %x1 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%d, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @other_select(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>) -> tensor<?x?x64xf32> {
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
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // expected-remark @below {{attention is not raised: a select sets weights to zero by another rule than that their row keeps no key}}
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %z = arith.select %x1, %x0, %zero : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%d, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @weights_returned(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> (tensor<?x?x64xf32>, tensor<?x?x?xf32>) {
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
  // expected-remark @below {{attention is not raised: what is computed here between the two products has another use}}
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r, %p : tensor<?x?x64xf32>, tensor<?x?x?xf32>
}

func.func @added_to_a_value(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
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
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // expected-remark @below {{attention is not raised: the second product is added to a value that is not zero}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

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
  // expected-remark @below {{attention is not raised: the softmax is computed in f16; allow-narrow-softmax raises it to f32}}
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf16>) outs(%eh : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf16>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @quantised(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %qi: tensor<?x?x64xi8>, %ki: tensor<?x64x?xi8>, %ei: tensor<?x?x?xi32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %c0 = arith.constant 0 : i32
  %s0 = linalg.fill ins(%c0 : i32) outs(%ei : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  // expected-remark @below {{attention is not raised: the first product is one of integers}}
  %s = linalg.quantized_batch_matmul ins(%qi, %ki, %c0, %c0 : tensor<?x?x64xi8>, tensor<?x64x?xi8>, i32, i32) outs(%s0 : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xi32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: i32, %o: f32):
    %f = arith.sitofp %x0 : i32 to f32
    %m = arith.mulf %f, %scale : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @dynamic_head(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // expected-remark @below {{attention is not raised: the size of a head is dynamic}}
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%o0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @f64(%q: tensor<2x8x16xf64>, %k: tensor<2x8x16xf64>, %v: tensor<2x8x16xf64>, %es: tensor<2x8x8xf64>, %eo: tensor<2x8x16xf64>) -> tensor<2x8x16xf64> {
  %zero = arith.constant 0.0 : f64
  %s0 = linalg.fill ins(%zero : f64) outs(%es : tensor<2x8x8xf64>) -> tensor<2x8x8xf64>
  // expected-remark @below {{attention is not raised: attention has no element type such as that of the queries}}
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<2x8x16xf64>, tensor<2x8x16xf64>) outs(%s0 : tensor<2x8x8xf64>) -> tensor<2x8x8xf64>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf64>) outs(%es : tensor<2x8x8xf64>) -> tensor<2x8x8xf64>
  %o0 = linalg.fill ins(%zero : f64) outs(%eo : tensor<2x8x16xf64>) -> tensor<2x8x16xf64>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf64>, tensor<2x8x16xf64>) outs(%o0 : tensor<2x8x16xf64>) -> tensor<2x8x16xf64>
  return %r : tensor<2x8x16xf64>
}

func.func @sink_of_rows(%q: tensor<2x3x64xf16>, %k: tensor<2x4x64xf16>, %v: tensor<2x4x64xf16>, %sink: tensor<2x3x1xf32>, %es: tensor<2x3x4xf32>, %ec: tensor<2x3x5xf32>, %eo: tensor<2x3x64xf32>) -> tensor<2x3x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<2x3x64xf16>, tensor<2x4x64xf16>) outs(%s0 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %t = tensor.concat dim(2) %s, %sink : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x5xf32>
  // expected-remark @below {{attention is not raised: the sink is not one f32 number for each head}}
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x3x5xf32>) outs(%ec : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %w = tensor.extract_slice %p[0, 0, 0] [2, 3, 4] [1, 1, 1] : tensor<2x3x5xf32> to tensor<2x3x4xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  %r = linalg.batch_matmul ins(%w, %v : tensor<2x3x4xf32>, tensor<2x4x64xf16>) outs(%o0 : tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  return %r : tensor<2x3x64xf32>
}

func.func @nan_of_another(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %bias: tensor<?x?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // expected-remark @below {{attention is not raised: a select sets weights to zero by another rule than that their row keeps no key}}
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %bias : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %n = arith.cmpf uno, %x1, %x1 : f32
    %y = arith.select %n, %zero, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%d, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @floor_above_scores(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %mx0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<?x?x?xf32>) outs(%mx0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %y = arith.maximumf %x, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.subf %x0, %x1 : f32
    %y = math.exp %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<?x?x?xf32>) outs(%l0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %y = arith.addf %x, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  // expected-remark @below {{attention is not raised: the divisor is not the sum of the weights}}
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.maximumf %x1, %one : f32
    %y = arith.divf %x0, %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @guard_above_scores(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %mx0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<?x?x?xf32>) outs(%mx0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %y = arith.maximumf %x, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.subf %x0, %x1 : f32
    %y = math.exp %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<?x?x?xf32>) outs(%l0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %y = arith.addf %x, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  // expected-remark @below {{attention is not raised: a select sets weights to zero by another rule than that their row keeps no key}}
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %d = arith.divf %x0, %x1 : f32
    %c = arith.cmpf oeq, %x1, %zero : f32
    %y = arith.select %c, %zero, %d : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @empty_head(%q: tensor<2x8x0xf32>, %k: tensor<2x8x0xf32>, %v: tensor<2x8x16xf32>, %es: tensor<2x8x8xf32>, %eo: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-remark @below {{attention is not raised: the size of a head is 0}}
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<2x8x0xf32>, tensor<2x8x0xf32>) outs(%s0 : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%o0 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

func.func @encoding(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32, #csr>, %v: tensor<2x8x16xf32>, %es: tensor<2x8x8xf32>, %eo: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-remark @below {{attention is not raised: a tensor has an encoding}}
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32, #csr>) outs(%s0 : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%o0 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

func.func @softmax_in_f64(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %s0: tensor<2x8x8xf32>, %es: tensor<2x8x8xf64>, %eo: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %sz = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%sz : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf64>) {
  ^bb0(%x: f32, %o: f64):
    %y = arith.extf %x : f32 to f64
    linalg.yield %y : f64
  } -> tensor<2x8x8xf64>
  // expected-remark @below {{attention is not raised: the softmax is computed in a type wider than f32}}
  %p = linalg.softmax dimension(2) ins(%w : tensor<2x8x8xf64>) outs(%es : tensor<2x8x8xf64>) -> tensor<2x8x8xf64>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x8x8xf64>) outs(%s0 : tensor<2x8x8xf32>) {
  ^bb0(%x: f64, %o: f32):
    %y = arith.truncf %x : f64 to f32
    linalg.yield %y : f32
  } -> tensor<2x8x8xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %r = linalg.batch_matmul ins(%n, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%o0 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

func.func @vectors(%q: tensor<4x8xvector<4xf32>>, %k: tensor<6x8xvector<4xf32>>, %v: tensor<6x8xvector<4xf32>>) -> tensor<4x8xvector<4xf32>> {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %e = tensor.empty() : tensor<4x6xvector<4xf32>>
  %z = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x6xvector<4xf32>>) {
  ^bb0(%o: vector<4xf32>):
    linalg.yield %zero : vector<4xf32>
  } -> tensor<4x6xvector<4xf32>>
  %s = linalg.generic {indexing_maps = [affine_map<(i,j,d)->(i,d)>, affine_map<(i,j,d)->(j,d)>, affine_map<(i,j,d)->(i,j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<4x8xvector<4xf32>>, tensor<6x8xvector<4xf32>>) outs(%z : tensor<4x6xvector<4xf32>>) {
  ^bb0(%a: vector<4xf32>, %b: vector<4xf32>, %o: vector<4xf32>):
    %m = arith.mulf %a, %b : vector<4xf32>
    %y = arith.addf %m, %o : vector<4xf32>
    linalg.yield %y : vector<4xf32>
  } -> tensor<4x6xvector<4xf32>>
  %x = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x6xvector<4xf32>>) outs(%e : tensor<4x6xvector<4xf32>>) {
  ^bb0(%a: vector<4xf32>, %o: vector<4xf32>):
    %y = math.exp %a : vector<4xf32>
    linalg.yield %y : vector<4xf32>
  } -> tensor<4x6xvector<4xf32>>
  %re = tensor.empty() : tensor<4xvector<4xf32>>
  %rz = linalg.generic {indexing_maps = [affine_map<(i)->(i)>], iterator_types = ["parallel"]} outs(%re : tensor<4xvector<4xf32>>) {
  ^bb0(%o: vector<4xf32>):
    linalg.yield %zero : vector<4xf32>
  } -> tensor<4xvector<4xf32>>
  %l = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x6xvector<4xf32>>) outs(%rz : tensor<4xvector<4xf32>>) {
  ^bb0(%a: vector<4xf32>, %o: vector<4xf32>):
    %y = arith.addf %a, %o : vector<4xf32>
    linalg.yield %y : vector<4xf32>
  } -> tensor<4xvector<4xf32>>
  %p = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %l : tensor<4x6xvector<4xf32>>, tensor<4xvector<4xf32>>) outs(%e : tensor<4x6xvector<4xf32>>) {
  ^bb0(%a: vector<4xf32>, %b: vector<4xf32>, %o: vector<4xf32>):
    %y = arith.divf %a, %b : vector<4xf32>
    linalg.yield %y : vector<4xf32>
  } -> tensor<4x6xvector<4xf32>>
  %oe = tensor.empty() : tensor<4x8xvector<4xf32>>
  %oz = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} outs(%oe : tensor<4x8xvector<4xf32>>) {
  ^bb0(%o: vector<4xf32>):
    linalg.yield %zero : vector<4xf32>
  } -> tensor<4x8xvector<4xf32>>
  // expected-remark @below {{attention is not raised: the second product is not one of floats}}
  %r = linalg.generic {indexing_maps = [affine_map<(i,e,j)->(i,j)>, affine_map<(i,e,j)->(j,e)>, affine_map<(i,e,j)->(i,e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<4x6xvector<4xf32>>, tensor<6x8xvector<4xf32>>) outs(%oz : tensor<4x8xvector<4xf32>>) {
  ^bb0(%a: vector<4xf32>, %b: vector<4xf32>, %o: vector<4xf32>):
    %m = arith.mulf %a, %b : vector<4xf32>
    %y = arith.addf %m, %o : vector<4xf32>
    linalg.yield %y : vector<4xf32>
  } -> tensor<4x8xvector<4xf32>>
  return %r : tensor<4x8xvector<4xf32>>
}

func.func @silu_between_products(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %one = arith.constant 1.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %n = arith.negf %x0 : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %y = arith.divf %x0, %d : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

func.func @softmax_of_an_argument(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %t: tensor<?x?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}
