// RUN: fovea-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

// What indices and conditions decide is the same for all pairs of most blocks. Which these are is searched when the kernel
// runs; their loops take what was decided once, and the score is linear.

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!table = memref<32xf32>

// Keys up to the query: the blocks that agree lie on the left.
// CHECK-LABEL: func.func @clamped
// CHECK: %[[COUNT:.*]]:3 = scf.while
// CHECK: arith.cmpi slt
// CHECK: arith.minsi
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[KEYS:.*]] = arith.muli %[[COUNT]]#0, %c32
// CHECK-NOT: scf.while
// CHECK: scf.for %{{.*}} = %c0 to %[[KEYS]]
// CHECK: %[[E:.*]] = memref.load %arg4[%{{.*}}] : memref<32xf32>
// CHECK: attn_tile.splat %[[E]]
// CHECK-NOT: attn_tile.gather
// CHECK: scf.for %{{.*}} = %[[KEYS]] to
// CHECK: attn_tile.gather %arg4
// CHECK: scf.for
// CHECK: attn_tile.gather %arg4
func.func @clamped(%q: !t, %k: !t, %v: !t, %o: !t, %table: !table)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t) causal(top_left)
    score_mod(%s, %b, %h, %i, %j) {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %d = arith.subi %i, %j : index
      %low = arith.maxsi %d, %c0 : index
      %at = arith.minsi %low, %c31 : index
      %e = memref.load %table[%at] : !table
      %y = arith.addf %s, %e : f32
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!table = memref<32xf32>

// All keys, and floats on the way: both sides are searched, and bounds of the logarithm leave room for its errors.
// CHECK-LABEL: func.func @logarithm
// CHECK: scf.while
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK-NOT: math.log2
// CHECK: scf.while
// CHECK-COUNT-3: scf.for
// CHECK: return
func.func @logarithm(%q: !t, %k: !t, %v: !t, %o: !t, %table: !table)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    score_mod(%s, %b, %h, %i, %j) {
      %one = arith.constant 1.0 : f32
      %last = arith.constant 7.0 : f32
      %d = arith.subi %i, %j : index
      %d64 = arith.index_cast %d : index to i64
      %f = arith.sitofp %d64 : i64 to f32
      %positive = arith.maximumf %f, %one : f32
      %log = math.log2 %positive : f32
      %cut = arith.minimumf %log, %last : f32
      %whole = arith.fptosi %cut : f32 to i32
      %at = arith.index_cast %whole : i32 to index
      %e = memref.load %table[%at] : !table
      %y = arith.addf %s, %e : f32
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!table = memref<?xi32>
!values = memref<32xf32>

// Nothing is searched where what decides is read from memory for each pair, or never stays the same.
// CHECK-LABEL: func.func @read
// CHECK-NOT: scf.while
// CHECK: return
func.func @read(%q: !t, %k: !t, %v: !t, %o: !t, %places: !table, %values: !values)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    score_mod(%s, %b, %h, %i, %j) {
      %c3 = arith.constant 3 : index
      %p32 = memref.load %places[%j] : !table
      %p = arith.index_cast %p32 : i32 to index
      %cut = arith.minsi %p, %c3 : index
      %e = memref.load %values[%cut] : !values
      %third = arith.divui %j, %c3 : index
      %f = memref.load %values[%third] : !values
      %x = arith.addf %s, %e : f32
      %y = arith.addf %x, %f : f32
      attn.yield %y : f32
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
