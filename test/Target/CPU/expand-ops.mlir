// RUN: fovea-opt %s --attn-cpu-expand-ops | FileCheck %s

// CHECK-LABEL: func.func @truncate(
// CHECK-SAME:    %[[X:[^:]*]]: f64, %[[Y:[^:]*]]: vector<4xf64>, %[[Z:[^:]*]]: f32
func.func @truncate(%x: f64, %y: vector<4xf64>, %z: f32) -> (f16, vector<4xbf16>, f32, bf16) {
  // 1.5 * 2^(53 - 11) times the power of two of %x; the smallest is 2^-14.
  // CHECK: arith.maximumf %{{.*}}, %{{.*}} : f64
  // CHECK: arith.constant 0x4298000000000000 : f64
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[MAGIC:.*]] : f64
  // CHECK: arith.subf %[[SUM]], %[[MAGIC]] : f64
  // CHECK: %[[NARROW:.*]] = arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.truncf %[[NARROW]] : f32 to f16
  %a = arith.truncf %x : f64 to f16
  // CHECK: arith.truncf %{{.*}} : vector<4xf64> to vector<4xf32>
  // CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
  %b = arith.truncf %y : vector<4xf64> to vector<4xbf16>
  // CHECK: arith.truncf %[[X]] : f64 to f32
  %c = arith.truncf %x : f64 to f32
  // CHECK: arith.truncf %[[Z]] : f32 to bf16
  %d = arith.truncf %z : f32 to bf16
  return %a, %b, %c, %d : f16, vector<4xbf16>, f32, bf16
}

// CHECK-LABEL: func.func @copy(
func.func @copy(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32, strided<[?, ?], offset: ?>>) {
  // CHECK: memref.copy
  memref.copy %a, %b : memref<4x8xf32> to memref<4x8xf32>
  // CHECK-NOT: memref.copy
  // CHECK: linalg.generic
  memref.copy %a, %c : memref<4x8xf32> to memref<4x8xf32, strided<[?, ?], offset: ?>>
  return
}
