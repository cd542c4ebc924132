// Positions and lengths that are cut to narrow integers on their way: all scores are equal, so that the result is the
// mean of the numbers of the keys that are kept.
// RUN: fovea-compile %s --target=cpu --with-reference -o %t.fovea
// RUN: fovea-run %t.fovea --function=low_byte --arg=0 --arg=0 --arg=expr:i2 --check --expect=expr:191.5
// RUN: fovea-run %t.fovea --function=host --arg=0 --arg=0 --arg=expr:i2 --arg=261 --expect=expr:2.5
// Without a plan, by plain linalg.
// RUN: fovea-opt %s --attn-decompose --attn-cpu-to-llvm | FileCheck %s
// CHECK-LABEL: func.func @low_byte
// CHECK: llvm.trunc %{{.*}} : i64 to i8
!q = tensor<1x1x1x16xf32>
!k = tensor<1x1x300x16xf32>

// Keys whose low byte is negative: 128 to 255.
func.func @low_byte(%q: !q, %k: !k, %v: !k) -> !q {
  %init = tensor.empty() : !q
  %o = attn.attention ins(%q, %k, %v : !q, !k, !k) mask_mod(%b, %h, %i, %j) {
    %zero = arith.constant 0 : index
    %low = arith.index_cast %j : index to i8
    %back = arith.index_cast %low : i8 to index
    %keep = arith.cmpi slt, %back, %zero : index
    attn.yield %keep : i1
  } outs(%init : !q)
  return %o : !q
}

// 261 has the low byte 5.
func.func @host(%q: !q, %k: !k, %v: !k, %n: index) -> !q {
  %init = tensor.empty() : !q
  %low = arith.index_cast %n : index to i8
  %offset = arith.index_cast %low : i8 to index
  %o = attn.attention ins(%q, %k, %v : !q, !k, !k) causal(%offset : index) outs(%init : !q)
  return %o : !q
}
