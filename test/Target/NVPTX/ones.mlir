// RUN: fovea-opt %s --attn-tile-assign-layouts --attn-tile-specialize-warps | FileCheck %s --check-prefix=RINGS
// RUN: fovea-opt %s --attn-tile-assign-layouts --attn-tile-specialize-warps --attn-tile-schedule-dots --attn-tile-verify-async --attn-tile-to-nvvm --canonicalize --cse | FileCheck %s

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
!s = memref<?xf32, strided<[?], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 128)>>

// Columns of ones have a panel of their own in each slot: V's slots are 2 * 32 rows of 128 bytes, of which the first 32 are copied.
// RINGS-LABEL: func.func @kernel
// RINGS: tensor<32x72xbf16, #attn_tile.swizzled<offset = 24576, slot_bytes = 8192, slots = 2, parts = 1, full = {{[0-9]+}}, empty = {{[0-9]+}}, ones = 8>>
// RINGS: attn_tile.clear_rows %[[V:.*]] first

// All 384 threads write the panels' 256 chunks of 16 bytes, at 24576 + 4096 and 8192 behind; products see that. Then the barriers.
// CHECK-LABEL: func.func @kernel
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<8xbf16>
// CHECK-DAG: %[[C4096:.*]] = arith.constant 4096 : i32
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 28672 : i32
// CHECK-DAG: %[[SECOND:.*]] = arith.constant 36864 : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %c256{{.*}} step %c384
// CHECK: arith.addi %[[BYTE:.*]], %[[FIRST]]
// CHECK: llvm.store %[[ONES]], %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: arith.addi %[[BYTE]], %[[SECOND]]
// CHECK: llvm.store %[[ONES]]
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: nvvm.barrier0

// One copy of 4096 bytes.
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[C4096]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg7
// CHECK-NOT: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.setmaxregister increase

// Rows behind the end are cleared in the first panel alone. The product has 72 columns; the panels are 256 units apart.
// CHECK: scf.for
// CHECK-COUNT-1: llvm.store %{{.*}} : vector<4xi32>
// CHECK-NOT: llvm.store
// CHECK: arith.addi %{{.*}}, %c4611686293322073600_i64
// CHECK: wgmma.mma_async.sync.aligned.m64n72k16.f32.bf16.bf16 {$0, {{.*}}, $35}, {$36, $37, $38, $39}, $44, 0, 1, 1, 1;
func.func @kernel(%q: !m, %v: !m, %o: !m, %sums: !s, %len: index) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 128, block_n = 32, warps = 8, stages = 2, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %acc = arith.constant dense<0.0> : tensor<128x72xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<128x64xbf16>
  %kt = attn_tile.load %v[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
  %p = arith.truncf %s : tensor<128x32xf32> to tensor<128x32xbf16>
  %vt = attn_tile.load %v[%c0, %c0] rows(%len) {row_dim = 0, ones = 8} : !m -> tensor<32x72xbf16>
  %n = attn_tile.dot %p, %vt, %acc : tensor<128x32xbf16>, tensor<32x72xbf16> -> tensor<128x72xf32>
  %r = attn_tile.columns %n from 64 : tensor<128x72xf32> -> tensor<128x8xf32>
  %rows = attn_tile.row_reduce sum %r, %none : tensor<128x8xf32> -> tensor<128xf32>
  attn_tile.store %rows, %sums[%c0] {row_dim = 0} : tensor<128xf32> -> !s
  return
}
