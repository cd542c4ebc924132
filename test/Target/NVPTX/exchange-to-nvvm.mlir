// RUN: fovea-opt %s --attn-tile-to-nvvm --canonicalize --split-input-file | FileCheck %s

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 32>
#strategy = #attn.strategy<block_m = 16, block_n = 32, split_kv = true, cluster = 2>
!rows = tensor<16xf32, #attn_tile.mma_rows<warps = 1>>
!t = tensor<16x32xf32, #attn_tile.mma_acc<warps = 1>>
!s = tensor<16x16xf32, #attn_tile.mma_acc<warps = 1>>
!o = memref<?x16xf32, strided<[?, 1], offset: ?>>
!l = memref<?xf32, strided<[?], offset: ?>>

// A thread writes its two rows as 8 bytes and its four column blocks as 16 bytes each, 32 threads apart; it reads both rows,
// and two column blocks from the one that its rank says, of each program.
// CHECK-LABEL: func.func @exchange
// CHECK: %[[ROWS:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}]
// CHECK: llvm.store %{{.*}}, %[[ROWS]] {alignment = 8 : i64} : vector<2xf32>
// CHECK: %[[TILE:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}]
// CHECK: llvm.store %{{.*}}, %[[TILE]] {alignment = 16 : i64} : vector<4xf32>
// CHECK: llvm.getelementptr %[[TILE]][512]
// CHECK: llvm.getelementptr %[[TILE]][1024]
// CHECK: llvm.getelementptr %[[TILE]][1536]
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: %[[FIRST:.*]] = arith.muli %[[RANK]], %c2_i32
// CHECK: arith.minui %[[FIRST]], %c4_i32
// CHECK: nvvm.mapa %{{.*}}, %c0_i32
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<7> -> vector<2xf32>
// CHECK: %[[PEER:.*]] = nvvm.mapa %{{.*}}, %c0_i32
// CHECK: llvm.load %[[PEER]] {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[PEER]][512]
// CHECK: llvm.load %[[NEXT]] {alignment = 16 : i64}
// CHECK: nvvm.mapa %{{.*}}, %c1_i32
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: st.global
// CHECK: nvvm.cluster.wait {aligned}
// CHECK-NEXT: return
func.func @exchange(%x: f32, %y: f32, %o: !o, %l: !l) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %rows = attn_tile.splat %x : f32 -> !rows
  %t = attn_tile.splat %y : f32 -> !t
  %0:4 = attn_tile.exchange %rows, %t programs 2 : (!rows, !t) -> (!rows, !s, !rows, !s)
  %sum = arith.addf %0#1, %0#3 : !s
  %max = arith.maxnumf %0#0, %0#2 : !rows
  attn_tile.store %sum, %o[%c0, %c0] {row_dim = 0} : !s -> !o
  attn_tile.store %max, %l[%c0] {row_dim = 0} : !rows -> !l
  attn_tile.await_peers
  return
}

// -----

// With roles only the warps that compute take part: 128 of 256 threads, which have all read their tiles before they write.
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 256>
#strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, split_kv = true, unit = warpgroup, cluster = 2>
!t = tensor<64x8xf32, #attn_tile.mma_acc<warps = 4>>
!o = memref<?x8xf32, strided<[?, 1], offset: ?>>

// CHECK-LABEL: func.func @computing
// CHECK: nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
// CHECK: %[[OWN:.*]] = llvm.getelementptr
// CHECK: llvm.store %{{.*}}, %[[OWN]] {alignment = 16 : i64}
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
func.func @computing(%x: f32, %o: !o) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %t = attn_tile.splat %x : f32 -> !t
  %0:2 = attn_tile.exchange %t programs 2 : (!t) -> (!t, !t)
  attn_tile.store %0#1, %o[%c0, %c0] {row_dim = 0} : !t -> !o
  attn_tile.await_peers
  return
}
