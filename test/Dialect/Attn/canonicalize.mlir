// RUN: fovea-opt %s --canonicalize --split-input-file | FileCheck %s

!q = tensor<2x4x?x64xf16>

// CHECK-LABEL: func.func @constants
// CHECK-NOT: arith.constant
// CHECK: attn.attention ins({{.*}}) scale(2.500000e-01) outs({{.*}})
func.func @constants(%q: !q) -> !q {
  %scale = arith.constant 0.25 : f32
  %true = arith.constant dense<true> : tensor<1x1x1x1xi1>
  %zero = arith.constant dense<-0.0> : tensor<1x1x1x1xf16>
  %inf = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %r = attn.attention ins(%q, %q, %q : !q, !q, !q) scale(%scale) mask(%true : tensor<1x1x1x1xi1>)
         bias(%zero : tensor<1x1x1x1xf16>) sink(%inf : tensor<4xf32>) base(%c0, %c0, %c0, %c0)
         score_mod(%s, %b, %h, %i, %j) { attn.yield %s : f32 }
         mask_mod(%b, %h, %i, %j) {
           %c = arith.constant true
           attn.yield %c : i1
         }
         outs(%q : !q)
  return %r : !q
}

// CHECK-LABEL: func.func @dead_lse
// CHECK: %[[R:.*]] = attn.attention {{.*}} outs(%{{.*}} : tensor<2x4x?x64xf16>)
// CHECK: return %[[R]]
func.func @dead_lse(%q: !q, %lse: tensor<2x4x?xf32>) -> !q {
  %r:2 = attn.attention ins(%q, %q, %q : !q, !q, !q) outs(%q, %lse : !q, tensor<2x4x?xf32>)
  return %r#0 : !q
}

// An infinite scale is not an attribute.
// CHECK-LABEL: func.func @infinite_scale
// CHECK: scale(%{{.*}}) outs
func.func @infinite_scale(%q: !q) -> !q {
  %scale = arith.constant 0x7F800000 : f32
  %r = attn.attention ins(%q, %q, %q : !q, !q, !q) scale(%scale) outs(%q : !q)
  return %r : !q
}

// The operands of an op with a plan keep their numbers.
// CHECK-LABEL: func.func @planned
// CHECK: scale(%{{.*}}) outs
func.func @planned(%q: !q) -> !q {
  %scale = arith.constant 0.25 : f32
  %r = attn.attention ins(%q, %q, %q : !q, !q, !q) scale(%scale) outs(%q : !q) {attn.plan = []}
  return %r : !q
}

// CHECK-LABEL: func.func @cast
// CHECK: %[[R:.*]] = attn.attention ins({{.*}} : tensor<2x4x8x64xf16>, tensor<2x4x8x64xf16>, tensor<2x4x8x64xf16>)
// CHECK-SAME: outs({{.*}} : tensor<2x4x8x64xf16>)
func.func @cast(%q: tensor<2x4x8x64xf16>) -> !q {
  %c = tensor.cast %q : tensor<2x4x8x64xf16> to !q
  %r = attn.attention ins(%c, %c, %c : !q, !q, !q) outs(%c : !q)
  return %r : !q
}

// -----

!q = tensor<2x4x?x64xf16>

// CHECK-LABEL: func.func @diagonals
func.func @diagonals(%q: !q, %v: index, %n: tensor<2xi32>) -> (!q, !q, !q, !q, !q, !q, !q) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %cm3 = arith.constant -3 : index
  %c5 = arith.constant dense<5> : tensor<2xi32>
  // CHECK: attn.attention {{.*}}) causal(top_left) outs
  %0 = attn.attention ins(%q, %q, %q : !q, !q, !q) causal(%c0 : index) outs(%q : !q)
  // CHECK: attn.attention {{.*}}) window(*, 3, top_left) outs
  %1 = attn.attention ins(%q, %q, %q : !q, !q, !q) causal(%c3 : index) outs(%q : !q)
  // A diagonal that the other attributes cannot say.
  // CHECK: attn.attention {{.*}}) causal(%c-3 : index) outs
  %2 = attn.attention ins(%q, %q, %q : !q, !q, !q) causal(%cm3 : index) outs(%q : !q)
  // CHECK: attn.attention {{.*}}) window(2, 6, top_left) outs
  %3 = attn.attention ins(%q, %q, %q : !q, !q, !q) window(7, 1, %c5 : tensor<2xi32>) outs(%q : !q)
  // window(L, 0) is causal with a window on the left.
  // CHECK: attn.attention {{.*}}) causal(bottom_right) window(7, *) outs
  %4 = attn.attention ins(%q, %q, %q : !q, !q, !q) window(7, 0, bottom_right) outs(%q : !q)
  // CHECK: attn.attention {{.*}}) causal(bottom_right) outs
  %5 = attn.attention ins(%q, %q, %q : !q, !q, !q) causal(bottom_right) window(*, 3) outs(%q : !q)
  // CHECK: attn.attention {{.*}}) causal(%{{.*}} : tensor<2xi32>) window(3, *) outs
  %6 = attn.attention ins(%q, %q, %q : !q, !q, !q) window(3, 0, %n : tensor<2xi32>) outs(%q : !q)
  return %0, %1, %2, %3, %4, %5, %6 : !q, !q, !q, !q, !q, !q, !q
}

// -----

!q = tensor<2x2x200x64xf16>

// Equal masks written in different ways are one op.
// CHECK-LABEL: func.func @one_form
// CHECK-COUNT-6: attn.attention {{.*}}) causal(top_left) outs
// CHECK: attn.attention ins({{[^)]*}}) outs
// CHECK: attn.attention {{.*}}) causal(top_left) window(198, *) outs
// CHECK: attn.attention {{.*}}) window(198, *, top_left) base
func.func @one_form(%q: !q) -> (!q, !q, !q, !q, !q, !q, !q, !q, !q) {
  %c1 = arith.constant 1 : index
  %0 = attn.attention ins(%q, %q, %q : !q, !q, !q) window(199, 0, top_left) outs(%q : !q)
  %1 = attn.attention ins(%q, %q, %q : !q, !q, !q) window(200, 0, bottom_right) outs(%q : !q)
  %2 = attn.attention ins(%q, %q, %q : !q, !q, !q) window(*, 0, top_left) outs(%q : !q)
  %3 = attn.attention ins(%q, %q, %q : !q, !q, !q) causal(bottom_right) outs(%q : !q)
  %4 = attn.attention ins(%q, %q, %q : !q, !q, !q) causal(top_left) outs(%q : !q)
  %5 = attn.attention ins(%q, %q, %q : !q, !q, !q) mask_mod(%b, %h, %i, %j) {
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  } outs(%q : !q)
  %6 = attn.attention ins(%q, %q, %q : !q, !q, !q) window(199, 199, top_left) outs(%q : !q)
  %7 = attn.attention ins(%q, %q, %q : !q, !q, !q) window(198, 0, top_left) outs(%q : !q)
  %8 = attn.attention ins(%q, %q, %q : !q, !q, !q) base(%c1, %c1, %c1, %c1) window(199, *, %c1 : index) outs(%q : !q)
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : !q, !q, !q, !q, !q, !q, !q, !q, !q
}

// -----

!q = tensor<2x2x1x64xf16>
!k = tensor<2x2x?x64xf16>

// One query at the bottom right sees every key, whatever the lengths; at the top left it does not.
// CHECK-LABEL: func.func @decode
// CHECK: attn.attention {{.*}} kv_lengths({{.*}}) outs
// CHECK: attn.attention {{.*}}) causal(top_left) outs
// CHECK: attn.attention {{.*}}) causal(bottom_right) base
func.func @decode(%q: !q, %k: !k, %n: tensor<2xi64>, %c: index) -> (!q, !q, !q) {
  %0 = attn.attention ins(%q, %k, %k : !q, !k, !k) causal(bottom_right) kv_lengths(%n : tensor<2xi64>) outs(%q : !q)
  %1 = attn.attention ins(%q, %k, %k : !q, !k, !k) causal(top_left) outs(%q : !q)
  %2 = attn.attention ins(%q, %k, %k : !q, !k, !k) causal(bottom_right) base(%c, %c, %c, %c) outs(%q : !q)
  return %0, %1, %2 : !q, !q, !q
}
