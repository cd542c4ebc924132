// RUN: fovea-opt %s | fovea-opt | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: %{{.*}}:2 = attn.combine ins(%{{.*}}, %{{.*}} : tensor<?x2x8x5x64xf32>, tensor<?x2x8x5xf32>)
// CHECK-SAME: sink(%{{.*}} : tensor<8xf32>) outs(%{{.*}}, %{{.*}} : tensor<2x8x5x64xf16>, tensor<2x8x5xf32>)
func.func @tensors(%op: tensor<?x2x8x5x64xf32>, %lp: tensor<?x2x8x5xf32>, %sink: tensor<8xf32>,
                   %o: tensor<2x8x5x64xf16>, %lse: tensor<2x8x5xf32>) -> tensor<2x8x5x64xf16> {
  %r:2 = attn.combine ins(%op, %lp : tensor<?x2x8x5x64xf32>, tensor<?x2x8x5xf32>) sink(%sink : tensor<8xf32>)
           outs(%o, %lse : tensor<2x8x5x64xf16>, tensor<2x8x5xf32>)
  return %r#0 : tensor<2x8x5x64xf16>
}

// CHECK-LABEL: func.func @memrefs
// CHECK: attn.combine ins(%{{.*}}, %{{.*}} : memref<4x2x8x5x64xf32>, memref<4x2x8x5xf32>) outs(%{{.*}} : memref<2x8x5x64xf32>) {tag = 1 : i64}
func.func @memrefs(%op: memref<4x2x8x5x64xf32>, %lp: memref<4x2x8x5xf32>, %o: memref<2x8x5x64xf32>) {
  attn.combine outs(%o : memref<2x8x5x64xf32>) ins(%op, %lp : memref<4x2x8x5x64xf32>, memref<4x2x8x5xf32>) {tag = 1}
  return
}
