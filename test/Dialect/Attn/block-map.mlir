// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: fovea-opt %s --attn-decompose | FileCheck %s --check-prefix=DECOMPOSE
// RUN: fovea-opt %s --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s --check-prefix=BUFFER
// RUN: fovea-opt %s --attn-plan=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=PLAN

!q = tensor<?x8x?x64xf16>
!map = tensor<?x1x?x?xi8>

// The map outranks the mask, but not causal: what the region says may not become causal where a block is full.
// CHECK-LABEL: func.func @region
// CHECK: block_map(%{{.*}} : tensor<?x1x?x?xi8>, 192, 128) mask_mod(
// CANON-LABEL: func.func @region
// CANON-NOT: causal
// CANON: block_map(%{{.*}} : tensor<?x1x?x?xi8>, 192, 128) mask_mod(
// DECOMPOSE-LABEL: func.func @region
// DECOMPOSE: %[[KEPT:.*]] = arith.cmpi sle
// DECOMPOSE: %[[ROW:.*]] = arith.divui %{{.*}}, %c192
// DECOMPOSE: %[[COLUMN:.*]] = arith.divui %{{.*}}, %c128
// DECOMPOSE: %[[STATE:.*]] = tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %[[ROW]], %[[COLUMN]]]
// DECOMPOSE: %[[SOME:.*]] = arith.cmpi ne, %[[STATE]], %c0_i8
// DECOMPOSE: %[[FULL:.*]] = arith.cmpi eq, %[[STATE]], %c2_i8
// DECOMPOSE: %[[PAIR:.*]] = arith.ori %[[KEPT]], %[[FULL]]
// DECOMPOSE: arith.andi %[[SOME]], %[[PAIR]]
// BUFFER-LABEL: func.func @region
// BUFFER: attn.attention {{.*}} block_map(%{{.*}} : memref<?x1x?x?xi8, strided<[?, ?, ?, ?], offset: ?>>, 192, 128)
// The states of a variant are made of the map and the region.
// PLAN-LABEL: func.func private @region_attn0_tiled_map_map(
// PLAN-SAME: %[[GIVEN:[a-z0-9]*]]: memref<?x1x?x?xi8, {{.*}}> {attn.source = #attn.source<operand = 3>}
// PLAN: attn.block_map
// PLAN: arith.cmpi sle
// PLAN: memref.load %[[GIVEN]]
// PLAN-LABEL: func.func private @region_attn0_tiled_map(
// PLAN: block_map(%{{.*}}, 192, 128) block_list(
// PLAN-LABEL: func.func private @region_attn0_tiled(
// PLAN: block_map(%{{.*}} : memref<?x1x?x?xi8, {{.*}}>, 192, 128)
func.func @region(%q: !q, %k: !q, %v: !q, %map: !map, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q) block_map(%map : !map, 192, 128)
    mask_mod(%b, %h, %i, %j) {
      %kept = arith.cmpi sle, %j, %i : index
      attn.yield %kept : i1
    } outs(%o : !q)
  return %r : !q
}

// A map that is partial everywhere says nothing, one that is full everywhere leaves nothing to say.
// CANON-LABEL: func.func @constant
// CANON: attn.attention ins({{.*}}) mask({{.*}}) outs
// CANON: attn.attention ins({{.*}}) outs
func.func @constant(%q: tensor<1x1x8x64xf16>, %mask: tensor<1x1x8x8xi1>, %o: tensor<1x1x8x64xf16>)
    -> (tensor<1x1x8x64xf16>, tensor<1x1x8x64xf16>) {
  %partial = arith.constant dense<1> : tensor<1x1x2x2xi8>
  %full = arith.constant dense<2> : tensor<1x1x2x2xi8>
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x8x64xf16>, tensor<1x1x8x64xf16>, tensor<1x1x8x64xf16>)
    mask(%mask : tensor<1x1x8x8xi1>) block_map(%partial : tensor<1x1x2x2xi8>, 4, 4) outs(%o : tensor<1x1x8x64xf16>)
  %s = attn.attention ins(%q, %q, %q : tensor<1x1x8x64xf16>, tensor<1x1x8x64xf16>, tensor<1x1x8x64xf16>)
    mask(%mask : tensor<1x1x8x8xi1>) block_map(%full : tensor<1x1x2x2xi8>, 4, 4) outs(%o : tensor<1x1x8x64xf16>)
  return %r, %s : tensor<1x1x8x64xf16>, tensor<1x1x8x64xf16>
}
