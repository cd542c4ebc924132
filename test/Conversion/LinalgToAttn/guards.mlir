// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=linalg

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @any_key(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) mask({{.*}} : tensor<?x1x?x?xi1>) outs
func.func @any_key(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>, %er: tensor<?x?xf32>, %eb: tensor<?x?x?xi1>, %er1: tensor<?x?xi1>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %x1, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %false = arith.constant false
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : tensor<?x?x?xf32>) outs(%eb : tensor<?x?x?xi1>) {
  ^bb0(%x0: f32, %o: i1):
    %z = arith.cmpf oeq, %x0, %ninf : f32
    linalg.yield %z : i1
  } -> tensor<?x?x?xi1>
  %nu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%u : tensor<?x?x?xi1>) outs(%eb : tensor<?x?x?xi1>) {
  ^bb0(%x0: i1, %o: i1):
    %z = arith.cmpi eq, %x0, %false : i1
    linalg.yield %z : i1
  } -> tensor<?x?x?xi1>
  %a0 = linalg.fill ins(%false : i1) outs(%er1 : tensor<?x?xi1>) -> tensor<?x?xi1>
  %any = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%nu : tensor<?x?x?xi1>) outs(%a0 : tensor<?x?xi1>) {
  ^bb0(%x: i1, %a: i1):
    %n = arith.ori %x, %a : i1
    linalg.yield %n : i1
  } -> tensor<?x?xi1>
  %pg = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%any, %p : tensor<?x?xi1>, tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: i1, %x1: f32, %o: f32):
    %z = arith.select %x0, %x1, %zero : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%pg, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @nan(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) mask({{.*}} : tensor<?x1x?x?xi1>) outs
func.func @nan(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %x1, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %pg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %n = arith.cmpf uno, %x0, %x0 : f32
    %z = arith.select %n, %zero, %x0 : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%pg, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @sum_is_zero(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) mask({{.*}} : tensor<?x1x?x?xi1>) outs
func.func @sum_is_zero(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %x1, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %low = arith.constant 0xFF7FFFFF : f32
  %mx0 = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
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
    %c = arith.cmpf oeq, %x1, %zero : f32
    %d = arith.divf %x0, %x1 : f32
    %z = arith.select %c, %zero, %d : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @sum_at_least_one(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) mask({{.*}} : tensor<?x1x?x?xi1>) outs
func.func @sum_at_least_one(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %x1, %m, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %one = arith.constant 1.0 : f32
  %low = arith.constant 0xFF7FFFFF : f32
  %mx0 = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
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
    %c = arith.maximumf %x1, %one : f32
    %z = arith.divf %x0, %c : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @sum_guard_too_late(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01) mask({{.*}} : tensor<?x1x?x?xi1>) outs
func.func @sum_guard_too_late(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    %y = arith.select %x1, %m, %ninf : f32
    linalg.yield %y : f32
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
    %c = arith.cmpf oeq, %x1, %zero : f32
    %d = arith.divf %x0, %x1 : f32
    %z = arith.select %c, %zero, %d : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  // expected-remark @below {{a row that keeps no key is zero here and NaN in what this was raised from}}
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// A fill far below the least number that is subtracted gives weights of 0, in rows without keys too.
// CHECK-LABEL: func.func @fill_below_floor(
// CHECK: attn.attention ins({{.*}}) scale(1.000000e+00) mask({{.*}} : tensor<?x1x?x?xi1>) outs
func.func @fill_below_floor(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -3.0e38 : f32
  %least = arith.constant -1.0e30 : f32
  %one = arith.constant 1.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %y = arith.select %x1, %x0, %low : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %mx0 = linalg.fill ins(%least : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%mx0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %y = arith.maximumf %x, %a : f32
    linalg.yield %y : f32
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
    %y = arith.addf %x, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
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

// A maximum that is replaced by 0 where it is -inf.
// CHECK-LABEL: func.func @finite_maximum(
// CHECK: attn.attention ins({{.*}}) scale(1.000000e+00) mask({{.*}} : tensor<?x1x?x?xi1>) outs
func.func @finite_maximum(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>, %keep: tensor<?x?x?xi1>, %er: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %one = arith.constant 1.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %keep : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: i1, %o: f32):
    %y = arith.select %x1, %x0, %ninf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %mx0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%mx0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %y = arith.maximumf %x, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %a = math.absf %x1 : f32
    %c = arith.cmpf one, %a, %inf : f32
    %m = arith.select %c, %x1, %zero : f32
    %z = arith.subf %x0, %m : f32
    %y = math.exp %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<?x?x?xf32>) outs(%l0 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %y = arith.addf %x, %a : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %c = arith.cmpf oeq, %x1, %zero : f32
    %z = arith.select %c, %one, %x1 : f32
    %y = arith.divf %x0, %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}
