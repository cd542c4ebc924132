// RUN: fovea-opt %s --canonicalize --split-input-file | FileCheck %s

!q = tensor<2x4x?x64xf16>

// CHECK-LABEL: func.func @causal
// CHECK-COUNT-5: attn.attention {{.*}}) causal(top_left) outs
func.func @causal(%q: !q) -> (!q, !q, !q, !q, !q) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %c = arith.cmpi sge, %i, %j : index
    attn.yield %c : i1
  }
  %1 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %j, %i : index
    %c = arith.cmpi sgt, %c1, %d : index
    attn.yield %c : i1
  }
  %2 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %c = arith.cmpi ule, %j, %i : index
    attn.yield %c : i1
  }
  %3 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %one = arith.constant 1 : i64
    %e = arith.addi %i64, %one : i64
    %c = arith.cmpi slt, %j64, %e : i64
    attn.yield %c : i1
  }
  %4 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) causal(top_left) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %c = arith.cmpi sge, %d, %c0 : index
    attn.yield %c : i1
  }
  return %0, %1, %2, %3, %4 : !q, !q, !q, !q, !q
}

// -----

!q = tensor<2x4x?x64xf16>

// CHECK-LABEL: func.func @offsets
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x?x64xf16>, %[[V:.*]]: index, %[[W:.*]]: i64
func.func @offsets(%q: !q, %v: index, %w: i64) -> (!q, !q, !q) {
  %c1 = arith.constant 1 : index
  // CHECK: attn.attention {{.*}}) window(*, 1, %[[V]] : index) outs
  %0 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) window(*, 7, %v : index) mask_mod(%b, %h, %i, %j) {
    %a = arith.addi %v, %c1 : index
    %e = arith.addi %i, %a : index
    %c = arith.cmpi sle, %j, %e : index
    attn.yield %c : i1
  }
  // CHECK: %[[I:.*]] = arith.index_cast %[[W]] : i64 to index
  // CHECK: %[[O:.*]] = arith.addi %[[V]], %[[I]]
  // CHECK: attn.attention {{.*}}) causal(%[[O]] : index) outs
  %1 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %w1 = arith.index_cast %w : i64 to index
    %a = arith.addi %i, %w1 : index
    %a1 = arith.addi %a, %v : index
    %c = arith.cmpi sle, %j, %a1 : index
    attn.yield %c : i1
  }
  // A left bound with a captured width: no key before the diagonal i - v.
  // CHECK: %[[N:.*]] = arith.subi %{{.*}}, %[[V]]
  // CHECK: attn.attention {{.*}}) window(0, *, %[[N]] : index) outs
  %2 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %a = arith.subi %i, %v : index
    %c = arith.cmpi sge, %j, %a : index
    attn.yield %c : i1
  }
  return %0, %1, %2 : !q, !q, !q
}

// -----

!q = tensor<2x4x?x64xf16>

// CHECK-LABEL: func.func @windows
func.func @windows(%q: !q, %v: index, %m: tensor<?x?xi1>) -> (!q, !q, !q, !q, !q) {
  %false = arith.constant false
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  // CHECK: attn.attention {{.*}}) causal(top_left) window(3, *) outs
  %0 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %l = arith.cmpi sle, %d, %c3 : index
    %r = arith.cmpi sle, %j, %i : index
    %c = arith.andi %l, %r : i1
    attn.yield %c : i1
  }
  // CHECK: attn.attention {{.*}}) window(3, 5, top_left) outs
  %1 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %l = arith.cmpi sle, %d, %c3 : index
    %e = arith.addi %i, %c5 : index
    %r = arith.cmpi sge, %e, %j : index
    %c = arith.select %l, %r, %false : i1
    attn.yield %c : i1
  }
  // The window and the diagonal of the op are narrowed.
  // CHECK: attn.attention {{.*}}) causal(%{{.*}} : index) window(1, *) outs
  %2 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) causal(%v : index) window(3, *) mask_mod(%b, %h, %i, %j) {
    %e = arith.addi %j, %c1 : index
    %a = arith.addi %i, %v : index
    %c = arith.cmpi sge, %e, %a : index
    attn.yield %c : i1
  }
  // What is not a band stays.
  // CHECK: attn.attention {{.*}}) causal(top_left) mask_mod(%{{.+}}, %{{.+}}, %[[I:.+]], %[[J:.+]]) {
  // CHECK-NEXT: %[[E:.*]] = tensor.extract %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: attn.yield %[[E]]
  %3 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %r = arith.cmpi sle, %j, %i : index
    %e = tensor.extract %m[%i, %j] : tensor<?x?xi1>
    %c = arith.andi %e, %r : i1
    attn.yield %c : i1
  }
  // CHECK: attn.attention {{.*}}) causal(top_left) window(0, *) outs
  %4 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %c = arith.cmpi eq, %j, %i : index
    attn.yield %c : i1
  }
  return %0, %1, %2, %3, %4 : !q, !q, !q, !q, !q
}

// -----

!q = tensor<2x4x?x64xf16>

// Conditions that are no exact band are left alone.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-6: mask_mod
func.func @kept(%q: !q, %v: index, %n: tensor<2xi32>) -> (!q, !q, !q, !q, !q, !q) {
  %c7 = arith.constant 7 : index
  %0 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %c = arith.cmpi sle, %j, %h : index
    attn.yield %c : i1
  }
  // An unsigned comparison with an offset of unknown sign.
  %1 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %a = arith.addi %i, %v : index
    %c = arith.cmpi ule, %j, %a : index
    attn.yield %c : i1
  }
  // Two diagonals of unknown distance: only lengths tell where the bottom right is.
  %2 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) causal(bottom_right) mask_mod(%b, %h, %i, %j) {
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  %3 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) causal(%n : tensor<2xi32>) mask_mod(%b, %h, %i, %j) {
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  // An empty band.
  %4 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) causal(top_left) mask_mod(%b, %h, %i, %j) {
    %c = arith.cmpi sgt, %j, %i : index
    attn.yield %c : i1
  }
  // i32 positions may wrap.
  %5 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %c = arith.cmpi sle, %j32, %i32 : i32
    attn.yield %c : i1
  }
  return %0, %1, %2, %3, %4, %5 : !q, !q, !q, !q, !q, !q
}

// -----

!q = tensor<2x4x?x64xf16>

// An unsigned comparison of a difference with a constant bounds both sides.
// CHECK-LABEL: func.func @unsigned_window
// CHECK-COUNT-7: attn.attention {{.*}}) causal(top_left) window(127, *) outs
// CHECK-NEXT: attn.attention {{.*}}) window(64, 64, top_left) outs
func.func @unsigned_window(%q: !q) -> (!q, !q, !q, !q, !q, !q, !q, !q) {
  %c64 = arith.constant 64 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %m128 = arith.constant -128 : index
  %m129 = arith.constant -129 : index
  %0 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) window(127, 0, top_left)
  %1 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %c = arith.cmpi ule, %d, %c127 : index
    attn.yield %c : i1
  }
  %2 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %limit = arith.constant 128 : i64
    %d = arith.subi %i64, %j64 : i64
    %c = arith.cmpi ugt, %limit, %d : i64
    attn.yield %c : i1
  }
  // From -127 to 0.
  %3 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %j, %i : index
    %x = arith.addi %d, %c127 : index
    %c = arith.cmpi ult, %x, %c128 : index
    attn.yield %c : i1
  }
  // From -128 to -1.
  %4 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %x = arith.subi %d, %c128 : index
    %c = arith.cmpi uge, %x, %m128 : index
    attn.yield %c : i1
  }
  %5 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %x = arith.subi %d, %c128 : index
    %c = arith.cmpi ugt, %x, %m129 : index
    attn.yield %c : i1
  }
  // Joined with another condition and with the attribute.
  %6 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) causal(top_left) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %near = arith.cmpi ule, %d, %c127 : index
    %wide = arith.cmpi sle, %d, %c128 : index
    %c = arith.andi %near, %wide : i1
    attn.yield %c : i1
  }
  %7 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %j, %i : index
    %x = arith.addi %d, %c64 : index
    %c = arith.cmpi ule, %x, %c128 : index
    attn.yield %c : i1
  }
  return %0, %1, %2, %3, %4, %5, %6, %7 : !q, !q, !q, !q, !q, !q, !q, !q
}

// -----

!q = tensor<2x4x?x64xf16>

// What keeps both ends of the numbers, compares with what is not known, or may wrap around.
// CHECK-LABEL: func.func @unsigned_kept
// CHECK-COUNT-6: mask_mod
func.func @unsigned_kept(%q: !q, %v: index) -> (!q, !q, !q, !q, !q, !q) {
  %c127 = arith.constant 127 : index
  %m5 = arith.constant -5 : index
  %0 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %c = arith.cmpi ule, %d, %m5 : index
    attn.yield %c : i1
  }
  %1 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %c = arith.cmpi ugt, %d, %c127 : index
    attn.yield %c : i1
  }
  %2 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %c = arith.cmpi ule, %d, %v : index
    attn.yield %c : i1
  }
  %3 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %x = arith.addi %d, %v : index
    %c = arith.cmpi ule, %x, %c127 : index
    attn.yield %c : i1
  }
  %4 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %d = arith.addi %i, %j : index
    %c = arith.cmpi ule, %d, %c127 : index
    attn.yield %c : i1
  }
  %5 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask_mod(%b, %h, %i, %j) {
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %limit = arith.constant 127 : i32
    %d = arith.subi %i32, %j32 : i32
    %c = arith.cmpi ule, %d, %limit : i32
    attn.yield %c : i1
  }
  return %0, %1, %2, %3, %4, %5 : !q, !q, !q, !q, !q, !q
}
