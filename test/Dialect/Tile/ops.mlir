// RUN: fovea-opt %s | fovea-opt | FileCheck %s

// CHECK-LABEL: func.func @qk
// CHECK: attn_tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] rows(%{{.*}}) {row_dim = 2 : i64}
// CHECK: attn_tile.dot
// CHECK: attn_tile.row_reduce max
func.func @qk(%q: memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>, %i: index, %n: index) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %qt = attn_tile.load %q[%c0, %c0, %i, %c0] rows(%n) {row_dim = 2}
      : memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>> -> tensor<16x64xf32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %m = arith.constant dense<0xFF800000> : tensor<16xf32>
  %s = attn_tile.dot %qt, %qt, %z {transpose_rhs} : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
  %r = attn_tile.row_reduce max %s, %m : tensor<16x16xf32> -> tensor<16xf32>
  return %r : tensor<16xf32>
}
