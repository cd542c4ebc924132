// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over=target=cpu:x86-64-v3 | FileCheck %s
// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over='target=cpu:x86-64-v3 threads=4' | FileCheck %s --check-prefix=THREADS

// Static sizes choose one variant; the destination is written in place; a foreign op stays.
// CHECK-LABEL: func.func @memrefs
// CHECK-SAME: %[[Q:.+]]: memref<2x4x64x32xf32>, %{{.*}}: memref<2x2x96x32xf32>
// CHECK-NOT: scf.if
// CHECK: %[[CAST:.*]] = memref.cast %[[Q]] : {{.*}} strided<[?, ?, ?, ?], offset: ?>
// CHECK: %[[WORDS:.*]] = memref.alloc() : memref<44xi64>
// CHECK: %[[SCRATCH:.*]] = memref.alloc() {alignment = 128 : i64} : memref<{{[0-9]+}}xi8>
// CHECK: llvm.call @memrefs_attn0_tiled(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64, !llvm.ptr) -> ()
// CHECK: memref.dealloc %[[SCRATCH]]
// CHECK: memref.dealloc %[[WORDS]]
// CHECK-NEXT: "other.op"(%[[Q]])
// THREADS-LABEL: func.func @memrefs
// THREADS: scf.parallel (%[[W:.*]]) = (%{{.*}}) to (%[[WORKERS:.*]]) step
// THREADS: arith.muli %[[W]], %[[TASKS:.*]] : index
// THREADS: llvm.call @memrefs_attn0_tiled
func.func @memrefs(%q: memref<2x4x64x32xf32>, %k: memref<2x2x96x32xf32>, %o: memref<2x4x64x32xf32>) {
  attn.attention ins(%q, %k, %k : memref<2x4x64x32xf32>, memref<2x2x96x32xf32>, memref<2x2x96x32xf32>)
    causal(bottom_right) outs(%o : memref<2x4x64x32xf32>)
  "other.op"(%q) : (memref<2x4x64x32xf32>) -> ()
  return
}

// In a loop, dynamic, on tensors: an empty problem launches nothing, variants are chosen at run time, the result is a new
// buffer.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK-DAG: %[[FRESH:.*]] = bufferization.alloc_tensor(%{{.*}}) : tensor<2x4x?x32xf32>
// CHECK-DAG: %[[OUT:.*]] = bufferization.to_buffer %[[FRESH]] : tensor<2x4x?x32xf32> to
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %{{.*}} : index
// CHECK: scf.if %[[SOME]]
// CHECK: scf.if
// CHECK: llvm.call @loop_attn0_rows(
// CHECK: } else {
// CHECK: llvm.call @loop_attn0_tiled_0(
// CHECK: %[[R:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK: scf.yield %[[R]]
// THREADS-LABEL: func.func @loop
// THREADS: memref.alloc(%{{.*}}) : memref<4x2x4x?x32xf32>
func.func @loop(%q: tensor<2x4x?x32xf32>, %n: index) -> tensor<2x4x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %q) -> (tensor<2x4x?x32xf32>) {
    %y = attn.attention ins(%x, %x, %x : tensor<2x4x?x32xf32>, tensor<2x4x?x32xf32>, tensor<2x4x?x32xf32>)
      outs(%q : tensor<2x4x?x32xf32>)
    scf.yield %y : tensor<2x4x?x32xf32>
  }
  return %r : tensor<2x4x?x32xf32>
}

// Constants that a region reads go with the kernels.
// CHECK-NOT: memref.global
// CHECK-LABEL: func.func @constants
// CHECK-NOT: memref.global
// CHECK: llvm.call @constants_attn0_tiled(
func.func @constants(%q: memref<1x2x64x32xf32>, %o: memref<1x2x64x32xf32>) {
  %table = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  attn.attention ins(%q, %q, %q : memref<1x2x64x32xf32>, memref<1x2x64x32xf32>, memref<1x2x64x32xf32>)
    score_mod(%s, %b, %h, %i, %j) {
      %x = tensor.extract %table[%h] : tensor<2xf32>
      %t = arith.addf %s, %x : f32
      attn.yield %t : f32
    } outs(%o : memref<1x2x64x32xf32>)
  return
}

// CHECK-LABEL: func.func private @loop_attn0_tiled()
func.func private @loop_attn0_tiled()

// CHECK: llvm.func internal @memrefs_attn0_tiled(
// CHECK-SAME: target_cpu = "x86-64-v3"
// CHECK-SAME: target_features = #llvm.target_features<[{{.*}}"+avx2"
// CHECK-NOT: memref.global
// CHECK: llvm.mlir.global private constant @constants_attn0_{{.*}}_constant(dense<[1.000000e+00, 2.000000e+00]>
