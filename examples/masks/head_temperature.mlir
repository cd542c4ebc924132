// A temperature for each head: its scores are divided by it.
!qkv = tensor<?x?x?x64xbf16>

func.func @head_temperature(%q: !qkv, %k: !qkv, %v: !qkv, %temperatures: tensor<?xf32>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) causal(top_left)
      score_mod(%s, %b, %h, %i, %j) {
        %temperature = tensor.extract %temperatures[%h] : tensor<?xf32>
        %t = arith.divf %s, %temperature : f32
        attn.yield %t : f32
      }
      outs(%init : !qkv)
  return %o : !qkv
}
