// The objects of two kernels that bring the same function of the compiler's run-time library become one shared object.
// REQUIRES: x86
// RUN: fovea-opt %s --attn-cpu-to-llvm -o %t.llvm
// RUN: fovea-cpu-emit %t.llvm --mcpu=x86-64 -o %t.so
// RUN: llvm-nm -D %t.so | FileCheck %s
// CHECK: T first
// CHECK: T second
// CHECK-NOT: {{.}}
// Both objects have it: the call is there for a CPU without an instruction, and each object is closed.
// RUN: fovea-cpu-emit %t.llvm --mcpu=x86-64 --emit=obj -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=BUILTIN
// BUILTIN: W __truncsfhf2

#one = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
func.func @first(%x: memref<?xf64>, %y: memref<?xf16>) attributes {attn.launch = #attn.launch<grid = #one>} {
  %i = attn_tile.program_id : index
  %a = memref.load %x[%i] : memref<?xf64>
  %b = arith.truncf %a : f64 to f16
  memref.store %b, %y[%i] : memref<?xf16>
  return
}
func.func @second(%x: memref<?xf64>, %y: memref<?xf16>) attributes {attn.launch = #attn.launch<grid = #one>} {
  %i = attn_tile.program_id : index
  %a = memref.load %x[%i] : memref<?xf64>
  %b = arith.truncf %a : f64 to f16
  memref.store %b, %y[%i] : memref<?xf16>
  return
}
