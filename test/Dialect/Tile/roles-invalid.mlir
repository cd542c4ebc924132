// RUN: fovea-opt %s --split-input-file --verify-diagnostics

func.func @await_plain(%i: i32) {
  // expected-error@below {{needs a tile with the encoding #attn_tile.swizzled, but got 'tensor<32x64xbf16>'}}
  %t = attn_tile.await_tile slot(%i) phase(%i) : tensor<32x64xbf16>
  return
}

// -----

func.func @await_type(%i: i32) {
  // expected-error@below {{needs a tile of rank 2 of 16-bit elements, but got 'tensor<32x64xf32,}}
  %t = attn_tile.await_tile slot(%i) phase(%i) : tensor<32x64xf32, #attn_tile.swizzled<offset = 0, slot_bytes = 4096, slots = 2, parts = 1, full = 0, empty = 0>>
  return
}

// -----

func.func @await_rows(%i: i32) {
  // expected-error@below {{has a tile of 40 rows, which don't divide into 16 equal parts}}
  %t = attn_tile.await_tile slot(%i) phase(%i) : tensor<40x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 4096, slots = 2, parts = 1, full = 0, empty = 0, cluster = 16>>
  return
}

// -----

func.func @await_no_band(%i: i32) {
  // expected-error@below {{needs the number of a band: the tile has 2}}
  %t = attn_tile.await_tile slot(%i) phase(%i) : tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>
  return
}

// -----

func.func @await_band(%i: i32) {
  // expected-error@below {{names a band of a tile that has one}}
  %t = attn_tile.await_tile slot(%i) phase(%i) band(%i) : tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>
  return
}

// -----

func.func @release_plain(%t: tensor<32x64xbf16>, %i: i32) {
  // expected-error@below {{needs a tile with the encoding #attn_tile.swizzled}}
  attn_tile.release %t slot(%i) : tensor<32x64xbf16>
  return
}

// -----

func.func @release_band(%t: tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>, %i: i32) {
  // expected-error@below {{names a band of a tile that has one}}
  attn_tile.release %t slot(%i) band(%i) : tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>
  return
}

// -----

func.func @release_no_band(%t: tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, %i: i32) {
  // expected-error@below {{needs the number of a band: the tile has 2}}
  attn_tile.release %t slot(%i) : tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>
  return
}

// -----

func.func @release_after(%t: tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>, %i: i32, %a: tensor<128xf16>) {
  // expected-error@below {{comes after a tile of 32-bit elements, but got 'tensor<128xf16>'}}
  attn_tile.release %t slot(%i) after(%a : tensor<128xf16>) : tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>
  return
}

// -----

func.func @fetch_plain(%m: !llvm.ptr, %p: index, %i: i32) {
  // expected-error@below {{needs a tile with the encoding #attn_tile.swizzled}}
  attn_tile.bulk_fetch %m[%p, %p] slot(%i) phase(%i) {row_dim = 0} : !llvm.ptr -> tensor<32x64xbf16>
  return
}

// -----

func.func @fetch_row_dim(%m: !llvm.ptr, %p: index, %i: i32) {
  // expected-error@below {{has row_dim 1 for 2 indices, of which the last is that of the columns}}
  attn_tile.bulk_fetch %m[%p, %p] slot(%i) phase(%i) {row_dim = 1} : !llvm.ptr -> tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>
  return
}

// -----

func.func @store_plain(%t: tensor<32x64xbf16>, %m: !llvm.ptr, %p: index, %i: i32) {
  // expected-error@below {{needs a tile with the encoding #attn_tile.swizzled}}
  attn_tile.bulk_store %t, %m[%p, %p] band(%i) {row_dim = 0} : tensor<32x64xbf16>, !llvm.ptr -> tensor<32x64xbf16>
  return
}

// -----

func.func @store_shape(%t: tensor<32x64xbf16>, %m: !llvm.ptr, %p: index, %i: i32) {
  // expected-error@below {{stores 'tensor<32x64xbf16>' through 'tensor<128x64xbf16,}}
  attn_tile.bulk_store %t, %m[%p, %p] band(%i) {row_dim = 0} : tensor<32x64xbf16>, !llvm.ptr -> tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>
  return
}

// -----

func.func @clear_bands(%t: tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, %p: index) {
  // expected-error@below {{needs the number of a band: the tile has 2}}
  attn_tile.clear_rows %t first(%p) limit(%p) : tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>
  return
}

// -----

func.func @issue_depth(%q: tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, %k: tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>, %c: tensor<128x64xf32>) {
  // expected-error@below {{contracts 64 columns of lhs with 32 of rhs}}
  %t = attn_tile.issue_dot %q, %k, %c : tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>> -> tensor<128x64xf32>
  return
}

// -----

func.func @issue_acc(%q: tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, %k: tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>, %c: tensor<128x64xf32>) {
  // expected-error@below {{gives 128x32 but accumulates into 'tensor<128x64xf32>'}}
  %t = attn_tile.issue_dot %q, %k, %c {transpose_rhs} : tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>> -> tensor<128x64xf32>
  return
}

// -----

func.func @issue_type(%q: tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, %k: tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>>, %c: tensor<128x32xf16>) {
  // expected-error@below {{accumulates in f32, but got 'tensor<128x32xf16>'}}
  %t = attn_tile.issue_dot %q, %k, %c {transpose_rhs} : tensor<128x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 2, full = 32768, empty = 32784>>, tensor<32x64xbf16, #attn_tile.swizzled<offset = 16384, slot_bytes = 4096, slots = 2, parts = 1, full = 32800, empty = 32816>> -> tensor<128x32xf16>
  return
}

// -----

func.func @await_pending(%c: tensor<128x32xf32>) {
  // expected-error@below {{lets -1 products run on}}
  %t = attn_tile.await_dots %c pending -1 : tensor<128x32xf32>
  return
}

// -----

func.func @fold_columns(%c: tensor<8x20xf32>) {
  // expected-error@below {{folds 'tensor<8x20xf32>' into 'tensor<8x8xf32>'; a tile of as many rows, whose columns divide those of the operand, works}}
  %t = attn_tile.fold %c : tensor<8x20xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @fold_bits_columns(%c: tensor<8x20xi32>) {
  // expected-error@below {{folds 'tensor<8x20xi32>' into 'tensor<8x8xi32>'; a tile of as many rows, whose columns divide those of the operand, works}}
  %t = attn_tile.fold_bits %c : tensor<8x20xi32> -> tensor<8x8xi32>
  return
}

// -----

func.func @columns_behind(%c: tensor<8x72xf32>) {
  // expected-error@below {{takes columns from 65 on of 'tensor<8x72xf32>' as 'tensor<8x8xf32>'}}
  %t = attn_tile.columns %c from 65 : tensor<8x72xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @only_ones(%v: memref<?x64xf16>, %i: index) {
  // expected-error@below {{has 72 columns of ones in 'tensor<16x72xf16>'; fewer than the columns of a tile of rank 2 work}}
  %t = attn_tile.load %v[%i, %i] {row_dim = 0, ones = 72} : memref<?x64xf16> -> tensor<16x72xf16>
  return
}

// -----

func.func @panel_of_ones(%i: index) {
  // expected-error@below {{#attn_tile.swizzled has a panel of at most 64 columns of ones, but got 72}}
  %t = builtin.unrealized_conversion_cast %i : index to tensor<32x136xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 16384, slots = 1, parts = 1, full = 0, empty = 8, ones = 72>>
  return
}

// -----

func.func @no_consumers() {
  // expected-error@below {{needs a warpgroup that computes, but got 0 consumers}}
  attn_tile.roles attributes {consumers = 0 : i64, compute_registers = 0 : i64, copy_registers = 0 : i64, rings = []} copy {
  } compute {
  }
  return
}

// -----

func.func @registers() {
  // expected-error@below {{gives a thread 100 registers; 0 and multiples of 8 from 24 to 256 work}}
  attn_tile.roles attributes {consumers = 1 : i64, compute_registers = 100 : i64, copy_registers = 0 : i64, rings = []} copy {
  } compute {
  }
  return
}

// -----

func.func @rings() {
  // expected-error@below {{needs a tile with the encoding #attn_tile.swizzled}}
  attn_tile.roles attributes {consumers = 1 : i64, compute_registers = 0 : i64, copy_registers = 0 : i64, rings = [tensor<32x64xbf16>]} copy {
  } compute {
  }
  return
}

// -----

// expected-error@below {{#attn_tile.swizzled needs at least one slot and one part, but got 0 and 1}}
func.func private @slots() -> tensor<32x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 0, slots = 0, parts = 1, full = 0, empty = 0>>

// -----

// expected-error@below {{#attn_tile.swizzled needs a cluster of 1 to 16 thread blocks, but got 17}}
func.func private @cluster() -> tensor<32x64xbf16, #attn_tile.swizzled<offset = 0, slot_bytes = 0, slots = 1, parts = 1, full = 0, empty = 0, cluster = 17>>

// -----

func.func @contracted(%q: tensor<64x64xbf16>, %c: tensor<64x64xf32>) {
  // expected-error@below {{contracts [32, 80] of 64; two multiples of 16, the first below the second, work}}
  %t = attn_tile.issue_dot %q, %q, %c {contracted = array<i64: 32, 80>, transpose_rhs} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @contracted_nothing(%q: tensor<64x64xbf16>, %c: tensor<64x64xf32>) {
  // expected-error@below {{contracts [32, 32] of 64; two multiples of 16, the first below the second, work}}
  %t = attn_tile.issue_dot %q, %q, %c {contracted = array<i64: 32, 32>, transpose_rhs} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @contracted_steps(%q: tensor<64x64xbf16>, %c: tensor<64x64xf32>) {
  // expected-error@below {{contracts [8, 64] of 64; two multiples of 16, the first below the second, work}}
  %t = attn_tile.issue_dot %q, %q, %c {contracted = array<i64: 8, 64>, transpose_rhs} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @contracted_one(%q: tensor<64x64xbf16>, %c: tensor<64x64xf32>) {
  // expected-error@below {{contracts [16] of 64; two multiples of 16, the first below the second, work}}
  %t = attn_tile.issue_dot %q, %q, %c {contracted = array<i64: 16>, transpose_rhs} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

// expected-error@below {{#attn_tile.swizzled has a part for each warpgroup at the most, but got 1152921504606846976; a thread block has up to 8}}
func.func private @parts(tensor<8x8xf16, #attn_tile.swizzled<offset = 0, slot_bytes = 0, slots = 1, parts = 1152921504606846976, full = 0, empty = 0, cluster = 16>>)

// -----

func.func @turns(%wg: i32) {
  // expected-error@below {{attribute 'warpgroups' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  attn_tile.await_turn %wg of 0
  return
}
