// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-tile-to-cpu,canonicalize))' --split-input-file | FileCheck %s
// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-tile-to-cpu{vector-width=16 num-registers=32},canonicalize))' --split-input-file | FileCheck %s --check-prefix=WIDE

!m = memref<?x16xf32, strided<[?, ?], offset: ?>>

// Q in row panels of 24, K in rows, S in row panels; 2 keys of 3 vectors and 2 chains of sums at a time.
// CHECK-LABEL: func.func @scores
// CHECK-DAG:   memref.alloc() {alignment = 64 : i64} : memref<768xf32>
// CHECK-DAG:   memref.alloc() {alignment = 64 : i64} : memref<256xf32>
// CHECK:       scf.for
// CHECK:       %{{.*}}:12 = scf.for %{{.*}} = %c0 to %c16 step %c2
// CHECK-COUNT-3: vector.load
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// Rows of keys past the limit are skipped, the result is written where it is inside its own.
// CHECK:       vector.store
// WIDE-LABEL:  func.func @scores
// WIDE:        %{{.*}}:24 = scf.for
// WIDE:        vector.fma {{.*}} : vector<16xf32>
func.func @scores(%q: !m, %k: !m, %o: !m, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<48x16xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<48x16xf32>
  %kt = attn_tile.load %k[%c0, %c0] rows(%n) {row_dim = 0} : !m -> tensor<16x16xf32>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<48x16xf32>, tensor<16x16xf32> -> tensor<48x16xf32>
  attn_tile.store %s, %o[%c0, %c0] rows(%n) {row_dim = 0} : tensor<48x16xf32> -> !m
  return
}

// -----

!m = memref<?x16xf32, strided<[?, ?], offset: ?>>

// With parts products and sums are f64, in one chain.
// CHECK-LABEL: func.func @exact_scores
// CHECK:       %{{.*}}:6 = scf.for %{{.*}} = %c0 to %c16 step %c1
// CHECK:       arith.extf {{.*}} : vector<8xf32> to vector<8xf64>
// CHECK-COUNT-6: vector.fma {{.*}} : vector<8xf64>
// CHECK:       arith.truncf {{.*}} : vector<8xf64> to vector<8xf32>
func.func @exact_scores(%q: !m, %k: !m, %o: !m, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<48x16xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<48x16xf32>
  %kt = attn_tile.load %k[%c0, %c0] rows(%n) {row_dim = 0} : !m -> tensor<16x16xf32>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs, part = 16 : i64} : tensor<48x16xf32>, tensor<16x16xf32> -> tensor<48x16xf32>
  attn_tile.store %s, %o[%c0, %c0] rows(%n) {row_dim = 0} : tensor<48x16xf32> -> !m
  return
}

// -----

!m = memref<?x32xf32, strided<[?, ?], offset: ?>>

// One row: keys are read in place where their rows are contiguous, four at a time.
// CHECK-LABEL: func.func @row_scores
// CHECK:       scf.if
// CHECK:       %{{.*}}:4 = scf.for
// CHECK:       vector.load {{.*}} : memref<{{.*}}xf32, strided<[1], offset: ?>>, vector<8xf32>
// CHECK-COUNT-4: vector.reduction <add>
// CHECK:       else
func.func @row_scores(%q: !m, %k: !m, %o: !m, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<1x32xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<1x32xf32>
  %kt = attn_tile.load %k[%c0, %c0] rows(%n) {row_dim = 0} : !m -> tensor<32x32xf32>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<1x32xf32>, tensor<32x32xf32> -> tensor<1x32xf32>
  attn_tile.store %s, %o[%c0, %c0] {row_dim = 0} : tensor<1x32xf32> -> !m
  return
}

// -----

!m = memref<?x40xf32, strided<[?, ?], offset: ?>>

// The maximum is one loop over columns, what follows it another one in the same loop over rows.
// CHECK-LABEL: func.func @softmax
// CHECK:       scf.for %[[ROW:.*]] = %c0 to %c4 step %c1
// CHECK:         scf.for
// CHECK:           arith.cmpf ogt
// CHECK:         vector.reduction <maxnumf>
// CHECK:         scf.for
// CHECK:           math.exp2
// CHECK:         vector.reduction <add>
// CHECK-NOT:   scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK:       return
func.func @softmax(%x: !m, %y: !m, %l: memref<4xf32, strided<[?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %low = arith.constant dense<0xFF800000> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %t = attn_tile.load %x[%c0, %c0] {row_dim = 0} : !m -> tensor<4x40xf32>
  %m = attn_tile.row_reduce max %t, %low : tensor<4x40xf32> -> tensor<4xf32>
  %mb = attn_tile.broadcast %m : tensor<4xf32> -> tensor<4x40xf32>
  %d = arith.subf %t, %mb : tensor<4x40xf32>
  %p = math.exp2 %d : tensor<4x40xf32>
  %s = attn_tile.row_reduce sum %p, %zero : tensor<4x40xf32> -> tensor<4xf32>
  attn_tile.store %p, %y[%c0, %c0] {row_dim = 0} : tensor<4x40xf32> -> !m
  attn_tile.store %s, %l[%c0] {row_dim = 0} : tensor<4xf32> -> memref<4xf32, strided<[?], offset: ?>>
  return
}
