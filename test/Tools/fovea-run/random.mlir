// Under --random, sizes that nothing fixes fit the others: K follows Q, and what a region reads reaches as far as any index.
// RUN: fovea-run %s --target=cpu --random --dim=1.0=2 --dim=1.1=3 --dim=1.2=50 --check | FileCheck %s
// CHECK: function  f(arg0: 50x50xi32, arg1: 2x3x50x16xf32, arg2: 2x3x50x16xf32, arg3: 2x3x50x16xf32, arg4: 50xf32)
// CHECK: near
!t = tensor<?x?x?x16xf32>
func.func @f(%documents: tensor<?x?xi32>, %q: !t, %k: !t, %v: !t, %table: tensor<?xf32>) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !t
  %heads = tensor.dim %q, %c1 : !t
  %length = tensor.dim %q, %c2 : !t
  %init = tensor.empty(%batch, %heads, %length) : !t
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t)
      score_mod(%s, %b, %h, %i, %j) {
        %offset = tensor.extract %table[%j] : tensor<?xf32>
        %t = arith.addf %s, %offset : f32
        attn.yield %t : f32
      }
      mask_mod(%b, %h, %i, %j) {
        %mine = tensor.extract %documents[%b, %i] : tensor<?x?xi32>
        %other = tensor.extract %documents[%b, %j] : tensor<?x?xi32>
        %keep = arith.cmpi sge, %mine, %other : i32
        attn.yield %keep : i1
      } outs(%init : !t)
  return %o : !t
}
