// RUN: fovea-opt %s --attn-tile-assign-layouts --attn-tile-stage-memory --attn-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
#strategy = #attn.strategy<block_m = 16, block_n = 16, warps = 1>
!m = memref<?x64xf16, strided<[?, 1], offset: ?>>
!o = memref<?x16xf32, strided<[?, 1], offset: ?>>

// Chains of two instructions for each of two blocks of columns; the second chain begins at zero, and its sums are added.
// CHECK-LABEL: func.func @parts
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[A0:.*]] = nvvm.mma.sync A{{.*}}C[%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// CHECK-COUNT-3: nvvm.mma.sync
// CHECK-NOT: arith.addf
// CHECK: nvvm.mma.sync A{{.*}}C[%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// CHECK-COUNT-3: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK-COUNT-8: arith.addf
// CHECK-NOT: arith.addf
func.func @parts(%q: !m, %k: !m, %o: !o) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = attn_tile.load %q[%c0, %c0] {row_dim = 0, alignment = 16} : !m -> tensor<16x64xf16>
  %b = attn_tile.load %k[%c0, %c0] {row_dim = 0, alignment = 16} : !m -> tensor<16x64xf16>
  %s = attn_tile.dot %a, %b, %zero {transpose_rhs, part = 32 : i64} : tensor<16x64xf16>, tensor<16x64xf16> -> tensor<16x16xf32>
  attn_tile.store %s, %o[%c0, %c0] {row_dim = 0} : tensor<16x16xf32> -> !o
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
#strategy = #attn.strategy<block_m = 16, block_n = 16, warps = 1>
!m = memref<?x32xf32, strided<[?, 1], offset: ?>>
!o = memref<?x16xf32, strided<[?, 1], offset: ?>>

// f32: three pieces of bf16, six of whose products are added, the one of first pieces to a sum that begins at zero. What adding
// the second part rounds away joins the smaller products, and these are added at the end, unless the sum is infinite.
// CHECK-LABEL: func.func @single
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-COUNT-3: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK-NOT: nvvm.mma.sync
// CHECK: nvvm.mma.sync A{{.*}}C[%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// CHECK-SAME: multiplicandAPtxType = #nvvm.mma_type<bf16>
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK: nvvm.mma.sync A{{.*}}C[%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// CHECK-COUNT-6: nvvm.mma.sync
// CHECK-NOT: arith.addf
// CHECK-COUNT-6: nvvm.mma.sync
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: arith.subf %[[SUM]]
// CHECK-COUNT-3: arith.subf
// CHECK-COUNT-2: arith.addf
// CHECK-COUNT-6: nvvm.mma.sync
// CHECK: %[[ABS:.*]] = math.absf %[[SUM]]
// CHECK: %[[FINITE:.*]] = arith.cmpf olt, %[[ABS]]
// CHECK: %[[ALL:.*]] = arith.addf %[[SUM]]
// CHECK: arith.select %[[FINITE]], %[[ALL]], %[[SUM]]
func.func @single(%q: !m, %k: !m, %o: !o) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = attn_tile.load %q[%c0, %c0] {row_dim = 0, alignment = 16} : !m -> tensor<16x32xf32>
  %b = attn_tile.load %k[%c0, %c0] {row_dim = 0, alignment = 16} : !m -> tensor<16x32xf32>
  %s = attn_tile.dot %a, %b, %zero {transpose_rhs, part = 16 : i64} : tensor<16x32xf32>, tensor<16x32xf32> -> tensor<16x16xf32>
  attn_tile.store %s, %o[%c0, %c0] {row_dim = 0} : tensor<16x16xf32> -> !o
  return
}
