// RUN: fovea-opt %s --attn-plan=target=cpu:x86-64-v3 | FileCheck %s
// RUN: fovea-opt %s --attn-plan=target=sm_90a | FileCheck %s --check-prefix=SM90

!q = tensor<?x8x?x64xf16>

// A mask that depends on data makes a variant of four kernels: the states of the blocks, the lists made of them, the order of
// the lists, and the attention. The tables have a batch where the mask has one.
// CHECK-DAG: #[[LONG:.*]] = affine_set<()[s0, s1, s2, s3, s4, s5, s6] : (s4 - 512 >= 0)>
// CHECK-DAG: #[[STATES:.*]] = affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> (s0, 1, s3 ceildiv 96, s4 ceildiv 128)>
// CHECK-DAG: #[[LISTS:.*]] = affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> (s0, 1, s3 ceildiv 96, s4 ceildiv 128 + 3)>
// CHECK-LABEL: func.func @prefix(
// CHECK: #attn.variant<name = "tiled_map", when = #[[LONG]], kernels = [@prefix_attn0_tiled_map_map, @prefix_attn0_tiled_map_list, @prefix_attn0_tiled_map_order, @prefix_attn0_tiled_map], temporaries = [#attn.temporary<i32, #[[STATES]]>, #attn.temporary<i32, #[[LISTS]]>]>

// CHECK-LABEL: func.func private @prefix_attn0_tiled_map_map(
// CHECK-SAME: %[[STATE:[a-z0-9]*]]: memref<?x1x?x?xi32, {{.*}}> {attn.source = #attn.source<temporary = 0>})
// CHECK: attn.block_map ins(%{{.*}}, %{{.*}} : {{.*}}) mask_mod
// CHECK: memref.load
// CHECK: outs(%[[STATE]]
// CHECK-LABEL: func.func private @prefix_attn0_tiled_map_list(
// CHECK: attn.block_list %arg0, %arg1
// CHECK-LABEL: func.func private @prefix_attn0_tiled_map_order(
// CHECK: attn.block_order %arg0
// CHECK: func.func private @prefix_attn0_tiled_map(
// CHECK-SAME: %[[LIST:[a-z0-9]*]]: memref<?x1x?x?xi32, {{.*}}> {attn.source = #attn.source<temporary = 1>})
// CHECK: block_list(%[[LIST]] : {{.*}})

// SM90: #attn.variant<name = "warpgroup_map", when = #{{.*}}, kernels = [@prefix_attn0_warpgroup_map_map, @prefix_attn0_warpgroup_map_list, @prefix_attn0_warpgroup_map_order, @prefix_attn0_warpgroup_map]
// SM90-LABEL: func.func private @prefix_attn0_warpgroup_map_map(
// SM90: strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 2, unit = thread>
// SM90-LABEL: func.func private @prefix_attn0_warpgroup_map_list(
// SM90: attn.block_list {{.*}}attn.lanes = 32
// SM90-LABEL: func.func private @prefix_attn0_warpgroup_map_order(
// SM90: attn.block_order {{.*}}attn.lanes = 32
// SM90-LABEL: func.func private @prefix_attn0_warpgroup_map(
// SM90: strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, {{.*}}unit = warpgroup, overlap = true, {{.*}}min_blocks = 3>
func.func @prefix(%q: !q, %k: !q, %v: !q, %prefix: tensor<?xi32>, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q)
    mask_mod(%b, %h, %i, %j) {
      %p = tensor.extract %prefix[%b] : tensor<?xi32>
      %n = arith.index_cast %p : i32 to index
      %kept = arith.cmpi slt, %j, %n : index
      attn.yield %kept : i1
    } outs(%o : !q)
  return %r : !q
}

// No map without such a mask.
// CHECK-NOT: causal_attn0_tiled_map
func.func @causal(%q: !q, %k: !q, %v: !q, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q) causal(top_left) outs(%o : !q)
  return %r : !q
}

// On a GPU lanes share the scan of a block: eight where elements are read by position, a warp by pair. Quotients by a block's size
// take few values, and what reads no memory has a block for each lane. A CPU has no lanes.
// CHECK-NOT: attn.lanes
// SM90-LABEL: func.func private @documents_attn0_warpgroup_map_map(
// SM90: attn.block_map {{.*}} mask_mod
// SM90: attn.lanes = 8 : i64
func.func @documents(%q: !q, %k: !q, %v: !q, %documents: tensor<?xi32>, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q)
    mask_mod(%b, %h, %i, %j) {
      %x = tensor.extract %documents[%i] : tensor<?xi32>
      %y = tensor.extract %documents[%j] : tensor<?xi32>
      %kept = arith.cmpi eq, %x, %y : i32
      attn.yield %kept : i1
    } outs(%o : !q)
  return %r : !q
}

// SM90-LABEL: func.func private @pairs_attn0_warpgroup_map_map(
// SM90: attn.block_map {{.*}} mask_mod
// SM90: attn.lanes = 32 : i64
func.func @pairs(%q: !q, %k: !q, %v: !q, %table: tensor<?x?xi1>, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q)
    mask_mod(%b, %h, %i, %j) {
      %kept = tensor.extract %table[%i, %j] : tensor<?x?xi1>
      attn.yield %kept : i1
    } outs(%o : !q)
  return %r : !q
}

// SM90-LABEL: func.func private @blocks_attn0_warpgroup_map_map(
// SM90: attn.block_map {{.*}} mask_mod
// SM90-NOT: attn.lanes
// SM90-LABEL: func.func private @blocks_attn0_warpgroup_map_list(
func.func @blocks(%q: !q, %k: !q, %v: !q, %table: tensor<?x?xi1>, %o: !q) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q)
    mask_mod(%b, %h, %i, %j) {
      %c128 = arith.constant 128 : index
      %x = arith.divui %i, %c128 : index
      %y = arith.divui %j, %c128 : index
      %kept = tensor.extract %table[%x, %y] : tensor<?x?xi1>
      attn.yield %kept : i1
    } outs(%o : !q)
  return %r : !q
}
