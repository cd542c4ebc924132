// RUN: fovea-opt %s --attn-plan=target=sm_90a | FileCheck %s --implicit-check-not='rescale = optimistic'
// RUN: fovea-opt %s --attn-plan="target=sm_90a tuning=none" | FileCheck %s --implicit-check-not='rescale = optimistic'

// No kernel guesses weights where O has a longer significand than V.

!t = tensor<?x8x?x64xbf16>
!o = tensor<?x8x?x64xf32>
!f = tensor<?x8x?x64xf16>
// CHECK-LABEL: func.func private @single_attn0_rows_cluster8
// CHECK: rescale = lazy, cluster = 8
// CHECK: func.func private @single_attn0_warpgroup_narrow(
// CHECK: rescale = lazy
// CHECK: func.func private @single_attn0_warpgroup(
// CHECK: rescale = lazy
func.func @single(%q: !t, %o: !o) -> !o {
  %r = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !o)
  return %r : !o
}

// CHECK: func.func private @half_attn0_warpgroup_map(
// CHECK: rescale = lazy
func.func @half(%q: !t, %o: !f) -> !f {
  %r = attn.attention ins(%q, %q, %q : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
    %t = arith.cmpi ule, %j, %i : index
    attn.yield %t : i1
  } outs(%o : !f)
  return %r : !f
}
