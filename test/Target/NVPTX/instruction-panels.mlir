// RUN: fovea-opt %s --attn-tile-assign-layouts --attn-tile-specialize-warps --attn-tile-schedule-dots --attn-tile-verify-async --attn-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s
// A product whose columns need more registers than a thread has at launch is made of an instruction for each panel of 64.

!m = memref<?x128xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>

// Three thread blocks of 256 threads start with 80 registers each: 32 columns of scores fit, 128 of values need 94. V's
// panels are 32 rows of 128 bytes, 256 units, and a step of 16 rows is 128 units.
// CHECK-LABEL: func.func @values
// CHECK: wgmma.mma_async.sync.aligned.m64n32k16
// CHECK-NOT: m64n128k16
// CHECK-DAG: %[[V0:.*]] = arith.addi %[[UNITS:.*]], %c4611686293322073600_i64
// CHECK-DAG: %[[V1:.*]] = arith.addi %[[UNITS]], %c4611686293322073856_i64
// CHECK-DAG: %[[V2:.*]] = arith.addi %[[UNITS]], %c4611686293322073728_i64
// CHECK-DAG: %[[V3:.*]] = arith.addi %[[UNITS]], %c4611686293322073984_i64
// CHECK: wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{[$0-9, ]*}}, $31}, {$64, $65, $66, $67}, $72, 0, 1, 1, 1;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$32, {{[$0-9, ]*}}, $63}, {$64, $65, $66, $67}, $73, 0, 1, 1, 1;
// CHECK-SAME: m64n64k16.f32.bf16.bf16 {$0, {{[$0-9, ]*}}, $31}, {$68, $69, $70, $71}, $74, 1, 1, 1, 1;
// CHECK-SAME: m64n64k16.f32.bf16.bf16 {$32, {{[$0-9, ]*}}, $63}, {$68, $69, $70, $71}, $75, 1, 1, 1, 1; wgmma.commit_group
// CHECK-SAME: %[[V0]], %[[V1]], %[[V2]], %[[V3]] :
func.func @values(%q: !m, %k: !m, %v: !m, %o: !m) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 1, unit = warpgroup, min_blocks = 3>} {
  %c0 = arith.constant 0 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x128xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %acc = arith.constant dense<0.0> : tensor<64x128xf32>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x128xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x128xbf16>, tensor<32x128xbf16> -> tensor<64x32xf32>
  %p = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xbf16>
  %vt = attn_tile.load %v[%c0, %c0] {row_dim = 0} : !m -> tensor<32x128xbf16>
  %n = attn_tile.dot %p, %vt, %acc : tensor<64x32xbf16>, tensor<32x128xbf16> -> tensor<64x128xf32>
  %out = arith.truncf %n : tensor<64x128xf32> to tensor<64x128xbf16>
  attn_tile.store %out, %o[%c0, %c0] {row_dim = 0, alignment = 16} : tensor<64x128xbf16> -> !m
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>

// 112 columns of scores are 64 and 48: the later keys lie 64 rows of 128 bytes, 512 units, behind.
// CHECK-LABEL: func.func @scores
// CHECK-DAG: %[[K0:.*]] = arith.addi %[[UNITS:.*]], %c4611686293305360896_i64
// CHECK-DAG: %[[K1:.*]] = arith.addi %[[UNITS]], %c4611686293305361408_i64
// CHECK: wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{[$0-9, ]*}}, $31}, $56, $60, 0, 1, 1, 0, 0;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n48k16.f32.bf16.bf16 {$32, {{[$0-9, ]*}}, $55}, $56, $61, 0, 1, 1, 0, 0;
// CHECK-SAME: %[[K0]], %[[K1]],
func.func @scores(%q: !m, %k: !m, %o: memref<?x112xf32, strided<[?, 1], offset: ?>>) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 112, warps = 4, stages = 1, unit = warpgroup, min_blocks = 3>} {
  %c0 = arith.constant 0 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x112xf32>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<112x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<112x64xbf16> -> tensor<64x112xf32>
  attn_tile.store %s, %o[%c0, %c0] {row_dim = 0} : tensor<64x112xf32> -> memref<?x112xf32, strided<[?, 1], offset: ?>>
  return
}
