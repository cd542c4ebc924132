// RUN: not fovea-compile %s --target=sm_80 --emit=ptx -o %t.ptx 2>&1 | FileCheck %s
// RUN: not fovea-compile %s --target=sm_89 --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: fovea-compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// A kernel that is written by hand may hold what its chip does not have: an error and no end of the program.
!m = memref<?x64xbf16, strided<[?, ?], offset: ?>>
!o = memref<?x32xf32, strided<[?, ?], offset: ?>>

// PTX: barrier.cluster.wait
func.func @exchange(%q: !m, %o: !o) attributes {
    attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq ceildiv 64)>>,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, split_kv = true, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %rows = arith.constant dense<0.0> : tensor<64xf32>
  %s = attn_tile.dot %qt, %qt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  // CHECK: :[[@LINE+2]]:10: error: becomes 'nvvm.cluster.wait', which sm_80 does not have; compile for a chip that has it
  // LATER: :[[@LINE+1]]:10: error: becomes 'nvvm.cluster.wait', which sm_89 does not have; compile for a chip that has it
  %0:4 = attn_tile.exchange %rows, %s programs 2 : (tensor<64xf32>, tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x32xf32>, tensor<64xf32>, tensor<64x32xf32>)
  attn_tile.store %0#3, %o[%c0, %c0] {row_dim = 0} : tensor<64x32xf32> -> !o
  attn_tile.await_peers
  return
}
