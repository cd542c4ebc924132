// RUN: fovea-opt %s --attn-cpu-kernel-entry --split-input-file | FileCheck %s

// CHECK-LABEL: func.func private @k_task(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?xf32, strided<[?], offset: ?>>, %[[F:[^:]*]]: f32, %[[N:[^:]*]]: index,
// CHECK-SAME:    %[[TASK:[^:]*]]: index, %[[SCRATCH:[^:]*]]: !llvm.ptr {llvm.noalias})
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>
// CHECK:         %[[BYTES:.*]] = builtin.unrealized_conversion_cast {{.*}} : !llvm.struct<{{.*}}> to memref<384xi8>
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         memref.view %[[BYTES]][%[[C0]]][] : memref<384xi8> to memref<65xf32>
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.dealloc
// CHECK:         memref.load %{{.*}}[%[[TASK]]]
// CHECK-LABEL: func.func @k(
// CHECK-SAME:    %[[WORDS:[^:]*]]: !llvm.ptr, %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64, %[[S:[^:]*]]: !llvm.ptr {llvm.noalias})
// CHECK-SAME:    scratch_bytes = 384>
// CHECK:         llvm.load
// CHECK:         %[[MEMREF:.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<?xf32, strided<[?], offset: ?>>
// CHECK:         %[[W5:.*]] = llvm.getelementptr %[[WORDS]][5]
// CHECK:         %[[WORD:.*]] = llvm.load %[[W5]] : !llvm.ptr -> i64
// CHECK:         %[[LOW:.*]] = arith.trunci %[[WORD]] : i64 to i32
// CHECK:         %[[SCALAR:.*]] = arith.bitcast %[[LOW]] : i32 to f32
// CHECK:         scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           call @k_task(%[[MEMREF]], %[[SCALAR]], %{{.*}}, %[[T]], %[[S]])
#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
func.func private @k(%x: memref<?xf32, strided<[?], offset: ?>> {attn.source = #attn.source<operand = 0>}, %f: f32,
                     %n: index) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %task = attn_tile.program_id : index
  %a = memref.alloc() : memref<65xf32>
  %cast = memref.cast %a : memref<65xf32> to memref<?xf32>
  %v = memref.load %x[%task] : memref<?xf32, strided<[?], offset: ?>>
  memref.store %v, %a[%n] : memref<65xf32>
  memref.dealloc %cast : memref<?xf32>
  return
}

// -----

// The first 4 KiB of stack buffers stay on the stack, in the entry block; a large one moves.

// CHECK-LABEL: func.func private @stack_task(
// CHECK:         memref.view {{.*}} : memref<1024xi8> to memref<128x2xf32>
// CHECK:         memref.alloca() : memref<1024xf32>
// CHECK:         scf.for
// CHECK-NOT:       memref.alloca
func.func @stack(%x: memref<f32>) attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (1)>>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = memref.alloca() : memref<1024xf32>
    %b = memref.alloca() : memref<128x2xf32>
    %v = memref.load %x[] : memref<f32>
    memref.store %v, %a[%i] : memref<1024xf32>
    memref.store %v, %b[%i, %c1] : memref<128x2xf32>
  }
  return
}
