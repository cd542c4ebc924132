// Random integers of a narrow type stay in [0, L] and in their type: none is negative, so that all keys are kept.
// RUN: fovea-compile %s --target=cpu -o %t.fovea
// RUN: fovea-run %t.fovea --arg=0 --arg=0 --arg=expr:i2 --arg=random --expect=expr:299.5
!q = tensor<1x1x1x16xf32>
!k = tensor<1x1x600x16xf32>
func.func @f(%q: !q, %k: !k, %v: !k, %table: tensor<600xi8>) -> !q {
  %init = tensor.empty() : !q
  %o = attn.attention ins(%q, %k, %v : !q, !k, !k) mask_mod(%b, %h, %i, %j) {
    %zero = arith.constant 0 : i8
    %t = tensor.extract %table[%j] : tensor<600xi8>
    %keep = arith.cmpi sge, %t, %zero : i8
    attn.yield %keep : i1
  } outs(%init : !q)
  return %o : !q
}
