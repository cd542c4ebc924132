// An additive bias for each head, query and key, the same for all batch entries.
!qkv = tensor<?x?x?x64xbf16>

func.func @additive_bias(%q: !qkv, %k: !qkv, %v: !qkv, %bias: tensor<1x?x?x?xbf16>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) bias(%bias : tensor<1x?x?x?xbf16>)
      outs(%init : !qkv)
  return %o : !qkv
}
