// A sliding window: a query sees its own key and the 255 before it.
!qkv = tensor<?x?x?x64xbf16>

func.func @sliding_window(%q: !qkv, %k: !qkv, %v: !qkv) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) window(255, 0, bottom_right)
      outs(%init : !qkv)
  return %o : !qkv
}
