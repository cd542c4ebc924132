// RUN: fovea-opt %s --attn-cpu-expand-math=f16c=false --attn-cpu-to-llvm -o %t.llvm
// RUN: fovea-cpu-emit %t.llvm -o %t.so
// RUN: %python %S/Inputs/math_accuracy.py %t.so | FileCheck %s --check-prefix=OUT
// RUN: fovea-opt %s --attn-cpu-expand-math="fma=false f16c=false" | FileCheck %s

// Errors in ulps of f32 against float64, over the whole range and at zero, infinity and NaN.
// OUT: exp2 within 2 ulps
// OUT: exp within 2 ulps
// OUT: log within 2 ulps
// OUT: tanh within 3 ulps
// OUT: bf16 exact
// OUT: f16 exact

#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
!unit = memref<?xf32, strided<[1], offset: ?>>

// CHECK-LABEL: func.func @exp2
// CHECK-NOT: math.
// CHECK: func.func @exp(
// CHECK-NOT: math.
// CHECK: func.func @log(
// CHECK-NOT: math.
// CHECK: func.func @tanh(
func.func @exp2(%x: !unit, %y: !unit) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %i = attn_tile.program_id : index
  %v = vector.load %x[%i] : !unit, vector<8xf32>
  %r = math.exp2 %v : vector<8xf32>
  vector.store %r, %y[%i] : !unit, vector<8xf32>
  return
}
func.func @exp(%x: !unit, %y: !unit) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %i = attn_tile.program_id : index
  %v = vector.load %x[%i] : !unit, vector<8xf32>
  %r = math.exp %v : vector<8xf32>
  vector.store %r, %y[%i] : !unit, vector<8xf32>
  return
}
func.func @log(%x: !unit, %y: !unit) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %i = attn_tile.program_id : index
  %v = vector.load %x[%i] : !unit, vector<8xf32>
  %r = math.log %v : vector<8xf32>
  vector.store %r, %y[%i] : !unit, vector<8xf32>
  return
}
func.func @tanh(%x: !unit, %y: !unit) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %i = attn_tile.program_id : index
  %v = vector.load %x[%i] : !unit, vector<8xf32>
  %r = math.tanh %v : vector<8xf32>
  vector.store %r, %y[%i] : !unit, vector<8xf32>
  return
}
// CHECK-LABEL: func.func @bf16
// CHECK-NOT: arith.truncf
func.func @bf16(%x: !unit, %y: !unit) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %i = attn_tile.program_id : index
  %v = vector.load %x[%i] : !unit, vector<8xf32>
  %t = arith.truncf %v : vector<8xf32> to vector<8xbf16>
  %r = arith.extf %t : vector<8xbf16> to vector<8xf32>
  vector.store %r, %y[%i] : !unit, vector<8xf32>
  return
}
// CHECK-LABEL: func.func @f16
// CHECK-NOT: arith.truncf
func.func @f16(%x: !unit, %y: !unit) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %i = attn_tile.program_id : index
  %v = vector.load %x[%i] : !unit, vector<8xf32>
  %t = arith.truncf %v : vector<8xf32> to vector<8xf16>
  %r = arith.extf %t : vector<8xf16> to vector<8xf32>
  vector.store %r, %y[%i] : !unit, vector<8xf32>
  return
}
