!t = tensor<?x8x?x128xf16>
func.func @tuned(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) outs(%o : !t)
  return %r : !t
}

func.func @full(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}
