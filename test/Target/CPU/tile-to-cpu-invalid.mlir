// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-tile-to-cpu))' --split-input-file --verify-diagnostics

func.func @right_side(%x: tensor<32x16xf32>, %y: tensor<32x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @below {{needs the result of attn_tile.load as its right side on the CPU}}
  %s = attn_tile.dot %x, %y, %zero {transpose_rhs} : tensor<32x16xf32>, tensor<32x16xf32> -> tensor<32x32xf32>
  return
}

// -----

func.func @ones(%v: memref<?x16xf32>, %i: index) {
  // expected-error @below {{columns of ones have no lowering on the CPU}}
  %t = attn_tile.load %v[%i, %i] {row_dim = 0, ones = 8} : memref<?x16xf32> -> tensor<32x24xf32>
  return
}

// -----

func.func @unknown_op(%x: f32) {
  %t = attn_tile.splat %x : f32 -> tensor<32x16xf32>
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tensor.extract' on tiles has no lowering on the CPU; use attn_tile, arith or math operations}}
  %e = tensor.extract %t[%c0, %c0] : tensor<32x16xf32>
  return
}

// -----

func.func @unknown_loop(%x: f32, %go: i1) {
  %t = attn_tile.splat %x : f32 -> tensor<32xf32>
  // expected-error @below {{'scf.while' around tiles has no lowering on the CPU; use scf.for or scf.if}}
  %r = scf.while (%a = %t) : (tensor<32xf32>) -> tensor<32xf32> {
    scf.condition(%go) %a : tensor<32xf32>
  } do {
  ^bb0(%a: tensor<32xf32>):
    scf.yield %a : tensor<32xf32>
  }
  return
}

// -----

// expected-error @below {{has branches; a kernel at the tile level has structured loops alone}}
func.func @branches() {
  cf.br ^end
^end:
  return
}

// -----

func.func @swap(%n: index, %m: memref<32xf32, strided<[?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = attn_tile.load %m[%c0] {row_dim = 0} : memref<32xf32, strided<[?], offset: ?>> -> tensor<32xf32>
  %y = arith.addf %x, %x : tensor<32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<32xf32>, tensor<32xf32>) {
    // expected-error @below {{passes one loop-carried tile on as another, which has no lowering on the CPU}}
    scf.yield %b, %a : tensor<32xf32>, tensor<32xf32>
  }
  attn_tile.store %r#0, %m[%c0] {row_dim = 0} : tensor<32xf32> -> memref<32xf32, strided<[?], offset: ?>>
  return
}
