// Causal grouped-query attention: 32 query heads share 8 key/value heads. Any batch size and length.
!q = tensor<?x32x?x128xbf16>
!kv = tensor<?x8x?x128xbf16>

func.func @causal_gqa(%q: !q, %k: !kv, %v: !kv) -> !q {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !q
  %length = tensor.dim %q, %c2 : !q
  %init = tensor.empty(%batch, %length) : !q
  %o = attn.attention ins(%q, %k, %v : !q, !kv, !kv) causal(bottom_right) outs(%init : !q)
  return %o : !q
}
