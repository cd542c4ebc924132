// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=linalg

#rows = affine_map<(b, i) -> (b, i)>
#pp = affine_map<(b, i, d, j) -> (b, i, j)>
#pv = affine_map<(b, i, d, j) -> (b, j, d)>
#po = affine_map<(b, i, d, j) -> (b, i, d)>
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @generics(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @generics(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @own_decomposition(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @own_decomposition(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %nan = arith.constant 0xFFC00000 : f32
  %mx0 = linalg.fill ins(%nan : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%mx0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %n = arith.maxnumf %x, %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
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

// CHECK-LABEL: func.func @reduce_ops(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @reduce_ops(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %low = arith.constant 0xFF7FFFFF : f32
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%t : tensor<?x?x?xf32>) outs(%m0 : tensor<?x?xf32>) dimensions = [2]
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
  %l = linalg.reduce { arith.addf } ins(%e : tensor<?x?x?xf32>) outs(%l0 : tensor<?x?xf32>) dimensions = [2]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.divf %x0, %x1 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @reciprocal(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @reciprocal(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %one = arith.constant 1.0 : f32
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
  %rc = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%l : tensor<?x?xf32>) outs(%er : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.divf %one, %x : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %rc : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.mulf %x0, %x1 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @exp2(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @exp2(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.18033688 : f32
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
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.subf %x0, %x1 : f32
    %y = math.exp2 %z : f32
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

// CHECK-LABEL: func.func @exp2_of_scaled_difference(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @exp2_of_scaled_difference(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %log2e = arith.constant 1.44269502 : f32
  %mx0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%mx0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %a = arith.mulf %x0, %log2e : f32
    %c = arith.mulf %x1, %log2e : f32
    %z = arith.subf %a, %c : f32
    %y = math.exp2 %z : f32
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

// CHECK-LABEL: func.func @division_after_product(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @division_after_product(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %r = linalg.batch_matmul ins(%e, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r, %l : tensor<?x?x64xf32>, tensor<?x?xf32>) outs(%eo : tensor<?x?x64xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %y = arith.divf %x0, %x1 : f32
    linalg.yield %y : f32
  } -> tensor<?x?x64xf32>
  return %z : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @argmax_beside(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @argmax_beside(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>, %ei: tensor<?x?xi64>) -> tensor<?x?x64xf32> {
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
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%m0, %ei : tensor<?x?xf32>, tensor<?x?xi64>) {
  ^bb0(%x: f32, %a: f32, %ai: i64):
    %j = linalg.index 2 : index
    %ji = arith.index_cast %j : index to i64
    %n = arith.maximumf %x, %a : f32
    %g = arith.cmpf ogt, %x, %a : f32
    %w = arith.select %g, %ji, %ai : i64
    linalg.yield %n, %w : f32, i64
  } -> (tensor<?x?xf32>, tensor<?x?xi64>)
  %sh = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mx#0 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
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
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @weights_in_f16(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @weights_in_f16(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %eh: tensor<?x?x?xf16>) -> tensor<?x?x64xf32> {
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
  %ph = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<?x?x?xf32>) outs(%eh : tensor<?x?x?xf16>) {
  ^bb0(%x0: f32, %o: f16):
    %z = arith.truncf %x0 : f32 to f16
    linalg.yield %z : f16
  } -> tensor<?x?x?xf16>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%ph, %v : tensor<?x?x?xf16>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @weights_in_f16_fused(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @weights_in_f16_fused(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
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
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.generic {indexing_maps = [#pp, #pv, #po], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) {
  ^bb0(%x: f32, %y: f16, %a: f32):
    %h = arith.truncf %x : f32 to f16
    %w = arith.extf %h : f16 to f32
    %u = arith.extf %y : f16 to f32
    %m = arith.mulf %w, %u : f32
    %n = arith.addf %a, %m : f32
    linalg.yield %n : f32
  } -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @selected_maximum(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @selected_maximum(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%m0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %c = arith.cmpf ogt, %x, %a : f32
    %n = arith.select %c, %x, %a : f32
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
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @broadcast_rows(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @broadcast_rows(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
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
  %mb = linalg.broadcast ins(%mx : tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mb : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
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
  %lb = linalg.broadcast ins(%l : tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) dimensions = [2]
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %lb : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %z = arith.divf %x0, %x1 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}
