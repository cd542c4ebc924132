// RUN: fovea-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

// Captured memory that is read at indices which are linear in query and key is a tile of a view. Where a row reads what the
// one before does, a few columns further on, the load says so.

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!table = memref<?x?xf32, strided<[?, ?], offset: ?>>

// By the distance of key and query: each row begins one column earlier. Of the blocks that no bound cuts the rows alone
// may not exist.
// CHECK-LABEL: func.func @ahead
// CHECK: %[[BACK:.*]] = arith.muli %[[STRIDE:.*]], %c-1
// CHECK: scf.for
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %arg4 to offset: [%{{.*}}], sizes: [64, 32], strides: [%[[BACK]], %[[STRIDE]]]
// CHECK: attn_tile.load %[[VIEW]][%c0, %c0] rows(%{{.*}}) {alignment = 4 : i64, row_dim = 0 : i64, shift = 1 : i64}
// CHECK-NOT: gather
// CHECK: scf.for
// CHECK: attn_tile.load %{{.*}}[%c0, %c0] rows(%{{.*}}) cols(%{{.*}}) {alignment = 4 : i64, row_dim = 0 : i64, shift = 1 : i64}
// CHECK-NOT: gather
// CHECK: return
func.func @ahead(%q: !t, %k: !t, %v: !t, %o: !t, %table: !table, %n: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    score_mod(%s, %b, %h, %i, %j) {
      %d = arith.subi %j, %i : index
      %at = arith.addi %d, %n : index
      %e = memref.load %table[%h, %at] : !table
      %y = arith.addf %s, %e : f32
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!table = memref<?xf32>

// By the sum of both, in steps of two: each row begins a column later.
// CHECK-LABEL: func.func @sums
// CHECK: memref.reinterpret_cast %arg4 to offset: [%{{.*}}], sizes: [64, 32], strides: [2, 2]
// CHECK: attn_tile.load {{.*}} shift = -1 : i64
func.func @sums(%q: !t, %k: !t, %v: !t, %o: !t, %table: !table)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    score_mod(%s, %b, %h, %i, %j) {
      %sum = arith.addi %j, %i : index
      %c2 = arith.constant 2 : index
      %at = arith.muli %sum, %c2 : index
      %e = memref.load %table[%at] : !table
      %y = arith.addf %s, %e : f32
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!table = memref<?x?xf16, strided<[?, ?], offset: ?>>

// By both: rows have memory of their own.
// CHECK-LABEL: func.func @pairs
// CHECK: memref.reinterpret_cast %arg4 to offset: [%{{.*}}], sizes: [64, 32], strides: [%[[ROWS:.*]], %[[COLUMNS:.*]]]
// CHECK: attn_tile.load {{.*}} {alignment = 2 : i64, row_dim = 0 : i64} :
// CHECK-NOT: shift
func.func @pairs(%q: !t, %k: !t, %v: !t, %o: !t, %table: !table)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    score_mod(%s, %b, %h, %i, %j) {
      %e16 = memref.load %table[%i, %j] : !table
      %e = arith.extf %e16 : f16 to f32
      %y = arith.addf %s, %e : f32
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!table = memref<?xf32>

// Under a condition, and at an index that is not linear, single elements are read.
// CHECK-LABEL: func.func @others
// CHECK: attn_tile.gather %arg4
// CHECK: attn_tile.gather %arg4
// CHECK-NOT: memref.reinterpret_cast
func.func @others(%q: !t, %k: !t, %v: !t, %o: !t, %table: !table)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    score_mod(%s, %b, %h, %i, %j) {
      %c3 = arith.constant 3 : index
      %third = arith.divui %j, %c3 : index
      %d = memref.load %table[%third] : !table
      %later = arith.cmpi sgt, %j, %i : index
      %e = scf.if %later -> f32 {
        %f = memref.load %table[%j] : !table
        scf.yield %f : f32
      } else {
        scf.yield %d : f32
      }
      %y = arith.addf %s, %e : f32
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
!table = memref<?xf32>

// With products in flight the table is read before they are begun.
// CHECK-LABEL: func.func @overlap
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: attn_tile.load %{{.*}}[%c0, %c0] {{.*}}shift = 1
// CHECK: attn_tile.dot
// CHECK: attn_tile.dot
// CHECK: math.exp2
func.func @overlap(%q: !t, %k: !t, %v: !t, %o: !t, %table: !table, %n: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    score_mod(%s, %b, %h, %i, %j) {
      %d = arith.subi %j, %i : index
      %at = arith.addi %d, %n : index
      %e = memref.load %table[%at] : !table
      %y = arith.addf %s, %e : f32
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 128, block_n = 64, warps = 8, round_p = true, unit = warpgroup, overlap = true, persistent = true, rescale = optimistic>}
  return
}

// -----

!t = memref<?x?x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
!bias = memref<?x1x1x?xf32>

// A bias that is the same for all queries is a table of the keys.
// CHECK-LABEL: func.func @bias
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: attn_tile.load %{{.*}}[%c0, %c0] {{{.*}}shift = 0 : i64}
// CHECK: attn_tile.dot
// CHECK: attn_tile.dot
// CHECK: math.exp2
func.func @bias(%q: !t, %k: !t, %v: !t, %o: !t, %bias: !bias)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t) bias(%bias : !bias) outs(%o : !t)
    {strategy = #attn.strategy<block_m = 128, block_n = 64, warps = 8, round_p = true, unit = warpgroup, overlap = true, persistent = true, rescale = optimistic>}
  return
}
