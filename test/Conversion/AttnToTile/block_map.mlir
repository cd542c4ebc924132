// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf16, strided<[?, ?, ?, ?], offset: ?>>
!docs = memref<?xi32, strided<[?], offset: ?>>
!table = memref<?x?xi1, strided<[?, ?], offset: ?>>
!mask = memref<1x1x?x1xi1, strided<[?, ?, ?, ?], offset: ?>>
!states = memref<1x1x?x?xi32>

// A program takes a block. Documents are read at the queries and at the keys of the block, each once; their least and
// greatest say whether no pair is kept (0), each one is (2), or it is not known (1).
// CHECK-LABEL: func.func @documents
// CHECK-DAG: %[[Q:.*]] = arith.muli %{{.*}}, %c128
// CHECK-DAG: %[[K:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[STATE:.*]] = scf.if
// CHECK: %[[I:.*]]:2 = scf.for
// CHECK: memref.load %arg2
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: %[[J:.*]]:2 = scf.for
// CHECK: memref.load %arg2
// CHECK: %[[BELOW:.*]] = arith.cmpi sle, %[[IHI:.*]], %[[JLO:.*]] : index
// CHECK: %[[ABOVE:.*]] = arith.cmpi sle, %[[JHI:.*]], %[[ILO:.*]] : index
// CHECK: %[[ALL:.*]] = arith.andi %[[BELOW]], %[[ABOVE]]
// CHECK: %[[MAY0:.*]] = arith.cmpi sle, %[[ILO]], %[[JHI]]
// CHECK: %[[MAY1:.*]] = arith.cmpi sle, %[[JLO]], %[[IHI]]
// CHECK: %[[MAY:.*]] = arith.andi %[[MAY0]], %[[MAY1]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi sle
// CHECK: %[[FULL:.*]] = arith.andi %[[ALL]], %[[EXISTS]]
// CHECK: %[[SOME:.*]] = arith.select %[[FULL]], %c2_i32, %c1_i32
// CHECK: arith.select %[[MAY]], %[[SOME]], %c0_i32
// CHECK: memref.store %[[STATE]], %arg3
func.func @documents(%q: !q, %k: !q, %docs: !docs, %states: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_map ins(%q, %k : !q, !q) mask_mod {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %x = memref.load %docs[%i] : !docs
    %y = memref.load %docs[%j] : !docs
    %same = arith.cmpi eq, %x, %y : i32
    attn.yield %same : i1
  } outs(%states : !states) {strategy = #attn.strategy<block_m = 128, block_n = 64>}
  return
}

// A table of blocks: the indices of a block are two quotients each, and few elements are read.
// CHECK-LABEL: func.func @table
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: %[[E:.*]] = memref.load %arg2
// CHECK-NEXT: arith.andi %{{.*}}, %[[E]]
// CHECK-NEXT: arith.ori %{{.*}}, %[[E]]
func.func @table(%q: !q, %k: !q, %table: !table, %states: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_map ins(%q, %k : !q, !q) mask_mod {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c128 = arith.constant 128 : index
    %x = arith.divui %i, %c128 : index
    %y = arith.divui %j, %c128 : index
    %kept = memref.load %table[%x, %y] : !table
    attn.yield %kept : i1
  } outs(%states : !states) {strategy = #attn.strategy<block_m = 128, block_n = 64>}
  return
}

// No memory, no loop. Causal bounds the keys before the region is looked at.
// CHECK-LABEL: func.func @indices
// CHECK-NOT: scf.for
// CHECK: return
func.func @indices(%q: !q, %k: !q, %states: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_map ins(%q, %k : !q, !q) mask_mod {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c20 = arith.constant 20 : index
    %c3 = arith.constant 3 : index
    %n = arith.subi %i, %j : index
    %d = math.absi %n : index
    %near = arith.cmpi slt, %d, %c20 : index
    %r = arith.remui %j, %c3 : index
    %first = arith.cmpi ult, %r, %c20 : index
    %kept = arith.andi %near, %first : i1
    attn.yield %kept : i1
  } outs(%states : !states) {causal, diagonal = #attn<diagonal top_left>, strategy = #attn.strategy<block_m = 128, block_n = 64>}
  return
}

// Sizes that are learned: quotients and remainders within a line, sums that may need more than 64 bits.
// CHECK-LABEL: func.func @lines
// CHECK-DAG: arith.divui
// CHECK-DAG: arith.remui
// CHECK-NOT: scf.for
// CHECK: arith.select
// CHECK: return
func.func @lines(%q: !q, %k: !q, %width: index, %bottom: index, %states: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_map ins(%q, %k : !q, !q) mask_mod {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c3 = arith.constant 3 : index
    %yi = arith.divui %i, %width : index
    %yj = arith.divui %j, %width : index
    %xi = arith.remui %i, %width : index
    %xj = arith.remui %j, %width : index
    %y = arith.minsi %yi, %bottom : index
    %dy = arith.subi %yj, %y : index
    %dx = arith.subi %xj, %xi : index
    %up = math.absi %dy : index
    %side = math.absi %dx : index
    %near_y = arith.cmpi sle, %up, %c3 : index
    %near_x = arith.cmpi sle, %side, %c3 : index
    %kept = arith.andi %near_y, %near_x : i1
    attn.yield %kept : i1
  } outs(%states : !states) {strategy = #attn.strategy<block_m = 128, block_n = 64>}
  return
}

// The operand is scanned: its rows at the queries of the block, its one column once.
// CHECK-LABEL: func.func @operand
// CHECK: scf.for
// CHECK: memref.load %arg2[%c0, %c0, %{{.*}}, %{{.*}}]
// CHECK: memref.store
func.func @operand(%q: !q, %k: !q, %mask: !mask, %states: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_map ins(%q, %k : !q, !q) mask(%mask : !mask) outs(%states : !states)
    {strategy = #attn.strategy<block_m = 128, block_n = 64>}
  return
}

// A task counts the partial and the full blocks of a row, then stores them, the partial ones first.
// CHECK-LABEL: func.func @list
// CHECK: %[[COUNTS:.*]]:2 = scf.for
// CHECK: memref.load %arg0
// CHECK: memref.store %[[COUNTS]]#0, %arg1[{{.*}}, %c0]
// CHECK: %[[ALL:.*]] = arith.addi %[[COUNTS]]#0, %[[COUNTS]]#1
// CHECK: memref.store %[[ALL]], %arg1[{{.*}}, %c1]
// CHECK: %[[FULL:.*]] = arith.addi %[[COUNTS]]#0, %c3_i32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c3_i32, %{{.*}} = %[[FULL]])
// CHECK: memref.load %arg0
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %arg1
func.func @list(%states: !states, %list: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_list %states, %list {attn.strategy = #attn.strategy<block_m = 128, block_n = 64>} : !states, !states
  return
}

// The place of a row is the number of rows that come before it.
// CHECK-LABEL: func.func @order
// CHECK: %[[NUMBER:.*]] = memref.load %arg0[%{{.*}}, %{{.*}}, %[[ROW:.*]], %c1]
// CHECK: %[[PLACE:.*]] = scf.for
// CHECK: %[[OTHER:.*]] = memref.load %arg0[{{.*}}, %c1]
// CHECK: arith.cmpi sgt, %[[OTHER]], %[[NUMBER]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[PLACE]]
// CHECK: memref.store %{{.*}}, %arg0[%{{.*}}, %{{.*}}, %[[AT]], %c2]
func.func @order(%list: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_order %list {attn.strategy = #attn.strategy<block_m = 128, block_n = 64>} : !states
  return
}

// Eight lanes scan the documents of a block together, eight elements each at a time; the last element again where there are
// fewer. One of them stores what all know.
// CHECK-LABEL: func.func @shared_documents
// CHECK: attn_tile.program_id {lanes = 8 : i64}
// CHECK: %[[LANE:.*]] = attn_tile.lane of 8
// CHECK: %[[WHOLE:.*]] = arith.andi %{{.*}}, %c-64
// CHECK: %[[REST:.*]] = arith.addi %{{.*}}, %[[WHOLE]]
// CHECK: %[[I:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[REST]] step %c64
// CHECK-COUNT-8: memref.load %arg2
// CHECK: %[[J:.*]]:2 = scf.for %{{.*}} = %[[REST]] to %{{.*}} step %c64 iter_args(%{{.*}} = %[[I]]#0, %{{.*}} = %[[I]]#1)
// CHECK: %[[OWN:.*]] = arith.addi %{{.*}}, %[[LANE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[OWN]], %c8
// CHECK: %[[AT:.*]] = arith.minsi %[[NEXT]], %{{.*}} : index
// CHECK: memref.load %arg2[%[[AT]]]
// CHECK-COUNT-6: memref.load %arg2
// CHECK: attn_tile.reduce_lanes min %[[J]]#0 of 8 : i32
// CHECK: attn_tile.reduce_lanes max %[[J]]#1 of 8 : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: memref.store
func.func @shared_documents(%q: !q, %k: !q, %docs: !docs, %states: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_map ins(%q, %k : !q, !q) mask_mod {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %x = memref.load %docs[%i] : !docs
    %y = memref.load %docs[%j] : !docs
    %same = arith.cmpi eq, %x, %y : i32
    attn.yield %same : i1
  } outs(%states : !states) {attn.lanes = 8, strategy = #attn.strategy<block_m = 128, block_n = 64>}
  return
}

// The lanes of a warp count and store the blocks of a row together: a lane's block comes behind those of the lanes before.
// All states of a round are loaded before the first store.
// CHECK-LABEL: func.func @shared_list
// CHECK: scf.for {{.*}} step %c128
// CHECK-COUNT-4: memref.load %arg0
// CHECK: %[[PARTIAL:.*]] = attn_tile.reduce_lanes add
// CHECK: attn_tile.reduce_lanes add
// CHECK: scf.for {{.*}} step %c128 iter_args(%[[AT:.*]] = %c3_i32,
// CHECK-COUNT-4: memref.load %arg0
// CHECK-NOT: memref.load
// CHECK: %[[BEFORE:.*]], %[[NUMBER:.*]] = attn_tile.count_lanes %[[HOLDS:.*]] of 32
// CHECK: scf.if %[[HOLDS]]
// CHECK: %[[COLUMN:.*]] = arith.addi %[[AT]], %[[BEFORE]]
// CHECK: memref.store
// CHECK: arith.addi %[[AT]], %[[NUMBER]]
func.func @shared_list(%states: !states, %list: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_list %states, %list {attn.lanes = 32, attn.strategy = #attn.strategy<block_m = 128, block_n = 64>} : !states, !states
  return
}

// CHECK-LABEL: func.func @shared_order
// CHECK: scf.for {{.*}} step %c128
// CHECK-COUNT-4: memref.load %arg0
// CHECK: attn_tile.reduce_lanes add
// CHECK: scf.if
// CHECK: memref.store
func.func @shared_order(%list: !states)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.block_order %list {attn.lanes = 32, attn.strategy = #attn.strategy<block_m = 128, block_n = 64>} : !states
  return
}
