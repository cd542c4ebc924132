// Windows of 384, 640 and 641 keys, and one without an end on the right.
!t = tensor<?x?x?x64xbf16>
func.func @least(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) window(383, 0, top_left) outs(%init : !t)
  return %o : !t
}
func.func @wide(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) window(320, 319, top_left) outs(%init : !t)
  return %o : !t
}
func.func @wider(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) window(320, 320, top_left) outs(%init : !t)
  return %o : !t
}
func.func @open(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) window(127, *, top_left) outs(%init : !t)
  return %o : !t
}
