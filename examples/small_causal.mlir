// A small causal attention in f32 of any batch size, head count and length, for examples/launch.c.
!t = tensor<?x?x?x16xf32>

func.func @small_causal(%q: !t, %k: !t, %v: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !t
  %heads = tensor.dim %q, %c1 : !t
  %length = tensor.dim %q, %c2 : !t
  %init = tensor.empty(%batch, %heads, %length) : !t
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) causal(top_left) outs(%init : !t)
  return %o : !t
}
