// RUN: rm -rf %t && split-file %s %t
// RUN: not fovea-compile %t/foreign.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not fovea-compile %t/twice.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not fovea-compile %t/argument.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not fovea-compile %t/loop.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not fovea-compile %t/none.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not fovea-compile %t/empty.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not fovea-compile %t/scalar.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not ls %t/out

//--- foreign.mlir
// FOREIGN: foreign.mlir:{{.*}}: error: 'linalg.fill' cannot become part of an artifact; a function may hold attn.attention
func.func @f(%q: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x4x8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %o = attn.attention ins(%q, %i, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) outs(%e : tensor<1x1x4x8xf32>)
  return %o : tensor<1x1x4x8xf32>
}
//--- twice.mlir
// TWICE: error: results 0 and 1 are the same value; return it once
func.func @f(%q: tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) {
  %e = tensor.empty() : tensor<1x1x4x8xf32>
  %o = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) outs(%e : tensor<1x1x4x8xf32>)
  return %o, %o : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
}
//--- argument.mlir
// ARGUMENT: error: result 1 is not the result of an attention op, as an artifact needs
func.func @f(%q: tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) {
  %e = tensor.empty() : tensor<1x1x4x8xf32>
  %o = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) outs(%e : tensor<1x1x4x8xf32>)
  return %o, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
}
//--- loop.mlir
// LOOP: error: has control flow, which an artifact cannot hold
func.func @f(%c: i1, %q: tensor<1x1x4x8xf32>, %k: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %q : tensor<1x1x4x8xf32>
^b:
  %e = tensor.empty() : tensor<1x1x4x8xf32>
  %o = attn.attention ins(%q, %k, %k : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) outs(%e : tensor<1x1x4x8xf32>)
  return %o : tensor<1x1x4x8xf32>
}
//--- none.mlir
// NONE: error: holds no attention op, so there is nothing to compile
func.func @f(%q: memref<1x1x4x8xf32>) {
  return
}
//--- empty.mlir
// EMPTY: error: the module has no function to compile
module {}
//--- scalar.mlir
// SCALAR: error: this 'f32' is computed in the function; an artifact takes it as an argument or constant
func.func @f(%q: tensor<1x1x4x8xf32>, %a: f32) -> tensor<1x1x4x8xf32> {
  %s = arith.mulf %a, %a : f32
  %e = tensor.empty() : tensor<1x1x4x8xf32>
  %o = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) scale(%s) outs(%e : tensor<1x1x4x8xf32>)
  return %o : tensor<1x1x4x8xf32>
}
