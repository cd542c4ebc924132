// Functions of a region that have no instruction: expanded where f32 has an expansion, else refused where they stand.
// RUN: split-file %s %t
// RUN: fovea-run %t/functions.mlir --target=cpu --random --check | FileCheck %s
// CHECK: correct {{.*}} near: {{.*}}(ratio 0.
// RUN: not fovea-compile %t/f64.mlir -o %t/out.fovea 2>&1 | FileCheck %s --check-prefix=F64
// F64: f64.mlir:5:10: error: 'math.exp' on 'vector<{{.*}}xf64>' has no expansion on the CPU; use f32 and a function that has one
// F64-NOT: error:

//--- functions.mlir
!t = tensor<1x2x40x16xf32>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
    %floor = math.floor %s : f32
    %trunc = math.trunc %s : f32
    %ceil = math.ceil %s : f32
    %sin = math.sin %s : f32
    %cos = math.cos %s : f32
    %0 = arith.addf %floor, %trunc : f32
    %1 = arith.addf %ceil, %sin : f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.addf %2, %cos : f32
    %low = arith.constant -0.5 : f32
    %high = arith.constant 0.75 : f32
    %clamped = math.clampf %s to [%low, %high] : f32
    %4 = arith.addf %3, %clamped : f32
    %infinite = math.isinf %s : f32
    %normal = math.isnormal %s : f32
    %5 = arith.select %infinite, %sin, %4 : f32
    %6 = arith.select %normal, %5, %cos : f32
    attn.yield %6 : f32
  } outs(%o : !t)
  return %r : !t
}
//--- f64.mlir
!t = tensor<1x2x40x16xf32>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
    %x = arith.extf %s : f32 to f64
    %y = math.exp %x : f64
    %z = arith.truncf %y : f64 to f32
    attn.yield %z : f32
  } outs(%o : !t)
  return %r : !t
}
