// RUN: fovea-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

// Within a block positions differ by little: comparisons, quotients and remainders of them are made in 32 bits, after what
// the whole block has in common was computed once.

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// The number of the column against one bound for each row.
// CHECK-LABEL: func.func @compare
// CHECK: %[[COLUMNS:.*]] = attn_tile.iota {dim = 1 : i64} : tensor<64x32xi32>
// CHECK: %[[BOUNDS:.*]] = attn_tile.broadcast %{{.*}} : tensor<64xi32> -> tensor<64x32xi32>
// CHECK: arith.cmpi sle, %[[COLUMNS]], %[[BOUNDS]] : tensor<64x32xi32>
// CHECK-NOT: tensor<64x32xindex>
func.func @compare(%q: !t, %k: !t, %v: !t, %o: !t, %n: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    mask_mod(%b, %h, %i, %j) {
      %d = arith.subi %i, %j : index
      %e = arith.addi %d, %n : index
      %c0 = arith.constant 0 : index
      %y = arith.cmpi sge, %e, %c0 : index
      attn.yield %y : i1
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// CHECK-LABEL: func.func @divide
// CHECK-DAG: arith.divui %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK-DAG: arith.divui %{{.*}}, %{{.*}} : tensor<64x32xi32>
// CHECK-NOT: tensor<64x32xindex>
func.func @divide(%q: !t, %k: !t, %v: !t, %o: !t)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    mask_mod(%b, %h, %i, %j) {
      %c = arith.constant 24 : index
      %x = arith.divui %i, %c : index
      %z = arith.divui %j, %c : index
      %y = arith.cmpi eq, %x, %z : index
      attn.yield %y : i1
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// A divisor that the kernel learns divides what the block has in common; steps within the block are a product by 2^32 /
// divisor, or by 2^32 / 2^15 where the divisor is larger and has one multiple in the block at most. A comparison of a
// magnitude is two.
// CHECK-LABEL: func.func @unknown
// CHECK: %[[DIVISOR:.*]] = arith.maxui %{{.*}}, %c1
// CHECK: arith.minui %[[DIVISOR]], %c32768{{[_0-9]*}} : index
// CHECK: arith.remui %{{.*}}, %[[DIVISOR]] : index
// CHECK: arith.divui %c-1_i32, %{{.*}} : i32
// CHECK: arith.muli %{{.*}} : tensor<64x32xi64>
// CHECK: arith.cmpi slt, %[[REST:.*]], %{{.*}} : tensor<64x32xi32>
// CHECK: arith.cmpi sgt, %[[REST]], %{{.*}} : tensor<64x32xi32>
// CHECK-NOT: tensor<64x32xindex>
// CHECK-NOT: absi
// CHECK: return
func.func @unknown(%q: !t, %k: !t, %v: !t, %o: !t, %n: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    mask_mod(%b, %h, %i, %j) {
      %x = arith.remui %j, %n : index
      %c = arith.constant 3 : index
      %d = arith.subi %x, %c : index
      %e = math.absi %d : index
      %y = arith.cmpi slt, %e, %c : index
      attn.yield %y : i1
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// A remainder that was clamped twice is still known to 32 bits, and is on the side of the bound: what pairs differ in is
// compared with one number for each row. The divisor and the limits may be any numbers.
// CHECK-LABEL: func.func @clamped
// CHECK: arith.maxsi %{{.*}} : tensor<64xi32>
// CHECK: arith.minsi %{{.*}} : tensor<64xi32>
// CHECK: %[[STEPS:.*]] = arith.trunci %{{.*}} : tensor<64x32xi64> to tensor<64x32xi32>
// CHECK: %[[MULTIPLES:.*]] = arith.muli %[[STEPS]], %{{.*}} : tensor<64x32xi32>
// CHECK: %[[REST:.*]] = arith.addi %{{.*}}, %[[MULTIPLES]] : tensor<64x32xi32>
// CHECK-NOT: arith.subi {{.*}} : tensor<64x32xi32>
// CHECK: %[[UPPER:.*]] = attn_tile.broadcast %{{.*}} : tensor<64xi32> -> tensor<64x32xi32>
// CHECK: arith.cmpi sle, %[[REST]], %[[UPPER]] : tensor<64x32xi32>
// CHECK: %[[LOWER:.*]] = attn_tile.broadcast %{{.*}} : tensor<64xi32> -> tensor<64x32xi32>
// CHECK: arith.cmpi sge, %[[REST]], %[[LOWER]] : tensor<64x32xi32>
// CHECK-NOT: xindex>
// CHECK: return
func.func @clamped(%q: !t, %k: !t, %v: !t, %o: !t, %n: index, %left: index, %right: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    mask_mod(%b, %h, %i, %j) {
      %c = arith.constant 3 : index
      %x = arith.remui %i, %n : index
      %x0 = arith.maxsi %x, %left : index
      %x1 = arith.minsi %x0, %right : index
      %z = arith.remui %j, %n : index
      %d = arith.subi %z, %x1 : index
      %e = math.absi %d : index
      %y = arith.cmpi sle, %e, %c : index
      attn.yield %y : i1
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// The distance of a position from a number of any 64 bits does not wrap around.
// CHECK-LABEL: func.func @any
// CHECK: %[[NEAR:.*]] = arith.maxsi %{{.*}}, %c-2305843009213693952{{[_0-9]*}} : index
// CHECK: arith.subi %{{.*}}, %[[NEAR]] : index
// CHECK: return
func.func @any(%q: !t, %k: !t, %v: !t, %o: !t, %n: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    mask_mod(%b, %h, %i, %j) {
      %y = arith.cmpi slt, %j, %n : index
      attn.yield %y : i1
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// -----

!t = memref<?x?x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>

// A condition of rows changes the bounds of what it is an alternative to, and what it is required with.
// CHECK-LABEL: func.func @rows
// CHECK: %[[GLOBAL:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK: arith.select %[[GLOBAL]], %{{.*}}, %{{.*}} : tensor<64xi1>, tensor<64xi32>
// CHECK: arith.select %[[GLOBAL]], %{{.*}}, %{{.*}} : tensor<64xi1>, tensor<64xi32>
// CHECK-NOT: arith.ori
// CHECK: return
func.func @rows(%q: !t, %k: !t, %v: !t, %o: !t, %n: index)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t)
    mask_mod(%b, %h, %i, %j) {
      %d = arith.subi %i, %j : index
      %c = arith.constant 128 : index
      %e = math.absi %d : index
      %local = arith.cmpi sle, %e, %c : index
      %global = arith.cmpi slt, %i, %n : index
      %y = arith.ori %global, %local : i1
      attn.yield %y : i1
    } outs(%o : !t) {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
