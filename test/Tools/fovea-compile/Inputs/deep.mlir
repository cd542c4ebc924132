!t = tensor<?x?x?x256xf16>
!l = tensor<?x?x?xf32>
func.func @deep(%q: !t, %k: !t, %v: !t, %o: !t, %e: !l) -> (!t, !l) {
  %r:2 = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%o, %e : !t, !l)
  return %r#0, %r#1 : !t, !l
}
