!t = tensor<?x?x?x16xf16>
func.func @undecided(%q: !t, %k: !t, %v: !t, %o: !t, %limit: f32) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t)
    mask_mod(%b, %h, %i, %j) {
      %n = arith.subi %i, %j : index
      %n64 = arith.index_cast %n : index to i64
      %x = arith.sitofp %n64 : i64 to f32
      %y = math.sin %x : f32
      %kept = arith.cmpf olt, %y, %limit : f32
      attn.yield %kept : i1
    } outs(%o : !t)
  return %r : !t
}
