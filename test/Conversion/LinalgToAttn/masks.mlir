// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=linalg

#one = affine_map<(i) -> (i)>
#first = affine_map<(i, j) -> (i)>
#second = affine_map<(i, j) -> (j)>
#both = affine_map<(i, j) -> (i, j)>
#ij = affine_map<(b, i, j) -> (i, j)>
#b0 = affine_map<(b, i, j) -> (0, i, j)>
#col = affine_map<(b, i, j) -> (b, j)>
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @iota(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) causal(top_left) outs
func.func @iota(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %ei: tensor<?xi64>, %ej: tensor<?xi64>, %eb: tensor<?x?xi1>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %rows = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%ei : tensor<?xi64>) {
  ^bb0(%o: i64):
    %x = linalg.index 0 : index
    %y = arith.index_cast %x : index to i64
    linalg.yield %y : i64
  } -> tensor<?xi64>
  %cols = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%ej : tensor<?xi64>) {
  ^bb0(%o: i64):
    %x = linalg.index 0 : index
    %y = arith.index_cast %x : index to i64
    linalg.yield %y : i64
  } -> tensor<?xi64>
  %keep = linalg.generic {indexing_maps = [#first, #second, #both], iterator_types = ["parallel", "parallel"]} ins(%rows, %cols : tensor<?xi64>, tensor<?xi64>) outs(%eb : tensor<?x?xi1>) {
  ^bb0(%x: i64, %y: i64, %o: i1):
    %c = arith.cmpi sge, %x, %y : i64
    linalg.yield %c : i1
  } -> tensor<?x?xi1>
  %t = linalg.generic {indexing_maps = [#id, #ij, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %x1, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @added(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) causal(top_left) outs
func.func @added(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sle, %j, %i : index
    %y = arith.select %c, %zero, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sc, %mask : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %y = arith.addf %x0, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @window(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) causal(top_left) window(7, *) outs
func.func @window(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %left = arith.constant 7 : index
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sle, %j, %i : index
    %lo = arith.subi %i, %left : index
    %d = arith.cmpi sge, %j, %lo : index
    %cd = arith.andi %c, %d : i1
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %cd, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{a row that keeps no key is zero here and NaN in what this was raised from}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @offset(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) causal(%arg5 : index) outs
func.func @offset(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %off: index) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %io = arith.addi %i, %off : index
    %c = arith.cmpi sgt, %j, %io : index
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %c, %ninf, %m : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{a row that keeps no key is zero here and NaN in what this was raised from}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @finite_where_a_key_is_kept(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) causal(top_left) outs
func.func @finite_where_a_key_is_kept(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF333333 : f32
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

// Without signs: no position is negative.
// CHECK-LABEL: func.func @finite_unsigned(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) causal(top_left) outs
func.func @finite_unsigned(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -3.0e38 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi ule, %j, %i : index
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %c, %m, %low : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// A window of new queries behind cached keys: the last key in it is one of the row's.
// CHECK-LABEL: func.func @finite_window_after_cache(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) causal(%c96 : index) window(31, *) outs
func.func @finite_window_after_cache(%q: tensor<2x32x64xf16>, %k: tensor<2x128x64xf16>, %v: tensor<2x128x64xf16>, %es: tensor<2x32x128xf32>, %eo: tensor<2x32x64xf32>) -> tensor<2x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -3.0e38 : f32
  %past = arith.constant 96 : index
  %width = arith.constant 32 : index
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x32x128xf32>) -> tensor<2x32x128xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<2x32x64xf16>, tensor<2x128x64xf16>) outs(%s0 : tensor<2x32x128xf32>) -> tensor<2x32x128xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x32x128xf32>) outs(%es : tensor<2x32x128xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i0 = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i = arith.addi %i0, %past : index
    %c = arith.cmpi sle, %j, %i : index
    %first = arith.subi %i, %width : index
    %w = arith.cmpi sgt, %j, %first : index
    %cw = arith.andi %c, %w : i1
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %cw, %m, %low : f32
    linalg.yield %y : f32
  } -> tensor<2x32x128xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x32x128xf32>) outs(%es : tensor<2x32x128xf32>) -> tensor<2x32x128xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x32x128xf32>, tensor<2x128x64xf16>) outs(%o0 : tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
  return %r : tensor<2x32x64xf32>
}

// CHECK-LABEL: func.func @bias(
// CHECK: %[[B:.*]] = tensor.expand_shape %arg5 {{.*}} into tensor<1x1x?x?xf32>
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) bias(%[[B]] : tensor<1x1x?x?xf32>) outs
func.func @bias(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %bias: tensor<1x?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #b0, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %bias : tensor<?x?x?xf32>, tensor<1x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %y = arith.addf %m, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @bias_as_accumulator(
// CHECK: %[[B:.*]] = tensor.expand_shape %arg5 {{.*}} into tensor<?x1x?x?xf32>
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) bias(%[[B]] : tensor<?x1x?x?xf32>) outs
func.func @bias_as_accumulator(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %bias: tensor<?x?x?xf32>) -> tensor<?x?x64xf32> {
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
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%qs, %k : tensor<?x?x64xf32>, tensor<?x?x64xf16>) outs(%bias : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @softcap(
// CHECK: attn.attention ins({{.*}}) scale(0.00416666688) score_mod(%[[S:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK: %[[H:.*]] = math.tanh %[[S]]
// CHECK: %[[Y:.*]] = arith.mulf %[[H]]
// CHECK: attn.yield %[[Y]]
func.func @softcap(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %cap = arith.constant 30.0 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %d = arith.divf %m, %cap : f32
    %h = math.tanh %d : f32
    %y = arith.mulf %h, %cap : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @alibi(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) score_mod(%[[S:.*]], %{{.*}}, %{{.*}}, %[[I:.*]], %[[J:.*]]) {
// CHECK: arith.subi %[[I]], %[[J]]
// CHECK: arith.subf %[[S]]
func.func @alibi(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %slope: f32) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %d = arith.subi %i, %j : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %a = arith.mulf %df, %slope : f32
    %m = arith.mulf %x0, %scale : f32
    %y = arith.subf %m, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) mask_mod(%[[B:.*]], %{{.*}}, %{{.*}}, %[[J:.*]]) {
// CHECK: %[[X:.*]] = tensor.extract %arg5[%[[B]], %[[J]]]
// CHECK: arith.cmpi ne, %[[X]]
func.func @integers(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %tokens: tensor<?x?xi64>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %c0 = arith.constant 0 : i64
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %tokens : tensor<?x?x?xf32>, tensor<?x?xi64>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i64, %o: f32):
    %c = arith.cmpi ne, %x1, %c0 : i64
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %c, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{a row that keeps no key is zero here and NaN in what this was raised from}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @constant_matrix(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) window(*, 1, top_left) outs
func.func @constant_matrix(%q: tensor<2x3x64xf16>, %k: tensor<2x4x64xf16>, %v: tensor<2x4x64xf16>, %es: tensor<2x3x4xf32>, %eo: tensor<2x3x64xf32>) -> tensor<2x3x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %keep = arith.constant dense<[[true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<3x4xi1>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<2x3x64xf16>, tensor<2x4x64xf16>) outs(%s0 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %t = linalg.generic {indexing_maps = [#id, #ij, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %keep : tensor<2x3x4xf32>, tensor<3x4xi1>) outs(%es : tensor<2x3x4xf32>) {
  ^bb0(%x: f32, %c: i1, %o: f32):
    %m = arith.mulf %x, %scale : f32
    %y = arith.select %c, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x3x4xf32>) outs(%es : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x3x4xf32>, tensor<2x4x64xf16>) outs(%o0 : tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  return %r : tensor<2x3x64xf32>
}

// CHECK-LABEL: func.func @threshold(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) score_mod(%[[S:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK: %[[C:.*]] = arith.cmpf ogt, %[[S]]
// CHECK: arith.select %[[C]], %[[S]]
func.func @threshold(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %least = arith.constant -1.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %c = arith.cmpf ogt, %m, %least : f32
    %y = arith.select %c, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{a row that keeps no key is zero here and NaN in what this was raised from}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @gathered(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) score_mod(%[[S:.*]], %{{.*}}, %{{.*}}, %[[I:.*]], %[[J:.*]]) {
// CHECK: %[[D:.*]] = arith.subi %[[J]], %[[I]]
// CHECK: %[[E:.*]] = arith.addi %[[D]]
// CHECK: tensor.extract %arg5[%[[E]]]
func.func @gathered(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %table: tensor<16xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %seven = arith.constant 7 : index
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %d = arith.subi %j, %i : index
    %e = arith.addi %d, %seven : index
    %g = tensor.extract %table[%e] : tensor<16xf32>
    %m = arith.mulf %x0, %scale : f32
    %y = arith.addf %m, %g : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// Positions of 8 bits wrap: no bound of the keys.
// CHECK-LABEL: func.func @narrow(
// CHECK: attn.attention ins({{.*}}) scale(1.000000e+00) mask_mod(%{{.*}}, %{{.*}}, %[[I:.*]], %[[J:.*]])
// CHECK-DAG: arith.index_cast %[[I]] : index to i8
// CHECK-DAG: arith.index_cast %[[J]] : index to i8
// CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : i8
func.func @narrow(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i8 = arith.index_cast %i : index to i8
    %j8 = arith.index_cast %j : index to i8
    %keep = arith.cmpi sge, %i8, %j8 : i8
    %y = arith.select %keep, %x, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{a row that keeps no key is zero here and NaN in what this was raised from}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// Positions are compared in f16, in which they are rounded.
// CHECK-LABEL: func.func @rounded_positions(
// CHECK: attn.attention ins({{.*}}) scale(1.000000e+00) mask_mod(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.cmpf ole
func.func @rounded_positions(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ii = arith.index_cast %i : index to i32
    %ij = arith.index_cast %j : index to i32
    %fi = arith.sitofp %ii : i32 to f16
    %fj = arith.sitofp %ij : i32 to f16
    %c = arith.cmpf ole, %fj, %fi : f16
    %y = arith.select %c, %x0, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{a row that keeps no key is zero here and NaN in what this was raised from}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}
