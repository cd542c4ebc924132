// RUN: fovea-opt %s --attn-plan=target=sm_90a --split-input-file | FileCheck %s
// RUN: fovea-opt %s --attn-plan="target=sm_90a tuning=none" --split-input-file | FileCheck %s
// RUN: fovea-opt %s --attn-plan=target=sm_80 --split-input-file | FileCheck %s --check-prefix=WARPS

// Every kernel of an op with an LSE sums up deep scores in parts: of 64 columns with f16, of 128 with bf16, of half as many
// where warps multiply; as even as steps of 16 allow. Two accumulators of scores leave room for blocks of 48 keys.

!t = tensor<?x8x?x256xf16>
!l = tensor<?x8x?xf32>
// CHECK-LABEL: func.func private @f16_attn0_rows_split
// CHECK: score_part = 32>
// CHECK: func.func private @f16_attn0_warpgroup_narrow(
// CHECK: block_n = 48, {{.*}}score_part = 64>
// CHECK: func.func private @f16_attn0_warpgroup(
// CHECK: block_n = 48, {{.*}}score_part = 64>
// CHECK: func.func private @f16_attn0_aligned(
// CHECK: block_n = 64, {{.*}}score_part = 32>
// CHECK: func.func private @f16_attn0_any(
// CHECK: score_part = 32>
// WARPS-LABEL: func.func private @f16_attn0_rows_split
// WARPS: score_part = 32>
// WARPS: func.func private @f16_attn0_split_parts(
// WARPS: score_part = 32>
// WARPS: func.func private @f16_attn0_aligned(
// WARPS: score_part = 32>
// WARPS: func.func private @f16_attn0_aligned4(
// WARPS: score_part = 32>
// WARPS: func.func private @f16_attn0_any(
// WARPS: score_part = 32>
func.func @f16(%q: !t, %o: !t, %l: !l) -> (!t, !l) {
  %r:2 = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o, %l : !t, !l)
  return %r#0, %r#1 : !t, !l
}

// -----

!t = tensor<?x8x?x192xbf16>
!l = tensor<?x8x?xf32>
// CHECK-LABEL: func.func private @bf16_attn0_rows_split
// CHECK: score_part = 64>
// CHECK: func.func private @bf16_attn0_warpgroup(
// CHECK: score_part = 96>
// WARPS-LABEL: func.func private @bf16_attn0_any(
// WARPS: score_part = 64>
func.func @bf16(%q: !t, %o: !t, %l: !l) -> (!t, !l) {
  %r:2 = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o, %l : !t, !l)
  return %r#0, %r#1 : !t, !l
}

// -----

!t = tensor<?x8x?x128xf16>
!l = tensor<?x8x?xf32>
// CHECK-LABEL: func.func private @f16_128_attn0_warpgroup(
// CHECK: score_part = 64>
// WARPS-LABEL: func.func private @f16_128_attn0_any(
// WARPS: score_part = 32>
func.func @f16_128(%q: !t, %o: !t, %l: !l) -> (!t, !l) {
  %r:2 = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o, %l : !t, !l)
  return %r#0, %r#1 : !t, !l
}

// -----

// A map of blocks is for the blocks of the kernel.
!t = tensor<?x8x?x256xf16>
!l = tensor<?x8x?xf32>
// CHECK-LABEL: func.func private @mapped_attn0_warpgroup_map_map(
// CHECK: block_n = 32,
// CHECK: func.func private @mapped_attn0_warpgroup_map(
// CHECK: block_n = 32, {{.*}}score_part = 64>
func.func @mapped(%q: !t, %o: !t, %l: !l) -> (!t, !l) {
  %r:2 = attn.attention ins(%q, %q, %q : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
    %t = arith.cmpi ule, %j, %i : index
    attn.yield %t : i1
  } outs(%o, %l : !t, !l)
  return %r#0, %r#1 : !t, !l
}

// -----

// f32 at any depth, unless products of TF32 are allowed.
!t = tensor<?x8x?x16xf32>
!l = tensor<?x8x?xf32>
// CHECK-LABEL: func.func private @single_attn0_rows_split_parts(
// CHECK: score_part = 16>
// CHECK: func.func private @single_attn0_any(
// CHECK: score_part = 16>
// CHECK-NOT: score_part
// WARPS-LABEL: func.func private @single_attn0_any(
// WARPS: score_part = 16>
// WARPS-NOT: score_part
func.func @single(%q: !t, %o: !t, %l: !l) -> (!t, !l, !l) {
  %r:2 = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o, %l : !t, !l)
  %s:2 = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o, %l : !t, !l) {allow_tf32}
  return %r#0, %r#1, %s#1 : !t, !l, !l
}

// -----

// One sum is as close as it has to be: without LSE, and up to a depth of 96 (f16) or 160 (bf16).
!t = tensor<?x8x?x256xf16>
!u = tensor<?x8x?x96xf16>
!v = tensor<?x8x?x160xbf16>
!w = tensor<?x8x?x256xf32>
!l = tensor<?x8x?xf32>
// CHECK-LABEL: func.func @whole
// CHECK-NOT: score_part
// WARPS-LABEL: func.func @whole
// WARPS-NOT: score_part
func.func @whole(%q: !t, %o: !t, %u: !u, %v: !v, %w: !w, %l: !l) -> (!t, !l, !l, !w) {
  %0 = attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  %1:2 = attn.attention ins(%u, %u, %u : !u, !u, !u) outs(%u, %l : !u, !l)
  %2:2 = attn.attention ins(%v, %v, %v : !v, !v, !v) outs(%v, %l : !v, !l)
  %3 = attn.attention ins(%w, %w, %w : !w, !w, !w) outs(%w : !w)
  return %0, %1#1, %2#1, %3 : !t, !l, !l, !w
}
