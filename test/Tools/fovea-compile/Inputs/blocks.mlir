!t = tensor<?x?x?x64xbf16>
func.func @blocks(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) causal(top_left) outs(%o : !t)
  return %r : !t
}
