// RUN: fovea-reduce %s -opt-reduction-pass='opt-pass=symbol-dce test=%S/Inputs/has-attention.sh' | FileCheck %s

// What the fault does not need goes.
// CHECK: func.func @fault
// CHECK: attn.attention
// CHECK-NOT: func.func private @other
func.func @fault(%q: tensor<1x1x4x8xf32>) {
  %r = attn.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) outs(%q : tensor<1x1x4x8xf32>)
  return
}

func.func private @other() {
  return
}
