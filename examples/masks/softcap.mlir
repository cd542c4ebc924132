// Softcapping: scores lie within -30 and 30. allow_approx takes the tanh of the hardware.
!qkv = tensor<?x?x?x64xbf16>

func.func @softcap(%q: !qkv, %k: !qkv, %v: !qkv) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %cap = arith.constant 30.0 : f32
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) causal(top_left)
      score_mod(%s, %b, %h, %i, %j) {
        %x = arith.divf %s, %cap : f32
        %y = math.tanh %x : f32
        %t = arith.mulf %y, %cap : f32
        attn.yield %t : f32
      }
      outs(%init : !qkv) {allow_approx}
  return %o : !qkv
}
