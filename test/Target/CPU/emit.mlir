// REQUIRES: x86
// RUN: fovea-opt %s --attn-cpu-to-llvm -o %t.llvm
// RUN: fovea-cpu-emit %t.llvm -o %t.so
// RUN: %python %S/Inputs/emit.py %t.so | FileCheck %s --check-prefix=OUT
// RUN: fovea-cpu-emit %t.llvm --emit=obj -o %t.o
// RUN: llvm-nm --defined-only --extern-only %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: fovea-cpu-emit %t.llvm --emit=llvm-ir | FileCheck %s --check-prefix=IR
// RUN: fovea-cpu-emit %t.llvm --emit=asm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=ASM

// SYMBOLS:     T axpy
// SYMBOLS-NOT: axpy

// Strides may be negative: no multiplication of an index by a stride promises to be unsigned.
// IR-LABEL: define void @axpy(
// IR-NOT:   mul nuw
// ASM: vmovss

// OUT: [3.0, 0.0, 5.0, 0.0, 7.0, 0.0]
// OUT: reversed [7.0, 5.0, 3.0]

!vec = memref<?xf32, strided<[?], offset: ?>>
#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
// y[task] = a * x[task] + n through scratch memory.
func.func @axpy(%x: !vec, %y: !vec, %a: f32, %n: index) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %task = attn_tile.program_id : index
  %buffer = memref.alloc() : memref<2000xf32>
  %v = memref.load %x[%task] : !vec
  %ax = arith.mulf %a, %v : f32
  %i = arith.index_cast %n : index to i32
  %nf = arith.sitofp %i : i32 to f32
  %r = arith.addf %ax, %nf : f32
  memref.store %r, %buffer[%task] : memref<2000xf32>
  %back = memref.load %buffer[%task] : memref<2000xf32>
  memref.store %back, %y[%task] : !vec
  memref.dealloc %buffer : memref<2000xf32>
  return
}
