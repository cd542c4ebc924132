// RUN: fovea-opt %s --attn-tile-to-nvvm --canonicalize | FileCheck %s

// Small operations: a condition of a warp by a vote, one of a warpgroup by its barrier; an index is hidden from the
// optimiser, a tile is not; rows are cleared by each warpgroup for itself: it may hold the turn that another waits for.
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 4096, slots = 1, parts = 1, full = 4096, empty = 4104>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 384>
// CHECK-LABEL: func.func @small
// CHECK: nvvm.read.ptx.sreg.nctaid.x
// CHECK: nvvm.vote.sync any
// CHECK: bar.red.or.pred q, $2, 128, $1;
// CHECK: "mov.b64 $0, $1;", "=l,l"
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: scf.if
// CHECK: scf.for
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK: nvvm.fence.proxy
// CHECK: %[[OWN:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: nvvm.barrier id = %[[OWN]] number_of_threads = %[[C128:.*]]
// An arrival that comes after a value adds nothing that the assembler could see to be nothing.
// CHECK: "{ .reg .b32 z; shr.u32 z, $1, $2; add.u32 $0, z, $3; }"
// CHECK: mbarrier.arrive.shared::cta.b64
func.func @small(%x: f32, %slot: i32, %phase: i32, %i: index, %out: memref<2xi1>) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 128, block_n = 32, warps = 8, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = attn_tile.num_programs : index
  %rows = attn_tile.splat %x : f32 -> tensor<128xf32, #attn_tile.mma_rows<warps = 8>>
  %zero = arith.constant dense<0.0> : tensor<128xf32, #attn_tile.mma_rows<warps = 8>>
  %c = arith.cmpf ogt, %rows, %zero : tensor<128xf32, #attn_tile.mma_rows<warps = 8>>
  %any = attn_tile.any %c : tensor<128xi1, #attn_tile.mma_rows<warps = 8>>
  %all = attn_tile.any %c {uniform} : tensor<128xi1, #attn_tile.mma_rows<warps = 8>>
  memref.store %any, %out[%c0] : memref<2xi1>
  memref.store %all, %out[%c1] : memref<2xi1>
  %limit = attn_tile.recompute %n : index
  %k = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  attn_tile.clear_rows %k first(%i) limit(%limit) : !k
  attn_tile.release %k slot(%slot) after(%rows : tensor<128xf32, #attn_tile.mma_rows<warps = 8>>) : !k
  return
}
