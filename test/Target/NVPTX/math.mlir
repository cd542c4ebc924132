// RUN: fovea-opt %s --attn-math-to-nvvm --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @exp2
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
func.func @exp2(%x: vector<2xf32>) -> vector<2xf32> {
  %0 = math.exp2 %x : vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: func.func @tanh
// CHECK-NOT: tanh.approx
// CHECK: tanh.approx.f32
// CHECK-NOT: math.tanh
func.func @tanh(%x: f32) -> (f32, f32) {
  %0 = math.tanh %x : f32
  %1 = math.tanh %x fastmath<afn> : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @round
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK: vector.bitcast {{.*}} : vector<1xi32> to vector<2xbf16>
func.func @round(%x: vector<2xf32>) -> vector<2xbf16> {
  %0 = arith.truncf %x : vector<2xf32> to vector<2xbf16>
  return %0 : vector<2xbf16>
}

// -----

func.func @double(%x: f64) -> f64 {
  // expected-error@+1 {{math.sin on 'f64' has no code for GPUs; exp, exp2, log, log2, log10, tanh, sin, cos and erf of f32 work}}
  %0 = math.sin %x : f64
  return %0 : f64
}
