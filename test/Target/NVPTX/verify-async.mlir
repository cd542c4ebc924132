// RUN: fovea-opt %s --attn-tile-verify-async

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>

// Two products in flight, a wait for each in turn, a product in a region that is awaited at once, releases behind all reads.
func.func @right(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  %s1 = attn_tile.issue_dot %q, %t, %zero {transpose_rhs} : !q, !k -> !s
  %a = attn_tile.await_dots %s0 pending 1 : !s
  scf.if %c {
    %n0 = attn_tile.issue_dot %q, %k2, %zero {transpose_rhs} : !q, !k -> !s
    %n = attn_tile.await_dots %n0 pending 0 : !s
  }
  %b = attn_tile.await_dots %s1 pending 0 : !s
  attn_tile.release %t slot(%slot) : !k
  return
}
