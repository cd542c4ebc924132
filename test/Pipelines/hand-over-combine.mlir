// RUN: fovea-opt %s --attn-hand-over=target=cpu:x86-64-v3 | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: fovea-opt %s --attn-hand-over=target=sm_80 --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: fovea-opt %s --attn-hand-over='target=cpu:x86-64-v3 via-runtime' | FileCheck %s --check-prefixes=CHECK,CPU

// Parts of which there may be none, merged by a kernel.
// CHECK-LABEL: func.func @merge
// CHECK-SAME: %{{.*}}: memref<?x2x4x?x64xf32>, %{{.*}}: memref<?x2x4x?xf32>, %{{.*}}: memref<4xf32>, %[[O:.*]]: memref<2x4x?x64xf16>
// CHECK: %[[ROWS:.*]] = memref.dim %[[O]], %{{.*}}
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[ROWS]], %{{.*}}
// CHECK: scf.if %[[SOME]]
// CPU: llvm.call @merge_attn0_combine(
// GPU: gpu.launch_func async [%{{.*}}] @merge_attn::@merge_attn0_combine
func.func @merge(%p: memref<?x2x4x?x64xf32>, %l: memref<?x2x4x?xf32>, %s: memref<4xf32>, %o: memref<2x4x?x64xf16>, %x: memref<2x4x?xf32>) {
  attn.combine ins(%p, %l : memref<?x2x4x?x64xf32>, memref<?x2x4x?xf32>) sink(%s : memref<4xf32>) outs(%o, %x : memref<2x4x?x64xf16>, memref<2x4x?xf32>)
  return
}

// CHECK-LABEL: func.func @tensors
// CHECK: bufferization.alloc_tensor() : tensor<1x1x8x20xf32>
// CPU: llvm.call @tensors_attn0_combine(
// GPU: gpu.launch_func
// CHECK: bufferization.to_tensor %{{.*}} restrict writable
func.func @tensors(%p: tensor<3x1x1x8x20xbf16>, %l: tensor<3x1x1x8xf32>, %o: tensor<1x1x8x20xf32>) -> tensor<1x1x8x20xf32> {
  %r = attn.combine ins(%p, %l : tensor<3x1x1x8x20xbf16>, tensor<3x1x1x8xf32>) outs(%o : tensor<1x1x8x20xf32>)
  return %r : tensor<1x1x8x20xf32>
}

// CHECK-LABEL: func.func @f8
// CPU-NOT: attn.combine
// GPU: attn.combine
func.func @f8(%p: memref<3x1x1x8x16xf8E4M3FN>, %l: memref<3x1x1x8xf32>, %o: memref<1x1x8x16xf32>) {
  // expected-warning @+1 {{function 'f8' keeps its attention: no kernel that merges parts of 'f8E4M3FN' on sm_80; f16, bf16 and f32 work}}
  attn.combine ins(%p, %l : memref<3x1x1x8x16xf8E4M3FN>, memref<3x1x1x8xf32>) outs(%o : memref<1x1x8x16xf32>)
  return
}
