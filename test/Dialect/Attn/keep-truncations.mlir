// RUN: fovea-opt %s --attn-keep-truncations --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @direct
func.func @direct(%x: index) -> index {
  // CHECK: %[[WHOLE:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK: %[[LOW:.*]] = arith.trunci %[[WHOLE]] : i64 to i8
  // CHECK: arith.index_cast %[[LOW]] : i8 to index
  %low = arith.index_cast %x : index to i8
  %back = arith.index_cast %low : i8 to index
  return %back : index
}

// What is between the conversions may vanish.
// CHECK-LABEL: func.func @behind_operations
func.func @behind_operations(%x: tensor<4xindex>) -> tensor<4xindex> {
  // CHECK: arith.trunci %{{.*}} : tensor<4xi64> to tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %low = arith.index_castui %x : tensor<4xindex> to tensor<4xi32>
  %same = arith.addi %low, %zero : tensor<4xi32>
  %back = arith.index_castui %same : tensor<4xi32> to tensor<4xindex>
  return %back : tensor<4xindex>
}

// What is wide enough, or does not become an index, stays.
// CHECK-LABEL: func.func @others
func.func @others(%x: index) -> (index, f32) {
  // CHECK-NOT: arith.trunci
  // CHECK: arith.index_cast %{{.*}} : index to i32
  // CHECK: return
  %wide = arith.index_cast %x : index to i64
  %back = arith.index_cast %wide : i64 to index
  %narrow = arith.index_cast %x : index to i32
  %float = arith.sitofp %narrow : i32 to f32
  return %back, %float : index, f32
}

// Buffers have no truncation.
// CHECK-LABEL: func.func @buffers
func.func @buffers(%x: memref<4xindex>) -> memref<4xindex> {
  // CHECK-NOT: arith.trunci
  %low = arith.index_cast %x : memref<4xindex> to memref<4xi8>
  %back = arith.index_cast %low : memref<4xi8> to memref<4xindex>
  return %back : memref<4xindex>
}
