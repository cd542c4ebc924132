!t = tensor<?x8x?x48xbf16>
func.func @costs(%q: !t, %k: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
  return %r : !t
}
