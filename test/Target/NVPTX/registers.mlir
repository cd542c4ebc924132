// REQUIRES: ptxas
// RUN: fovea-compile %s --target=sm_80 --emit=ptx -o %t.ptx
// RUN: ptxas -v -arch=sm_80 %t.ptx -o %t.cubin 2>&1 | FileCheck %s

// The main kernels keep everything in registers.
// CHECK-DAG: entry function 'd64_attn0_aligned' for 'sm_80'{{[[:space:]]}}{{.*}}Function properties for d64_attn0_aligned{{[[:space:]]}} 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-DAG: entry function 'd128_attn0_aligned' for 'sm_80'{{[[:space:]]}}{{.*}}Function properties for d128_attn0_aligned{{[[:space:]]}} 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

!d64 = tensor<?x?x?x64xbf16>
func.func @d64(%q: !d64, %k: !d64, %v: !d64, %init: !d64) -> !d64 {
  %o = attn.attention ins(%q, %k, %v : !d64, !d64, !d64) causal(top_left) outs(%init : !d64)
  return %o : !d64
}

!d128 = tensor<?x?x?x128xbf16>
func.func @d128(%q: !d128, %k: !d128, %v: !d128, %init: !d128) -> !d128 {
  %o = attn.attention ins(%q, %k, %v : !d128, !d128, !d128) causal(top_left) outs(%init : !d128)
  return %o : !d128
}
