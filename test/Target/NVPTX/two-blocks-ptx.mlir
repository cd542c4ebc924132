// RUN: fovea-compile %s --target=sm_90a --emit=ptx --strategy="#attn.strategy<block_m = 64, block_n = 128, warps = 4, stages = 2, vector_bytes = 16, round_p = true, unit = warpgroup, overlap = true, persistent = true, rescale = optimistic, row_sums = product, interleave = true, min_blocks = 2>" | FileCheck %s
// RUN: not fovea-compile %s --target=sm_90a --emit=ptx --strategy="#attn.strategy<block_m = 64, block_n = 128, warps = 4, stages = 4, vector_bytes = 16, round_p = true, unit = warpgroup, overlap = true, persistent = true, rescale = optimistic, min_blocks = 2>" 2>&1 | FileCheck %s --check-prefix=MEMORY

// Both blocks have 128 registers a thread at their start, of which the roles make others.
// CHECK: .visible .entry f_attn0_given
// CHECK: .maxntid 256
// CHECK: .minnctapersm 2
// CHECK-DAG: setmaxnreg.dec.sync.aligned.u32 40;
// CHECK-DAG: setmaxnreg.inc.sync.aligned.u32 216;
// MEMORY: error: the kernel needs {{[0-9]+}} bytes of shared memory, but sm_90a has 115712 for a thread block where a multiprocessor holds 2; smaller tiles, fewer stages or min_blocks = 1 work

!t = tensor<?x?x?x64xbf16>
func.func @f(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) causal(top_left) outs(%init : !t)
  return %o : !t
}
