// One fault of each kind.
// RUN: fovea-opt %s --attn-tile-verify-async --split-input-file --verify-diagnostics

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @use(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  // expected-error@+1 {{uses the result of a product in flight; attn_tile.await_dots must come between}}
  %e = math.exp2 %s0 : !s
  %s = attn_tile.await_dots %s0 pending 0 : !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @accumulate(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  // expected-error@+1 {{uses the result of a product in flight}}
  %s1 = attn_tile.issue_dot %q, %k, %s0 {transpose_rhs} : !q, !k -> !s
  %s = attn_tile.await_dots %s1 pending 0 : !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @no_wait(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  // expected-error@+1 {{begins a product that nothing waits for}}
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @second_wait(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  // expected-error@+1 {{waits for a product that another wait has already given up}}
  %a = attn_tile.await_dots %s0 pending 0 : !s
  %b = attn_tile.await_dots %s0 pending 0 : !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @other_block(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  scf.if %c {
    // expected-error@+1 {{waits in another block than the product was begun in}}
    %a = attn_tile.await_dots %s0 pending 0 : !s
  }
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @pending(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  %s1 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  // expected-error@+1 {{lets 2 products run on, but only 1 were begun after the one it waits for}}
  %a = attn_tile.await_dots %s0 pending 2 : !s
  %b = attn_tile.await_dots %s1 pending 0 : !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @own_product(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  // expected-error@+1 {{lets 1 products run on, but only 0 were begun after the one it waits for}}
  %a = attn_tile.await_dots %s0 pending 1 : !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @release_in_flight(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  %s0 = attn_tile.issue_dot %q, %t, %zero {transpose_rhs} : !q, !k -> !s
  // expected-error@+1 {{changes a tile that a product in flight reads}}
  attn_tile.release %t slot(%slot) : !k
  %a = attn_tile.await_dots %s0 pending 0 : !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @release_in_region(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  %s0 = attn_tile.issue_dot %q, %t, %zero {transpose_rhs} : !q, !k -> !s
  scf.if %c {
    // expected-error@+1 {{changes a tile that a product in flight reads}}
    attn_tile.clear_rows %t first(%i) limit(%i) : !k
  }
  %a = attn_tile.await_dots %s0 pending 0 : !s
  attn_tile.release %t slot(%slot) : !k
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @clear_in_flight(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  %s0 = attn_tile.issue_dot %q, %t, %zero {transpose_rhs} : !q, !k -> !s
  // expected-error@+1 {{changes a tile that a product in flight reads}}
  attn_tile.clear_rows %t first(%i) limit(%i) : !k
  %a = attn_tile.await_dots %s0 pending 0 : !s
  attn_tile.release %t slot(%slot) : !k
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @nested(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
  scf.if %c {
    // expected-error@+1 {{begins a product in a region while one is in flight around it, and no wait for all products follows there}}
    %n0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
    %n1 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : !q, !k -> !s
    %a = attn_tile.await_dots %n0 pending 1 : !s
  }
  %s = attn_tile.await_dots %s0 pending 0 : !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @read_after_release(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  attn_tile.release %t slot(%slot) : !k
  // expected-error@+1 {{reads a tile after its release}}
  %s0 = attn_tile.issue_dot %q, %t, %zero {transpose_rhs} : !q, !k -> !s
  %a = attn_tile.await_dots %s0 pending 0 : !s
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @read_in_region(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  attn_tile.release %t slot(%slot) : !k
  scf.if %c {
    // expected-error@+1 {{reads a tile after its release}}
    %s0 = attn_tile.issue_dot %q, %t, %zero {transpose_rhs} : !q, !k -> !s
    %a = attn_tile.await_dots %s0 pending 0 : !s
  }
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @released_twice(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  // expected-error@+1 {{releases a tile a second time}}
  attn_tile.release %t slot(%slot) : !k
  attn_tile.release %t slot(%slot) : !k
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @never_released(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  // expected-error@+1 {{is never released}}
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @other_slot(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  // expected-error@+1 {{releases another slot than the tile lies in}}
  attn_tile.release %t slot(%other) : !k
  return
}

// -----

!q = tensor<64x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 8192, slots = 1, parts = 1, full = 24576, empty = 24584>>
!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
!s = tensor<64x32xf32>
func.func @release_in_branch(%q: !q, %k: !k, %k2: !k, %zero: !s, %slot: i32, %other: i32, %phase: i32, %c: i1, %i: index) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) : !k
  scf.if %c {
    // expected-error@+1 {{releases a tile in another block than it was awaited in}}
    attn_tile.release %t slot(%slot) : !k
  }
  return
}

// -----

func.func @never_passed(%number: i32) {
  // expected-error@+1 {{begins a turn that is not passed in its block}}
  attn_tile.await_turn %number of 2
  return
}

// -----

func.func @turn_in_turn(%number: i32, %c: i1) {
  attn_tile.await_turn %number of 2
  scf.if %c {
    // expected-error@+1 {{waits for warpgroups that wait for this one's turn}}
    attn_tile.await_turn %number of 2
    attn_tile.pass_turn %number of 2
  }
  attn_tile.pass_turn %number of 2
  return
}

// -----

func.func @exchange_in_turn(%number: i32, %sum: tensor<64xf32>) {
  attn_tile.await_turn %number of 2
  // expected-error@+1 {{waits for warpgroups that wait for this one's turn}}
  %0:2 = attn_tile.exchange %sum programs 2 : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  attn_tile.pass_turn %number of 2
  return
}

// -----

!k = tensor<32x64xbf16, #attn_tile.swizzled<offset = 8192, slot_bytes = 4096, slots = 2, parts = 1, full = 24592, empty = 24608>>
func.func @release_ahead(%slot: i32, %phase: i32) {
  %t = attn_tile.await_tile slot(%slot) phase(%phase) {ahead} : !k
  // expected-error@+1 {{releases a tile that is awaited once more}}
  attn_tile.release %t slot(%slot) : !k
  return
}
