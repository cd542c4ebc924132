// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --emit-bytecode | fovea-opt | FileCheck %s

!q = tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816, cluster = 2>>

// CHECK: attn.tensor_maps = [#attn.tensor_map<argument = 1, rows = 16, cols = 64, row_dim = 0>]
// CHECK: attn_tile.roles attributes {compute_registers = 240 : i64, consumers = 2 : i64, copy_registers = 24 : i64, rings = [tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816, cluster = 2>>]} copy {
// CHECK: attn_tile.bulk_fetch %{{.*}}[%{{.*}}, %{{.*}}] slot(%{{.*}}) phase(%{{.*}}) {row_dim = 0 : i64} : !llvm.ptr -> tensor<32x64xbf16, #attn_tile.swizzled<{{.*}}cluster = 2>>
// CHECK: } compute {
// CHECK: %[[WG:.*]] = attn_tile.warpgroup : i32
// CHECK: %[[N:.*]] = attn_tile.num_programs : index
// CHECK: %[[Q:.*]] = attn_tile.await_tile slot(%{{.*}}) phase(%{{.*}}) band(%[[WG]]) : tensor<128x64xbf16, #attn_tile.swizzled<
// CHECK: %[[K:.*]] = attn_tile.await_tile slot(%{{.*}}) phase(%{{.*}}) : tensor<32x64xbf16
// CHECK: attn_tile.clear_rows %[[K]] first(%{{.*}}) limit(%{{.*}}) : tensor<32x64xbf16
// CHECK: %[[S0:.*]] = attn_tile.issue_dot %[[Q]], %[[K]], %{{.*}} {transpose_rhs} : {{.*}} -> tensor<128x32xf32>
// CHECK: %[[S:.*]] = attn_tile.await_dots %[[S0]] pending 0 : tensor<128x32xf32>
// CHECK: attn_tile.release %[[K]] slot(%{{.*}}) after(%{{.*}} : tensor<128xf32>) : tensor<32x64xbf16
// CHECK: attn_tile.release %[[Q]] slot(%{{.*}}) band(%[[WG]]) : tensor<128x64xbf16
// CHECK: attn_tile.recompute %[[N]] : index
// CHECK: %[[T:.*]] = attn_tile.recompute %[[S]] : tensor<128x32xf32>
// CHECK: attn_tile.fold %[[T]] : tensor<128x32xf32> -> tensor<128x8xf32>
// CHECK: attn_tile.issue_dot %[[Q]], %[[K]], %{{.*}} under(%[[T]] : tensor<128x32xf32>) {transpose_rhs}
// CHECK: attn_tile.fold_bits %{{.*}} : tensor<128x32xi32> -> tensor<128x8xi32>
// CHECK: attn_tile.columns %[[T]] from 8 : tensor<128x32xf32> -> tensor<128x16xf32>
// CHECK: attn_tile.any %{{.*}} : tensor<128xi1>
// CHECK: attn_tile.any %{{.*}} {uniform} : tensor<128xi1>
// CHECK: attn_tile.bulk_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] band(%[[WG]]) {row_dim = 0 : i64} : tensor<128x64xbf16>, !llvm.ptr -> tensor<128x64xbf16, #attn_tile.swizzled<
func.func @kernel(%map: !llvm.ptr, %i: index, %slot: i32, %phase: i32, %rows: tensor<128xf32>, %o: tensor<128x64xbf16>,
                  %c: tensor<128xi1>)
    attributes {attn.tensor_maps = [#attn.tensor_map<argument = 1, rows = 16, cols = 64, row_dim = 0>]} {
  attn_tile.roles attributes {consumers = 2 : i64, compute_registers = 240 : i64, copy_registers = 24 : i64, rings = [!q, !k]} copy {
    attn_tile.bulk_fetch %map[%i, %i] slot(%slot) phase(%phase) {row_dim = 0} : !llvm.ptr -> !k
  } compute {
    %wg = attn_tile.warpgroup : i32
    %n = attn_tile.num_programs : index
    %q = attn_tile.await_tile slot(%slot) phase(%phase) band(%wg) : !q
    %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
    attn_tile.clear_rows %k first(%i) limit(%i) : !k
    %zero = arith.constant dense<0.0> : tensor<128x32xf32>
    %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> tensor<128x32xf32>
    %s = attn_tile.await_dots %s0 pending 0 : tensor<128x32xf32>
    attn_tile.release %k slot(%slot) after(%rows : tensor<128xf32>) : !k
    attn_tile.release %q slot(%slot) band(%wg) : !q
    %m = attn_tile.recompute %n : index
    %t = attn_tile.recompute %s : tensor<128x32xf32>
    %f = attn_tile.fold %t : tensor<128x32xf32> -> tensor<128x8xf32>
    %u0 = attn_tile.issue_dot %q, %k, %zero under(%t : tensor<128x32xf32>) {transpose_rhs} : !q, !k -> tensor<128x32xf32>
    %bits = arith.bitcast %t : tensor<128x32xf32> to tensor<128x32xi32>
    %b = attn_tile.fold_bits %bits : tensor<128x32xi32> -> tensor<128x8xi32>
    %u = attn_tile.columns %t from 8 : tensor<128x32xf32> -> tensor<128x16xf32>
    %any = attn_tile.any %c : tensor<128xi1>
    %all = attn_tile.any %c {uniform} : tensor<128xi1>
    attn_tile.bulk_store %o, %map[%i, %i] band(%wg) {row_dim = 0} : tensor<128x64xbf16>, !llvm.ptr -> !q
  }
  return
}
