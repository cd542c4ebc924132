// RUN: fovea-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @broadcast_of_splat
// CHECK-NEXT: %[[T:.*]] = attn_tile.splat %arg0 : f32 -> tensor<8x16xf32>
// CHECK-NEXT: return %[[T]]
func.func @broadcast_of_splat(%x: f32) -> tensor<8x16xf32> {
  %rows = attn_tile.splat %x : f32 -> tensor<8xf32>
  %tile = attn_tile.broadcast %rows : tensor<8xf32> -> tensor<8x16xf32>
  return %tile : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[A:.*]] = arith.constant dense<3> : tensor<8xi32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<3> : tensor<8x16xi32>
// CHECK: return %[[A]], %[[B]]
func.func @constants() -> (tensor<8xi32>, tensor<8x16xi32>) {
  %c3 = arith.constant 3 : i32
  %rows = attn_tile.splat %c3 : i32 -> tensor<8xi32>
  %tile = attn_tile.broadcast %rows : tensor<8xi32> -> tensor<8x16xi32>
  return %rows, %tile : tensor<8xi32>, tensor<8x16xi32>
}

// Reads that nobody uses vanish, writes stay.
// CHECK-LABEL: func.func @effects
// CHECK-NOT: attn_tile.load
// CHECK: attn_tile.store
func.func @effects(%m: memref<4x16xf32>, %t: tensor<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %unused = attn_tile.load %m[%c0, %c0] {row_dim = 0} : memref<4x16xf32> -> tensor<4x16xf32>
  attn_tile.store %t, %m[%c0, %c0] {row_dim = 0} : tensor<4x16xf32> -> memref<4x16xf32>
  return
}
