// Rows whose mark is negative keep the keys up to one past the diagonal, the other rows those after it.
!t = tensor<1x1x4x16xf32>
func.func @negative(%q: !t, %k: !t, %v: !t, %out: !t) -> !t {
  %past = arith.constant -1 : index
  %table = arith.constant dense<[1, 1, -1, -1]> : tensor<4xi32>
  %zero = arith.constant 0 : i32
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
    %d = arith.subi %i, %j : index
    %near = arith.cmpi sge, %d, %past : index
    %mark = tensor.extract %table[%i] : tensor<4xi32>
    %isNegative = arith.cmpi slt, %mark, %zero : i32
    %keep = arith.cmpi eq, %near, %isNegative : i1
    attn.yield %keep : i1
  } outs(%out : !t)
  return %o : !t
}
