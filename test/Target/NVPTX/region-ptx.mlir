// What functions of a region become: an approximation of the hardware where the op or the operation allows it.
// RUN: split-file %s %t
// RUN: fovea-compile %t/accurate.mlir --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=ACCURATE
// RUN: fovea-compile %t/op.mlir --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=APPROX
// RUN: fovea-compile %t/operation.mlir --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=APPROX
// RUN: fovea-compile %t/position.mlir --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=POSITION
// RUN: fovea-compile %t/constant.mlir --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=CONSTANT

// ACCURATE-NOT: tanh.approx
// ACCURATE: ex2.approx.ftz.f32
// ACCURATE-NOT: tanh.approx
// APPROX: tanh.approx.f32

// A product and a difference are one operation, and the divisor of all elements is a factor: 1 / 30.
// POSITION: fma.rn.f32
// POSITION: mul.rn.f32 {{.*}}, 0f3D088889

// A constant tensor lies in memory.
// CONSTANT: .global .align 4 .b8 f_attn0_{{.*}}_constant[16]

//--- accurate.mlir
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
      %y = math.tanh %s : f32
      attn.yield %y : f32
    } outs(%o : !t)
  return %r : !t
}

//--- op.mlir
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
      %y = math.tanh %s : f32
      attn.yield %y : f32
    } outs(%o : !t) {allow_approx}
  return %r : !t
}

//--- operation.mlir
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
      %y = math.tanh %s fastmath<afn> : f32
      attn.yield %y : f32
    } outs(%o : !t)
  return %r : !t
}

//--- position.mlir
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t, %slopes: tensor<?xf32>) -> !t {
  %cap = arith.constant 30.0 : f32
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
      %slope = tensor.extract %slopes[%h] : tensor<?xf32>
      %n = arith.subi %i, %j : index
      %n64 = arith.index_cast %n : index to i64
      %x = arith.sitofp %n64 : i64 to f32
      %p = arith.mulf %slope, %x : f32
      %t = arith.subf %s, %p : f32
      %y = arith.divf %t, %cap : f32
      attn.yield %y : f32
    } outs(%o : !t)
  return %r : !t
}

//--- constant.mlir
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %slopes = arith.constant dense<[0.5, 0.25, 0.125, 0.0625]> : tensor<4xf32>
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
      %slope = tensor.extract %slopes[%h] : tensor<4xf32>
      %y = arith.mulf %s, %slope : f32
      attn.yield %y : f32
    } outs(%o : !t)
  return %r : !t
}
