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
// divisor, or one step where the divisor is large. A comparison of a magnitude is two.
// CHECK-LABEL: func.func @unknown
// CHECK: %[[DIVISOR:.*]] = arith.maxui %{{.*}}, %c1
// CHECK: arith.remui %{{.*}}, %[[DIVISOR]] : index
// CHECK: arith.muli %{{.*}} : tensor<64x32xi64>
// CHECK: arith.cmpi sge, %{{.*}} : tensor<64x32xi32>
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
