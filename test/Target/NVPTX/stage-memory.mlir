// RUN: fovea-opt %s --attn-tile-assign-layouts --attn-tile-stage-memory | FileCheck %s

!m = memref<?x64xbf16, strided<[?, ?], offset: ?>>
!o = memref<?x32xf32, strided<[?, ?], offset: ?>>

// Two loops over one range share a ring of two slots; the second loop's limit holds for all copies.
// CHECK: func.func @ring
// 64 * 64 * 2 bytes of Q, two slots of 32 * 64 * 2 bytes of K.
// CHECK-SAME: shared_bytes = 16384
// CHECK: attn_tile.fetch %arg0{{.*}} slot(%c0{{.*}}) {{.*}}#attn_tile.shared<offset = 0, slot_bytes = 8192, pitch = 128, swizzle = true>
// CHECK: attn_tile.commit_fetches
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK-NEXT: attn_tile.fetch %arg1[%arg4, %{{.*}}] rows(%arg5) slot(%{{.*}}) {{.*}}#attn_tile.shared<offset = 8192, slot_bytes = 4096, pitch = 128, slots = 2, swizzle = true>
// CHECK: attn_tile.commit_fetches
// CHECK: %[[FIRST:.*]]:2 = scf.for %[[J:.*]] = %arg4 to %arg6
// CHECK: attn_tile.await_fetches 0
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT]], %arg5
// CHECK: scf.if %[[EXISTS]]
// CHECK-NEXT: attn_tile.fetch %arg1[%[[NEXT]], %{{.*}}] rows(%arg5)
// CHECK: %[[K:.*]] = attn_tile.staged
// CHECK: attn_tile.dot %{{.*}}, %[[K]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1)
func.func @ring(%q: !m, %k: !m, %o: !o, %unused: index, %lb: index, %ub: index, %middle: index) attributes {
    attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %s0 = scf.for %j = %lb to %middle step %c32 iter_args(%acc = %zero) -> tensor<64x32xf32> {
    %kt = attn_tile.load %k[%j, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %acc {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    scf.yield %s : tensor<64x32xf32>
  }
  %s1 = scf.for %j = %middle to %ub step %c32 iter_args(%acc = %s0) -> tensor<64x32xf32> {
    %kt = attn_tile.load %k[%j, %c0] rows(%ub) {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %acc {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    scf.yield %s : tensor<64x32xf32>
  }
  attn_tile.store %s1, %o[%c0, %c0] {row_dim = 0} : tensor<64x32xf32> -> !o
  return
}

// An exchange takes the memory from the start, behind a wait for copies and threads: here more than Q needs, 128 threads times
// 2 and 32 elements of 4 bytes.
// CHECK: func.func @exchange
// CHECK-SAME: shared_bytes = 17408
// CHECK: attn_tile.dot
// CHECK: attn_tile.await_fetches 0
// CHECK-NEXT: attn_tile.exchange
func.func @exchange(%q: !m, %o: memref<?x32xf32, strided<[?, ?], offset: ?>>) attributes {
    attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, split_kv = true, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %rows = arith.constant dense<0.0> : tensor<64xf32>
  %s = attn_tile.dot %qt, %qt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  %0:4 = attn_tile.exchange %rows, %s programs 2 : (tensor<64xf32>, tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x32xf32>, tensor<64xf32>, tensor<64x32xf32>)
  attn_tile.store %0#3, %o[%c0, %c0] {row_dim = 0} : tensor<64x32xf32> -> memref<?x32xf32, strided<[?, ?], offset: ?>>
  attn_tile.await_peers
  return
}
