// RUN: fovea-opt %s --attn-tile-assign-layouts --attn-tile-specialize-warps --split-input-file | FileCheck %s

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 128)>>

// Rings: Q in one slot of two bands, K and V in two slots of one band, and O's way through shared memory, which needs no
// barriers. Q is 16384 bytes, K and V 2 * 4096 each, O 16384, then 4 + 4 + 4 barriers of 8 bytes.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %[[MQ:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}, %[[MK:[a-z0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[MV:[a-z0-9]+]]: !llvm.ptr {{{[^}]*}}}, %[[MO:[a-z0-9]+]]: !llvm.ptr
// CHECK-SAME: block = 384, shared_bytes = 49248
// CHECK-SAME: attn.tensor_maps = [#attn.tensor_map<argument = 0, rows = 64, cols = 64, row_dim = 0>, #attn.tensor_map<argument = 1, rows = 32, cols = 64, row_dim = 0>, #attn.tensor_map<argument = 2, rows = 32, cols = 64, row_dim = 0>, #attn.tensor_map<argument = 3, rows = 64, cols = 64, row_dim = 0>]
// CHECK: attn_tile.roles attributes {compute_registers = 240 : i64, consumers = 2 : i64, copy_registers = 24 : i64, rings = [tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 49152, empty = 49168>>, tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 49184, empty = 49200>>, tensor<32x64xbf16, #attn_tile.swizzled<offset = 24576, slot_bytes = 4096, slots = 2, parts = 1, full = 49216, empty = 49232>>]} copy {

// The copying role: positions alone; the number of each ring's next tile goes through the loop and the branch. Of two slots the
// low bit is the slot and the next one the phase.
// CHECK: %[[I:.*]] = attn_tile.program_id
// CHECK: attn_tile.bulk_fetch %[[MQ]][%[[I]], %{{.*}}] slot(%{{.*}}) phase(%{{.*}}) {row_dim = 0 : i64} : !llvm.ptr -> tensor<128x64xbf16
// CHECK: %[[R:.*]]:3 = scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[KN:.*]] = %[[Z:[a-z0-9_]+]], %[[VN:.*]] = %[[Z]])
// CHECK: %[[KS:.*]] = arith.andi %[[KN]], %c1
// CHECK: %[[ROUND:.*]] = arith.shrui %[[KN]], %c1
// CHECK: %[[KP:.*]] = arith.andi %[[ROUND]], %c1
// CHECK-NEXT: attn_tile.bulk_fetch %[[MK]][%[[J]], %{{.*}}] slot(%[[KS]]) phase(%[[KP]])
// CHECK: %[[NKN:.*]] = arith.addi %[[KN]], %c1
// CHECK: %[[VS:.*]] = arith.andi %[[VN]], %c1
// CHECK: %[[ROUND:.*]] = arith.shrui %[[VN]], %c1
// CHECK: %[[VP:.*]] = arith.andi %[[ROUND]], %c1
// CHECK-NEXT: attn_tile.bulk_fetch %[[MV]][%[[J]], %{{.*}}] slot(%[[VS]]) phase(%[[VP]])
// CHECK: scf.yield %{{.*}}, %[[NKN]], %{{.*}}
// CHECK: scf.if %{{.*}} -> (i32, i32, i32) {
// CHECK: %[[KS:.*]] = arith.andi %[[R]]#1, %c1
// CHECK: %[[ROUND:.*]] = arith.shrui %[[R]]#1, %c1
// CHECK: %[[KP:.*]] = arith.andi %[[ROUND]], %c1
// CHECK-NEXT: attn_tile.bulk_fetch %[[MK]][%{{.*}}] slot(%[[KS]]) phase(%[[KP]])
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[R]]#0, %[[R]]#1, %[[R]]#2
// CHECK-NOT: attn_tile.dot

// The computing roles: Q's tile has the band of the warpgroup. V's rows end before its memory does and are cleared, K's
// are not.
// CHECK: } compute {
// CHECK: %[[WG:.*]] = attn_tile.warpgroup
// CHECK: %[[Q:.*]] = attn_tile.await_tile slot(%{{.*}}) phase(%{{.*}}) band(%[[WG]]) : tensor<128x64xbf16
// CHECK: %[[C:.*]]:4 = scf.for %[[J:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[KN:.*]] = %{{.*}}, %[[VN:.*]] = %{{.*}})
// CHECK: %[[KS:.*]] = arith.andi %[[KN]], %c1
// CHECK: %[[ROUND:.*]] = arith.shrui %[[KN]], %c1
// CHECK: %[[KP:.*]] = arith.andi %[[ROUND]], %c1
// CHECK: %[[K:.*]] = attn_tile.await_tile slot(%[[KS]]) phase(%[[KP]]) : tensor<32x64xbf16
// CHECK-NOT: attn_tile.clear_rows
// CHECK: attn_tile.dot %[[Q]], %[[K]]
// CHECK: %[[VS:.*]] = arith.andi %[[VN]], %c1
// CHECK: %[[ROUND:.*]] = arith.shrui %[[VN]], %c1
// CHECK: %[[VP:.*]] = arith.andi %[[ROUND]], %c1
// CHECK: %[[V:.*]] = attn_tile.await_tile slot(%[[VS]]) phase(%[[VP]]) : tensor<32x64xbf16
// CHECK-NEXT: attn_tile.clear_rows %[[V]] first(%[[J]]) limit(%arg5)
// CHECK: attn_tile.dot %{{.*}}, %[[V]], %[[ACC]]
// CHECK: scf.if %arg6 -> (tensor<128x64xf32, #attn_tile.mma_acc<warps = 8>>, i32, i32, i32)
// CHECK: %[[KS:.*]] = arith.andi %[[C]]#2, %c1
// CHECK: attn_tile.await_tile slot(%[[KS]])
// CHECK: attn_tile.bulk_store %{{.*}}, %[[MO]][%{{.*}}, %{{.*}}] band(%[[WG]]) {row_dim = 0 : i64} : {{.*}} -> tensor<128x64xbf16, #attn_tile.swizzled<offset = 32768, slot_bytes = 16384, slots = 1, parts = 2, full = 0, empty = 0>>
// CHECK-NOT: attn_tile.store
func.func @kernel(%q: !m, %k: !m, %v: !m, %o: !m, %ub: index, %len: index, %more: i1)
    attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 128, block_n = 32, warps = 8, stages = 2, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %i = attn_tile.program_id : index
  %size = memref.dim %k, %c0 : !m
  %qt = attn_tile.load %q[%i, %c0] {row_dim = 0} : !m -> tensor<128x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %acc0 = arith.constant dense<0.0> : tensor<128x64xf32>
  %r = scf.for %j = %c0 to %ub step %c32 iter_args(%acc = %acc0) -> tensor<128x64xf32> {
    %kt = attn_tile.load %k[%j, %c0] rows(%size) {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
    %p = arith.truncf %s : tensor<128x32xf32> to tensor<128x32xbf16>
    %vt = attn_tile.load %v[%j, %c0] rows(%len) {row_dim = 0} : !m -> tensor<32x64xbf16>
    %n = attn_tile.dot %p, %vt, %acc : tensor<128x32xbf16>, tensor<32x64xbf16> -> tensor<128x64xf32>
    scf.yield %n : tensor<128x64xf32>
  }
  %e = scf.if %more -> tensor<128x64xf32> {
    %kt = attn_tile.load %k[%ub, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
    %p = arith.truncf %s : tensor<128x32xf32> to tensor<128x32xbf16>
    %vt = attn_tile.load %v[%ub, %c0] rows(%len) {row_dim = 0} : !m -> tensor<32x64xbf16>
    %n = attn_tile.dot %p, %vt, %r : tensor<128x32xbf16>, tensor<32x64xbf16> -> tensor<128x64xf32>
    scf.yield %n : tensor<128x64xf32>
  } else {
    scf.yield %r : tensor<128x64xf32>
  }
  %out = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xbf16>
  attn_tile.store %out, %o[%i, %c0] {row_dim = 0, alignment = 16} : tensor<128x64xbf16> -> !m
  return
}

// -----

!m = memref<?x96xf16, strided<[?, 1], offset: ?>>
!o = memref<?x64xf32, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>

// One warpgroup: Q has one band, registers stay as they are unless a multiprocessor holds two blocks. The two blocks of a cluster copy half the rows of K each. 96
// columns are two panels. Stores of f32 go their way without shared memory.
// CHECK-LABEL: func.func @cluster
// CHECK-SAME: block = 256, shared_bytes = 24608
// CHECK-SAME: attn.tensor_maps = [#attn.tensor_map<argument = 0, rows = 64, cols = 64, row_dim = 0>, #attn.tensor_map<argument = 1, rows = 16, cols = 64, row_dim = 0>]
// CHECK: attn_tile.roles attributes {compute_registers = 0 : i64, consumers = 1 : i64, copy_registers = 0 : i64
// CHECK-SAME: tensor<32x96xf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 8192, slots = 1, parts = 1, full = 24592, empty = 24600, cluster = 2>>
// CHECK: } compute {
// CHECK: attn_tile.await_tile slot(%{{.*}}) phase(%{{.*}}) : tensor<64x96xf16
// CHECK: attn_tile.store
func.func @cluster(%q: !m, %k: !m, %o: !o) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 1, unit = warpgroup, persistent = true, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x96xf16>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x96xf16>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x96xf16>, tensor<32x96xf16> -> tensor<64x32xf32>
  attn_tile.store %s, %o[%c0, %c0] {row_dim = 0, alignment = 16} : tensor<64x32xf32> -> !o
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 128)>>

// A persistent kernel has two slots for Q where shared memory has room: the next task's rows are copied under this one.
// CHECK-LABEL: func.func @persistent
// CHECK: attn_tile.roles
// CHECK-SAME: rings = [tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 2, parts = 2, full = {{[0-9]+}}, empty = {{[0-9]+}}>>, tensor<32x64xbf16
// CHECK: scf.for {{.*}} iter_args(%[[NUMBER:[a-z0-9]+]] = %
// CHECK: %[[SLOT:.*]] = arith.andi %[[NUMBER]], %c1
// CHECK: %[[ROUND:.*]] = arith.shrui %[[NUMBER]], %c1
// CHECK: %[[PHASE:.*]] = arith.andi %[[ROUND]], %c1
// CHECK: attn_tile.bulk_fetch %{{.*}} slot(%[[SLOT]]) phase(%[[PHASE]])
func.func @persistent(%q: !m, %k: !m, %o: !m, %ub: index) attributes {attn.launch = #launch, attn.strategy =
    #attn.strategy<block_m = 128, block_n = 32, warps = 8, stages = 2, unit = warpgroup, persistent = true>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  scf.for %i = %c0 to %ub step %c1 {
    %qt = attn_tile.load %q[%i, %c0] {row_dim = 0} : !m -> tensor<128x64xbf16>
    %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
    %out = arith.truncf %s : tensor<128x32xf32> to tensor<128x32xbf16>
    attn_tile.store %out, %o[%i, %c0] {row_dim = 0, alignment = 2} : tensor<128x32xbf16> -> !m
  }
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>

// Of three slots the numbers from 3 on are the second round's.
// CHECK-LABEL: func.func @three_slots
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[N:[a-z0-9]+]] = %
// CHECK: %[[SECOND:.*]] = arith.cmpi uge, %[[N]], %c3
// CHECK: %[[LESS:.*]] = arith.subi %[[N]], %c3
// CHECK: %[[SLOT:.*]] = arith.select %[[SECOND]], %[[LESS]], %[[N]]
// CHECK: %[[SECOND:.*]] = arith.cmpi uge, %[[N]], %c3
// CHECK: %[[PHASE:.*]] = arith.extui %[[SECOND]]
// CHECK: attn_tile.bulk_fetch %{{.*}} slot(%[[SLOT]]) phase(%[[PHASE]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[N]], %c1
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %c6
// CHECK: arith.select %[[WRAPS]], %c0_i32{{.*}}, %[[NEXT]]
func.func @three_slots(%q: !m, %k: !m, %o: !m, %ub: index) attributes {attn.launch = #launch, attn.strategy =
    #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 3, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  scf.for %j = %c0 to %ub step %c32 {
    %kt = attn_tile.load %k[%j, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    %out = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xbf16>
    attn_tile.store %out, %o[%j, %c0] {row_dim = 0, alignment = 2} : tensor<64x32xbf16> -> !m
  }
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>

// Of a multiprocessor's two thread blocks each has half the registers and half the shared memory, where Q has a second slot too.
// CHECK-LABEL: func.func @two_blocks
// CHECK: attn_tile.roles attributes {compute_registers = 216 : i64, consumers = 1 : i64, copy_registers = 40 : i64
// CHECK-SAME: rings = [tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 2, parts = 1, full = {{[0-9]+}}, empty = {{[0-9]+}}>>, tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2,
// One block of a warpgroup leaves the rest of shared memory to others.
// CHECK-LABEL: func.func @one_block
// CHECK: attn_tile.roles attributes {compute_registers = 0 : i64
// CHECK-SAME: rings = [tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1,
func.func @two_blocks(%q: !m, %k: !m, %o: !m, %ub: index) attributes {attn.launch = #launch, attn.strategy =
    #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup, persistent = true, min_blocks = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  scf.for %i = %c0 to %ub step %c1 {
    %qt = attn_tile.load %q[%i, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
    %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    %out = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xbf16>
    attn_tile.store %out, %o[%i, %c0] {row_dim = 0, alignment = 2} : tensor<64x32xbf16> -> !m
  }
  return
}
func.func @one_block(%q: !m, %k: !m, %o: !m, %ub: index) attributes {attn.launch = #launch, attn.strategy =
    #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup, persistent = true>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  scf.for %i = %c0 to %ub step %c1 {
    %qt = attn_tile.load %q[%i, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
    %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    %out = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xbf16>
    attn_tile.store %out, %o[%i, %c0] {row_dim = 0, alignment = 2} : tensor<64x32xbf16> -> !m
  }
  return
}

// A tile that is loaded ahead is copied there, and waited for in both places; its number goes on at the later one.
// CHECK-LABEL: func.func @ahead
// CHECK-SAME: %[[MQ:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}, %[[MK:[a-z0-9]+]]: !llvm.ptr
// CHECK: attn_tile.bulk_fetch %[[MQ]]
// CHECK: scf.for %[[T:[a-z0-9]+]] =
// CHECK-NOT: bulk_fetch %[[MQ]]
// CHECK: attn_tile.bulk_fetch %[[MK]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]], %c64
// CHECK: attn_tile.bulk_fetch %[[MQ]][%[[NEXT]], %{{.*}}]
// CHECK-NOT: bulk_fetch
// CHECK: } compute {
// CHECK: attn_tile.await_tile slot(%{{.*}}) phase(%{{.*}}) {ahead} : tensor<64x64xbf16
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[QN:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %{{[a-z0-9]+}} = %
// CHECK: %[[PHASE:[a-z0-9]+]] = arith.andi %[[QN]]
// CHECK: attn_tile.await_tile slot(%{{.*}}) phase(%[[PHASE]]) : tensor<64x64xbf16
// CHECK: %[[NEXTN:[a-z0-9]+]] = arith.addi %[[QN]], %c1
// CHECK: %[[PHASE:[a-z0-9]+]] = arith.andi %[[NEXTN]]
// CHECK: attn_tile.await_tile slot(%{{.*}}) phase(%[[PHASE]]) {ahead} : tensor<64x64xbf16
// CHECK: scf.yield %{{.*}}, %[[NEXTN]], %
func.func @ahead(%q: !m, %k: !m, %o: !m, %ub: index) attributes {attn.launch = #launch, attn.strategy =
    #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %q0 = attn_tile.load %q[%c0, %c0] {row_dim = 0, ahead} : !m -> tensor<64x64xbf16>
  %k0 = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
  %s0 = attn_tile.dot %q0, %k0, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
  %r = scf.for %i = %c0 to %ub step %c64 iter_args(%s = %s0) -> tensor<64x32xf32> {
    %qt = attn_tile.load %q[%i, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
    %kt = attn_tile.load %k[%i, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %t = attn_tile.dot %qt, %kt, %s {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    %next = arith.addi %i, %c64 : index
    %kn = attn_tile.load %k[%next, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %qn = attn_tile.load %q[%next, %c0] {row_dim = 0, ahead} : !m -> tensor<64x64xbf16>
    %sn = attn_tile.dot %qn, %kn, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    %out = arith.truncf %t : tensor<64x32xf32> to tensor<64x32xbf16>
    attn_tile.store %out, %o[%i, %c0] {row_dim = 0, alignment = 2} : tensor<64x32xbf16> -> !m
    scf.yield %sn : tensor<64x32xf32>
  }
  return
}
