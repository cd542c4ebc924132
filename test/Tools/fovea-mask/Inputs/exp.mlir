!t = tensor<?x?x?x64xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t)
    mask_mod(%b, %h, %i, %j) {
      %one = arith.constant 1.0 : f32
      %e = math.exp %one : f32
      %y = arith.cmpf olt, %e, %one : f32
      attn.yield %y : i1
    } outs(%o : !t)
  return %r : !t
}
