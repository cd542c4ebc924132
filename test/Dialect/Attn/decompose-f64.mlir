// RUN: fovea-opt %s --attn-decompose=compute-type=f64 | FileCheck %s

// The values of a region follow the type of the computation: constants, arithmetic, branches. What is rounded to another
// type by the region still is, and an op that is not arithmetic keeps its types.

// CHECK-LABEL: func.func @region(
// CHECK-SAME:    %[[TABLE:[^:]*]]: tensor<?xbf16>, %[[CAP:[^:]*]]: f32
// CHECK:       scf.if %{{.*}} -> (f64) {
// CHECK:         %[[S:.*]] = arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK:         %[[CAP64:.*]] = arith.extf %[[CAP]] : f32 to f64
// CHECK:         %[[X:.*]] = arith.divf %[[S]], %[[CAP64]] : f64
// CHECK:         %[[T:.*]] = math.tanh %[[X]] : f64
// CHECK:         %[[HALF:.*]] = arith.constant 5.000000e-01 : f64
// CHECK:         %[[Y:.*]] = arith.mulf %[[T]], %[[HALF]] : f64
// CHECK:         %[[ENTRY:.*]] = tensor.extract %[[TABLE]]
// CHECK:         arith.extf %[[ENTRY]] : bf16 to f64
// CHECK:         arith.truncf %[[Y]] : f64 to bf16
// CHECK:         %[[F32:.*]] = arith.truncf %[[Y]] : f64 to f32
// CHECK:         arith.bitcast %[[F32]] : f32 to i32
// CHECK:         scf.if %{{.*}} -> (f64) {
func.func @region(%table: tensor<?xbf16>, %cap: f32, %q: tensor<1x2x4x8xf32>, %o: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
         score_mod(%s, %b, %h, %i, %j) {
           %x = arith.divf %s, %cap : f32
           %t = math.tanh %x : f32
           %half = arith.constant 0.5 : f32
           %y = arith.mulf %t, %half : f32
           %e = tensor.extract %table[%j] : tensor<?xbf16>
           %e32 = arith.extf %e : bf16 to f32
           %y16 = arith.truncf %y : f32 to bf16
           %back = arith.extf %y16 : bf16 to f32
           %bits = arith.bitcast %y : f32 to i32
           %zero = arith.constant 0 : i32
           %positive = arith.cmpi sgt, %bits, %zero : i32
           %z = scf.if %positive -> f32 {
             %sum = arith.addf %back, %e32 : f32
             scf.yield %sum : f32
           } else {
             scf.yield %y : f32
           }
           attn.yield %z : f32
         } outs(%o : tensor<1x2x4x8xf32>)
  return %r : tensor<1x2x4x8xf32>
}
