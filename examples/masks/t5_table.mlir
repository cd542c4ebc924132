// T5's relative bias from a table of all distances: column j - i + Sq - 1 of the row of a head.
!qkv = tensor<?x?x?x64xbf16>

func.func @t5_table(%q: !qkv, %k: !qkv, %v: !qkv, %table: tensor<?x?xf32>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %last = arith.subi %length, %c1 : index
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv)
      score_mod(%s, %b, %h, %i, %j) {
        %ahead = arith.subi %j, %i : index
        %column = arith.addi %ahead, %last : index
        %bias = tensor.extract %table[%h, %column] : tensor<?x?xf32>
        %t = arith.addf %s, %bias : f32
        attn.yield %t : f32
      }
      outs(%init : !qkv)
  return %o : !qkv
}
