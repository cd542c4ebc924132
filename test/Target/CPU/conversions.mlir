// Conversions of f16 and bf16 on CPUs with and without instructions for them: every f16 and bf16 number, and f32 and f64
// numbers at and around every tie.
// REQUIRES: numpy, x86
// RUN: fovea-opt %s --attn-cpu-to-llvm -o %t.llvm
// RUN: fovea-cpu-emit %t.llvm -o %t.host.so
// RUN: %python %S/Inputs/conversions.py %t.host.so | FileCheck %s
// RUN: fovea-cpu-emit %t.llvm --mcpu=x86-64 -o %t.old.so
// RUN: llvm-nm -D --undefined-only %t.old.so | FileCheck %s --allow-empty --check-prefix=SYMBOLS
// RUN: %python %S/Inputs/conversions.py %t.old.so | FileCheck %s

// SYMBOLS-NOT: {{.}}
// CHECK: f16_to_f32: 65536 numbers, 0 differ
// CHECK: bf16_to_f32: 65536 numbers, 0 differ
// CHECK: f32_to_f16: {{.*}} numbers, 0 differ
// CHECK: f64_to_f16: {{.*}} numbers, 0 differ
// CHECK: f32_to_bf16: {{.*}} numbers, 0 differ
// CHECK: f64_to_bf16: {{.*}} numbers, 0 differ

#one = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
func.func @f16_to_f32(%x: memref<?xf16>, %y: memref<?xf32>) attributes {attn.launch = #attn.launch<grid = #one>} {
  %i = attn_tile.program_id : index
  %a = memref.load %x[%i] : memref<?xf16>
  %b = arith.extf %a : f16 to f32
  memref.store %b, %y[%i] : memref<?xf32>
  return
}
func.func @bf16_to_f32(%x: memref<?xbf16>, %y: memref<?xf32>) attributes {attn.launch = #attn.launch<grid = #one>} {
  %i = attn_tile.program_id : index
  %a = memref.load %x[%i] : memref<?xbf16>
  %b = arith.extf %a : bf16 to f32
  memref.store %b, %y[%i] : memref<?xf32>
  return
}
func.func @f32_to_f16(%x: memref<?xf32>, %y: memref<?xf16>) attributes {attn.launch = #attn.launch<grid = #one>} {
  %i = attn_tile.program_id : index
  %a = memref.load %x[%i] : memref<?xf32>
  %b = arith.truncf %a : f32 to f16
  memref.store %b, %y[%i] : memref<?xf16>
  return
}
func.func @f64_to_f16(%x: memref<?xf64>, %y: memref<?xf16>) attributes {attn.launch = #attn.launch<grid = #one>} {
  %i = attn_tile.program_id : index
  %a = memref.load %x[%i] : memref<?xf64>
  %b = arith.truncf %a : f64 to f16
  memref.store %b, %y[%i] : memref<?xf16>
  return
}
func.func @f32_to_bf16(%x: memref<?xf32>, %y: memref<?xbf16>) attributes {attn.launch = #attn.launch<grid = #one>} {
  %i = attn_tile.program_id : index
  %a = memref.load %x[%i] : memref<?xf32>
  %b = arith.truncf %a : f32 to bf16
  memref.store %b, %y[%i] : memref<?xbf16>
  return
}
func.func @f64_to_bf16(%x: memref<?xf64>, %y: memref<?xbf16>) attributes {attn.launch = #attn.launch<grid = #one>} {
  %i = attn_tile.program_id : index
  %a = memref.load %x[%i] : memref<?xf64>
  %b = arith.truncf %a : f64 to bf16
  memref.store %b, %y[%i] : memref<?xbf16>
  return
}
