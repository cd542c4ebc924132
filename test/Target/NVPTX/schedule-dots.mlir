// RUN: fovea-opt %s --attn-tile-schedule-dots --attn-tile-verify-async | FileCheck %s

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!v = tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 24624, empty = 24640>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 256>
#strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup>

// The wait for the scores lets the second product run on. Its release comes behind the last row sums, which keeps the wait
// for the second product behind them too. The weights that the loop carries are rounded behind the waits.
// CHECK-LABEL: func.func @overlap
// CHECK: %[[Q:.*]] = attn_tile.await_tile
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK: %[[K:.*]] = attn_tile.await_tile
// CHECK: %[[S0:.*]] = attn_tile.issue_dot %[[Q]], %[[K]], %{{.*}} {transpose_rhs}
// CHECK: %[[V:.*]] = attn_tile.await_tile
// CHECK: %[[O0:.*]] = attn_tile.issue_dot %[[P]], %[[V]], %[[O]]
// CHECK: %[[S:.*]] = attn_tile.await_dots %[[S0]] pending 1
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[S]]
// CHECK-NEXT: %[[SUM:.*]] = attn_tile.row_reduce sum %[[E]]
// CHECK-NEXT: attn_tile.release %[[K]] slot(%{{.*}}) after(%[[SUM]] : tensor<64xf32>)
// CHECK-NEXT: %[[O1:.*]] = attn_tile.await_dots %[[O0]] pending 0
// CHECK-NEXT: attn_tile.release %[[V]] slot(%{{.*}}) : tensor<32x64xbf16
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[O1]]
// CHECK-NEXT: %[[NP:.*]] = arith.truncf %[[E]]
// CHECK-NEXT: scf.yield %[[R]], %[[NP]]
// Q is read by the loop to its end.
// CHECK: }
// CHECK-NEXT: attn_tile.release %[[Q]]
// CHECK-NOT: attn_tile.dot
func.func @overlap(%n: index, %slot: i32, %phase: i32, %o0: tensor<64x64xf32>, %p0: tensor<64x32xbf16>, %sums: tensor<64xf32>)
    attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %q = attn_tile.await_tile slot(%slot) phase(%phase) : !q
  %r:2 = scf.for %j = %c0 to %n step %c32 iter_args(%o = %o0, %p = %p0) -> (tensor<64x64xf32>, tensor<64x32xbf16>) {
    %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
    %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : !q, !k -> tensor<64x32xf32>
    %v = attn_tile.await_tile slot(%slot) phase(%phase) : !v
    %o1 = attn_tile.dot %p, %v, %o : tensor<64x32xbf16>, !v -> tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x32xf32>
    %np = arith.truncf %e : tensor<64x32xf32> to tensor<64x32xbf16>
    %sum = attn_tile.row_reduce sum %e, %sums : tensor<64x32xf32> -> tensor<64xf32>
    %scaled = arith.mulf %o1, %o1 : tensor<64x64xf32>
    scf.yield %scaled, %np : tensor<64x64xf32>, tensor<64x32xbf16>
  }
  return
}

// A tile that a product in a region reads again is released behind the region; the nested product is awaited at once. The
// wait for the product around it does not move above the region's.
// CHECK-LABEL: func.func @again
// CHECK: %[[K:.*]] = attn_tile.await_tile {{.*}} : tensor<32x64xbf16
// CHECK: attn_tile.issue_dot
// CHECK: attn_tile.await_dots %{{.*}} pending 0
// CHECK: scf.if
// CHECK-NEXT: %[[A:.*]] = attn_tile.issue_dot %{{.*}}, %[[K]]
// CHECK-NEXT: attn_tile.await_dots %[[A]] pending 0
// CHECK-NOT: attn_tile.release
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: attn_tile.release %[[K]]
// CHECK-NOT: attn_tile.release %[[K]]
func.func @again(%slot: i32, %phase: i32, %c: i1) -> tensor<64x32xf32> attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %q = attn_tile.await_tile slot(%slot) phase(%phase) : !q
  %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : !q, !k -> tensor<64x32xf32>
  %e = math.exp2 %s : tensor<64x32xf32>
  %r = scf.if %c -> tensor<64x32xf32> {
    %t = attn_tile.dot %q, %k, %zero {transpose_rhs} : !q, !k -> tensor<64x32xf32>
    scf.yield %t : tensor<64x32xf32>
  } else {
    scf.yield %e : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}

// Kernels of warps are left alone.
// CHECK-LABEL: func.func @warps
// CHECK: attn_tile.dot
func.func @warps(%a: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {attn.launch = #launch} {
  %s = attn_tile.dot %a, %a, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

// With pingpong a warpgroup begins the products of a loop in its turn. The last one passes the first turn, to the first.
// CHECK-LABEL: func.func @turns
// CHECK: %[[WG:.*]] = attn_tile.warpgroup : i32
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[WG]], %c1
// CHECK: scf.if %[[LAST]] {
// CHECK-NEXT: attn_tile.pass_turn %[[WG]] of 2
// CHECK: scf.for
// CHECK: attn_tile.await_tile
// CHECK-NEXT: attn_tile.await_turn %[[WG]] of 2
// CHECK-NEXT: attn_tile.issue_dot
// CHECK-NEXT: attn_tile.pass_turn %[[WG]] of 2
func.func @turns(%n: index, %slot: i32, %phase: i32, %q: tensor<128x64xbf16>, %acc: tensor<128x32xf32>)
    attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 128, block_n = 32, warps = 8, unit = warpgroup, pingpong = true>} {
  attn_tile.roles attributes {consumers = 2 : i64, compute_registers = 240 : i64, copy_registers = 24 : i64, rings = [!k]} copy {
  } compute {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    scf.for %j = %c0 to %n step %c32 {
      %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
      %s = attn_tile.dot %q, %k, %acc {transpose_rhs} : tensor<128x64xbf16>, !k -> tensor<128x32xf32>
      %any = math.exp2 %s : tensor<128x32xf32>
    }
  }
  return
}

// Parts of a product: two accumulators live at a time, the sum of those before and the one in flight. The last one runs on
// until its first use, under the second product. K is released behind it.
// CHECK-LABEL: func.func @parts
// CHECK: %[[Z:.*]] = arith.constant dense<0.0
// CHECK: %[[Q:.*]] = attn_tile.await_tile
// CHECK: %[[K:.*]] = attn_tile.await_tile
// CHECK-NEXT: %[[A0:.*]] = attn_tile.issue_dot %[[Q]], %[[K]], %[[Z]] {contracted = array<i64: 0, 16>, transpose_rhs}
// CHECK-NEXT: %[[B0:.*]] = attn_tile.issue_dot %[[Q]], %[[K]], %[[Z]] {contracted = array<i64: 16, 32>, transpose_rhs}
// CHECK-NEXT: %[[A:.*]] = attn_tile.await_dots %[[A0]] pending 1
// CHECK-NEXT: %[[B:.*]] = attn_tile.await_dots %[[B0]] pending 0
// CHECK-NEXT: %[[AB:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: %[[C0:.*]] = attn_tile.issue_dot %[[Q]], %[[K]], %[[Z]] {contracted = array<i64: 32, 48>, transpose_rhs}
// CHECK-NEXT: %[[C:.*]] = attn_tile.await_dots %[[C0]] pending 0
// CHECK-NEXT: %[[ABC:.*]] = arith.addf %[[AB]], %[[C]]
// CHECK-NEXT: %[[D0:.*]] = attn_tile.issue_dot %[[Q]], %[[K]], %[[Z]] {contracted = array<i64: 48, 64>, transpose_rhs}
// CHECK-NEXT: %[[O0:.*]] = attn_tile.issue_dot
// CHECK-NEXT: %[[D:.*]] = attn_tile.await_dots %[[D0]] pending 1
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ABC]], %[[D]]
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[S]]
// CHECK: attn_tile.release %[[K]] slot(%{{.*}}) after
// CHECK: attn_tile.await_dots %[[O0]] pending 0
func.func @parts(%slot: i32, %phase: i32, %p: tensor<64x32xbf16>, %v: tensor<32x64xbf16>, %o: tensor<64x64xf32>, %sums: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64x64xf32>) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %q = attn_tile.await_tile slot(%slot) phase(%phase) : !q
  %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  %s = attn_tile.dot %q, %k, %zero {transpose_rhs, part = 16 : i64} : !q, !k -> tensor<64x32xf32>
  %o1 = attn_tile.dot %p, %v, %o : tensor<64x32xbf16>, tensor<32x64xbf16> -> tensor<64x64xf32>
  %e = math.exp2 %s : tensor<64x32xf32>
  %sum = attn_tile.row_reduce sum %e, %sums : tensor<64x32xf32> -> tensor<64xf32>
  return %sum, %o1 : tensor<64xf32>, tensor<64x64xf32>
}

// Of two parts both run on; the last one may be shorter. A product in a region leaves none in flight, so that the wait
// around it is right; its parts begin at the zero that keeps it apart from the first product.
// CHECK-LABEL: func.func @two_parts
// CHECK: %[[A0:.*]] = attn_tile.issue_dot {{.*}} {contracted = array<i64: 0, 48>, transpose_rhs}
// CHECK-NEXT: %[[B0:.*]] = attn_tile.issue_dot {{.*}} {contracted = array<i64: 48, 64>, transpose_rhs}
// CHECK-NEXT: %[[O0:.*]] = attn_tile.issue_dot
// CHECK-NEXT: %[[A:.*]] = attn_tile.await_dots %[[A0]] pending 2
// CHECK-NEXT: %[[B:.*]] = attn_tile.await_dots %[[B0]] pending 1
// CHECK-NEXT: arith.addf %[[A]], %[[B]]
// CHECK: scf.if
// CHECK-NEXT: %[[Z:.*]] = attn_tile.recompute
// CHECK-NEXT: %[[C0:.*]] = attn_tile.issue_dot {{.*}}, %[[Z]] {contracted = array<i64: 0, 48>, transpose_rhs}
// CHECK-NEXT: %[[D0:.*]] = attn_tile.issue_dot {{.*}}, %[[Z]] {contracted = array<i64: 48, 64>, transpose_rhs}
// CHECK-NEXT: attn_tile.await_dots %[[C0]] pending 1
// CHECK-NEXT: attn_tile.await_dots %[[D0]] pending 0
// CHECK: attn_tile.await_dots %[[O0]] pending 0
func.func @two_parts(%slot: i32, %phase: i32, %p: tensor<64x32xbf16>, %v: tensor<32x64xbf16>, %o: tensor<64x64xf32>, %c: i1)
    -> (tensor<64x32xf32>, tensor<64x64xf32>) attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %q = attn_tile.await_tile slot(%slot) phase(%phase) : !q
  %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  %s = attn_tile.dot %q, %k, %zero {transpose_rhs, part = 48 : i64} : !q, !k -> tensor<64x32xf32>
  %o1 = attn_tile.dot %p, %v, %o : tensor<64x32xbf16>, tensor<32x64xbf16> -> tensor<64x64xf32>
  %e = math.exp2 %s : tensor<64x32xf32>
  %r = scf.if %c -> tensor<64x32xf32> {
    %again = attn_tile.recompute %zero : tensor<64x32xf32>
    %t = attn_tile.dot %q, %k, %again {transpose_rhs, part = 48 : i64} : !q, !k -> tensor<64x32xf32>
    scf.yield %t : tensor<64x32xf32>
  } else {
    scf.yield %e : tensor<64x32xf32>
  }
  return %r, %o1 : tensor<64x32xf32>, tensor<64x64xf32>
}

// Parts never begin at what they are added to.
// CHECK-LABEL: func.func @parts_of_a_sum
// CHECK: %[[Z:.*]] = arith.constant dense<0.0
// CHECK: attn_tile.issue_dot {{.*}}, %[[Z]] {contracted = array<i64: 0, 32>
// CHECK: attn_tile.issue_dot {{.*}}, %[[Z]] {contracted = array<i64: 32, 64>
// CHECK: %[[S:.*]] = arith.addf
// CHECK-NEXT: %[[R:.*]] = arith.addf %arg2, %[[S]]
// CHECK: return %[[R]]
func.func @parts_of_a_sum(%slot: i32, %phase: i32, %acc: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %q = attn_tile.await_tile slot(%slot) phase(%phase) : !q
  %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  %s = attn_tile.dot %q, %k, %acc {transpose_rhs, part = 32 : i64} : !q, !k -> tensor<64x32xf32>
  return %s : tensor<64x32xf32>
}

// With interleave the scores are awaited, the turn is passed, and the product of values is begun under the weights. The branch, where
// the exponentials are not the loop's own code, stays as it is.
// CHECK-LABEL: func.func @interleaved
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[O:.*]] = %{{.*}})
// CHECK: attn_tile.await_turn
// CHECK: %[[S0:.*]] = attn_tile.issue_dot %{{.*}}, %[[K:.*]], %{{.*}} {transpose_rhs}
// CHECK-NEXT: %[[V:.*]] = attn_tile.await_tile
// CHECK-NEXT: %[[S:.*]] = attn_tile.await_dots %[[S0]] pending 0
// CHECK-NEXT: attn_tile.pass_turn
// CHECK-NEXT: attn_tile.release %[[K]]
// CHECK-NEXT: %[[W:.*]] = math.exp2 %[[S]]
// CHECK-NEXT: %[[O0:.*]] = attn_tile.issue_dot %[[P]], %[[V]], %[[O]] under(%[[W]] : tensor<128x32xf32>)
// CHECK-NEXT: %[[O1:.*]] = attn_tile.await_dots %[[O0]] pending 0
// CHECK-NEXT: attn_tile.release %[[V]]
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[W]]
// CHECK-NEXT: scf.yield %[[R]], %[[O1]]
// CHECK: scf.for
// CHECK: attn_tile.issue_dot
// CHECK: attn_tile.issue_dot %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} :
// CHECK-NEXT: attn_tile.pass_turn
// CHECK: attn_tile.await_dots %{{.*}} pending 1
func.func @interleaved(%n: index, %slot: i32, %phase: i32, %q: tensor<128x64xbf16>, %zero: tensor<128x32xf32>,
                       %p0: tensor<128x32xbf16>, %o0: tensor<128x64xf32>, %which: i1)
    attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 128, block_n = 32, warps = 8, unit = warpgroup,
                overlap = true, pingpong = true, interleave = true>} {
  attn_tile.roles attributes {consumers = 2 : i64, compute_registers = 240 : i64, copy_registers = 24 : i64, rings = [!k]} copy {
  } compute {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %r:2 = scf.for %j = %c0 to %n step %c32 iter_args(%p = %p0, %o = %o0) -> (tensor<128x32xbf16>, tensor<128x64xf32>) {
      %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
      %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : tensor<128x64xbf16>, !k -> tensor<128x32xf32>
      %v = attn_tile.await_tile slot(%slot) phase(%phase) : !k
      %no = attn_tile.dot %p, %v, %o : tensor<128x32xbf16>, !k -> tensor<128x64xf32>
      %w = math.exp2 %s : tensor<128x32xf32>
      %np = arith.truncf %w : tensor<128x32xf32> to tensor<128x32xbf16>
      scf.yield %np, %no : tensor<128x32xbf16>, tensor<128x64xf32>
    }
    scf.for %j = %c0 to %n step %c32 iter_args(%p = %r#0, %o = %r#1) -> (tensor<128x32xbf16>, tensor<128x64xf32>) {
      %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
      %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : tensor<128x64xbf16>, !k -> tensor<128x32xf32>
      %v = attn_tile.await_tile slot(%slot) phase(%phase) : !k
      %no = attn_tile.dot %p, %v, %o : tensor<128x32xbf16>, !k -> tensor<128x64xf32>
      %w = scf.if %which -> tensor<128x32xf32> {
        %e = math.exp2 %s : tensor<128x32xf32>
        scf.yield %e : tensor<128x32xf32>
      } else {
        scf.yield %s : tensor<128x32xf32>
      }
      %np = arith.truncf %w : tensor<128x32xf32> to tensor<128x32xbf16>
      scf.yield %np, %no : tensor<128x32xbf16>, tensor<128x64xf32>
    }
  }
  return
}

// A product that the loop carries is in flight up to its end, and a tile of another one is released as soon as that is over. A
// tile that is awaited ahead is not.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK: %[[V:.*]] = attn_tile.await_tile
// CHECK: %[[O0:.*]] = attn_tile.issue_dot %{{.*}}, %[[V]]
// CHECK: %[[K:.*]] = attn_tile.await_tile
// CHECK: %[[Q:.*]] = attn_tile.await_tile {{.*}} {ahead}
// CHECK: %[[S0:.*]] = attn_tile.issue_dot %[[Q]], %[[K]]
// CHECK: %[[O:.*]] = attn_tile.await_dots %[[O0]] pending 1
// CHECK-NEXT: attn_tile.release %[[V]] slot(%{{.*}}) : tensor<32x64xbf16
// CHECK-NEXT: arith.mulf %[[O]]
// CHECK-NEXT: attn_tile.store
// CHECK-NEXT: %[[S:.*]] = attn_tile.await_dots %[[S0]] pending 0
// CHECK-NEXT: attn_tile.release %[[K]]
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NOT: attn_tile.release
func.func @carried(%n: index, %slot: i32, %phase: i32, %o0: tensor<64x64xf32>, %p: tensor<64x32xbf16>, %s0: tensor<64x32xf32>,
                   %sums: tensor<64x32xf32>, %m: memref<?x64xf32>)
    attributes {attn.launch = #launch, attn.strategy = #strategy} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%first = %s0) -> tensor<64x32xf32> {
    %v = attn_tile.await_tile slot(%slot) phase(%phase) : !v
    %o = attn_tile.dot %p, %v, %o0 : tensor<64x32xbf16>, !v -> tensor<64x64xf32>
    %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
    %q = attn_tile.await_tile slot(%slot) phase(%phase) {ahead} : !q
    %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : !q, !k -> tensor<64x32xf32>
    %scaled = arith.mulf %o, %o : tensor<64x64xf32>
    attn_tile.store %scaled, %m[%i, %c0] {row_dim = 0, alignment = 4} : tensor<64x64xf32> -> memref<?x64xf32>
    scf.yield %s : tensor<64x32xf32>
  }
  return
}
