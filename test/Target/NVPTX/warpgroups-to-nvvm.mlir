// RUN: fovea-opt %s --attn-tile-assign-layouts --attn-tile-specialize-warps --attn-tile-schedule-dots --attn-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 128)>>

// CHECK-LABEL: func.func @kernel
// Barriers by one thread: one arrival fills a slot; a band of Q is read by the 4 warps of a warpgroup, K and V by 8.
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C8192:.*]] = arith.constant 8192 : i32
// CHECK-DAG: %[[C4096:.*]] = arith.constant 4096 : i32
// CHECK: scf.if
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C1]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C4]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C1]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C4]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C1]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C8]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C1]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C8]]
// CHECK-NOT: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: nvvm.barrier0

// One thread copies: for each band it waits, announces 64 rows of 128 bytes and begins the copy. Slots are free at first.
// CHECK: nvvm.setmaxregister decrease 24
// CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[C1]]
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[C8192]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg4
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[C8192]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg4
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[C4096]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg5
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[C4096]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg6

// S = Q K^T: both operands by descriptors, each instruction's made of one that no loop changes. The high word says 1024 bytes
// from one group of rows to the next and swizzle of 128 bytes. A step of 16 columns is 2 units of 16 bytes: K lies 1024 of them
// behind Q. The first instruction does not read the accumulator.
// CHECK: nvvm.setmaxregister increase 240
// CHECK-DAG: %[[Q0:.*]] = arith.addi %[[UNITS:.*]], %c4611686293305360384_i64
// CHECK-DAG: %[[QW:.*]] = arith.addi %[[Q0]], %[[BAND:.*]] : i64
// CHECK-DAG: %[[Q1:.*]] = arith.addi %[[QW]], %c2_i64
// CHECK-DAG: %[[K0:.*]] = arith.addi %[[UNITS]], %c4611686293305361408_i64
// CHECK-DAG: %[[K1:.*]] = arith.addi %[[UNITS]], %c4611686293305361410_i64
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{.*}}, $15}, $16, $20, 0, 1, 1, 0, 0; {{.*}}, $17, $21, 1, 1, 1, 0, 0; {{.*}}wgmma.commit_group.sync.aligned;{{.*}} %[[QW]], %[[Q1]], %{{.*}}, %{{.*}}, %[[K0]], %[[K1]],
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;"
// CHECK: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];"

// O = P V: P in registers, V transposed by the descriptor; 16 rows are 128 units. Two steps.
// CHECK-DAG: %[[V0:.*]] = arith.addi %[[UNITS]], %c4611686293322073344_i64
// CHECK-DAG: %[[V1:.*]] = arith.addi %[[UNITS]], %c4611686293322073472_i64
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{.*}}, $31}, {$32, $33, $34, $35}, $40, 0, 1, 1, 1; wgmma.mma_async{{.*}}, {$36, $37, $38, $39}, $41, 1, 1, 1, 1; wgmma.commit_group{{.*}}, %[[V0]], %[[V1]] :

// The store waits for the copies before it, then the warpgroup writes its band with matrix stores; one thread copies it.
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %arg7
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NOT: nvvm.cluster
func.func @kernel(%q: !m, %k: !m, %v: !m, %o: !m) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 128, block_n = 32, warps = 8, stages = 1, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %i = attn_tile.program_id : index
  %qt = attn_tile.load %q[%i, %c0] {row_dim = 0} : !m -> tensor<128x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %acc = arith.constant dense<0.0> : tensor<128x64xf32>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
  %p = arith.truncf %s : tensor<128x32xf32> to tensor<128x32xbf16>
  %vt = attn_tile.load %v[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
  %n = attn_tile.dot %p, %vt, %acc : tensor<128x32xbf16>, tensor<32x64xbf16> -> tensor<128x64xf32>
  %out = arith.truncf %n : tensor<128x64xf32> to tensor<128x64xbf16>
  attn_tile.store %out, %o[%i, %c0] {row_dim = 0, alignment = 16} : tensor<128x64xbf16> -> !m
  return
}

// -----

!m = memref<?x64xf16, strided<[?, 1], offset: ?>>
!o = memref<?x32xf32, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>

// K's slot is read by the 4 warps of each of two blocks, which arrive at the barriers of both. Each block copies 16 of the 32
// rows to both (mask 3), and expects all of them. Neither uses the other's memory before its barriers are made, nor ends
// before. An address of a descriptor is masked: in a cluster the bits above name the block.
// CHECK-LABEL: func.func @cluster
// CHECK-DAG: %[[MASK:.*]] = arith.constant 3 : i16
// CHECK-DAG: %[[BITS:.*]] = arith.constant 16383 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C4096:.*]] = arith.constant 4096 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C1]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C4]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C1]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C8]]
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NOT: nvvm.setmaxregister
// CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[C4096]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg4, {{.*}} multicast_mask = %[[MASK]]
// CHECK: arith.andi %{{.*}}, %[[BITS]]
// CHECK: m64n32k16.f32.f16.f16
// CHECK: "{ .reg .b32 a; @$1 mapa.shared::cluster.u32 a, $0, $2; @$1 mbarrier.arrive.shared::cluster.b64 _, [a]; }"
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: return
func.func @cluster(%q: !m, %k: !m, %o: !o) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 1, unit = warpgroup, persistent = true, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xf16>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xf16>, tensor<32x64xf16> -> tensor<64x32xf32>
  attn_tile.store %s, %o[%c0, %c0] {row_dim = 0, alignment = 16} : tensor<64x32xf32> -> !o
  return
}
