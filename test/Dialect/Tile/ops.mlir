// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --emit-bytecode | fovea-opt | FileCheck %s

!q = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// CHECK-LABEL: func.func @products
// CHECK: %[[ID:.*]] = attn_tile.program_id : index
// CHECK: attn_tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] rows(%{{.*}}) {row_dim = 2 : i64}
// CHECK: attn_tile.load %{{.*}} rows(%{{.*}}) cols(%{{.*}}) {alignment = 16 : i64, row_dim = 1 : i64}
// CHECK: attn_tile.dot %{{.*}} {allow_tf32, transpose_rhs} : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
// CHECK: attn_tile.dot %{{.*}} {part = 32 : i64, transpose_rhs} : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
// CHECK: attn_tile.row_reduce max %{{.*}} : tensor<16x16xf32> -> tensor<16xf32>
// CHECK: attn_tile.row_reduce sum
// CHECK: attn_tile.dot %{{.*}} : tensor<16x16xf32>, tensor<16x64xf16> -> tensor<16x64xf32>
// CHECK: attn_tile.store %{{.*}}, %{{.*}} rows(%{{.*}}) {row_dim = 2 : i64}
func.func @products(%q: !q, %n: index, %v: tensor<16x64xf16>, %o: tensor<16x64xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %id = attn_tile.program_id : index
  %qt = attn_tile.load %q[%c0, %c0, %id, %c0] rows(%n) {row_dim = 2} : !q -> tensor<16x64xf32>
  %kt = attn_tile.load %q[%c0, %c0, %id, %c0] rows(%n) cols(%n) {row_dim = 1, alignment = 16} : !q -> tensor<16x64xf32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %m = arith.constant dense<0xFF800000> : tensor<16xf32>
  %s = attn_tile.dot %qt, %kt, %z {transpose_rhs, allow_tf32} : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
  %parts = attn_tile.dot %qt, %kt, %z {transpose_rhs, part = 32 : i64} : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
  %r = attn_tile.row_reduce max %s, %m : tensor<16x16xf32> -> tensor<16xf32>
  %l = attn_tile.row_reduce sum %s, %r : tensor<16x16xf32> -> tensor<16xf32>
  %acc = attn_tile.dot %s, %v, %o : tensor<16x16xf32>, tensor<16x64xf16> -> tensor<16x64xf32>
  attn_tile.store %acc, %q[%c0, %c0, %id, %c0] rows(%n) {row_dim = 2} : tensor<16x64xf32> -> !q
  return %l : tensor<16xf32>
}

// CHECK-LABEL: func.func @lanes
// CHECK: attn_tile.program_id {lanes = 8 : i64} : index
// CHECK: attn_tile.lane of 8 : index
// CHECK: attn_tile.reduce_lanes min %{{.*}} of 8 : index
// CHECK: attn_tile.reduce_lanes or %{{.*}} of 32 : i1
// CHECK: %{{.*}}, %{{.*}} = attn_tile.count_lanes %{{.*}} of 32 : i32
func.func @lanes(%condition: i1) -> (index, index, i1, i32, i32) {
  %id = attn_tile.program_id {lanes = 8 : i64} : index
  %lane = attn_tile.lane of 8 : index
  %least = attn_tile.reduce_lanes min %lane of 8 : index
  %any = attn_tile.reduce_lanes or %condition of 32 : i1
  %before, %all = attn_tile.count_lanes %condition of 32 : i32
  return %id, %least, %any, %before, %all : index, index, i1, i32, i32
}

// CHECK-LABEL: func.func @coordinates
// CHECK: attn_tile.iota {dim = 1 : i64} : tensor<16x8xindex>
// CHECK: attn_tile.splat %{{.*}} : index -> tensor<16xindex>
// CHECK: attn_tile.broadcast %{{.*}} : tensor<16xindex> -> tensor<16x8xindex>
// CHECK: attn_tile.gather %{{.*}}[%{{.*}}, %{{.*}}] mask(%{{.*}}) : memref<?x?xi32>, [tensor<16x8xindex>, index], tensor<16x8xi1> -> tensor<16x8xi32>
func.func @coordinates(%table: memref<?x?xi32>, %x: index) -> tensor<16x8xi32> {
  %cols = attn_tile.iota {dim = 1} : tensor<16x8xindex>
  %rows = attn_tile.splat %x : index -> tensor<16xindex>
  %base = attn_tile.broadcast %rows : tensor<16xindex> -> tensor<16x8xindex>
  %mask = arith.cmpi slt, %cols, %base : tensor<16x8xindex>
  %t = attn_tile.gather %table[%cols, %x] mask(%mask) : memref<?x?xi32>, [tensor<16x8xindex>, index], tensor<16x8xi1> -> tensor<16x8xi32>
  return %t : tensor<16x8xi32>
}

// CHECK-LABEL: func.func @cluster
// CHECK: attn_tile.exchange %{{.*}}, %{{.*}} programs 2 : (tensor<16xf32>, tensor<16x24xf32>) -> (tensor<16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16x16xf32>)
// CHECK: attn_tile.await_peers
func.func @cluster(%rows: tensor<16xf32>, %t: tensor<16x24xf32>) -> tensor<16x16xf32> {
  %0:4 = attn_tile.exchange %rows, %t programs 2
    : (tensor<16xf32>, tensor<16x24xf32>) -> (tensor<16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16x16xf32>)
  attn_tile.await_peers
  return %0#3 : tensor<16x16xf32>
}
