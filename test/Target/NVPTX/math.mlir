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

// -----

// LLVM selects it, of an index too.
// CHECK-LABEL: func.func @leading_zeros
// CHECK: math.ctlz %{{.*}} : vector<2xindex>
func.func @leading_zeros(%x: vector<2xindex>) -> vector<2xindex> {
  %0 = math.ctlz %x : vector<2xindex>
  return %0 : vector<2xindex>
}

// -----

func.func @wide_integer(%x: vector<2xi128>) -> vector<2xf32> {
  // expected-error@+1 {{arith.sitofp from 'i128' to 'f32' has no code for GPUs; integers of up to 64 bits work}}
  %0 = arith.sitofp %x : vector<2xi128> to vector<2xf32>
  return %0 : vector<2xf32>
}
