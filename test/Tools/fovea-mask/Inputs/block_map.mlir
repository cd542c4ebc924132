!q = tensor<?x?x?x16xf32>
func.func @block_map(%q: !q, %k: !q, %v: !q, %o: !q, %map: tensor<?x1x?x?xi8>) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q) causal(top_left) block_map(%map : tensor<?x1x?x?xi8>, 64, 64)
    mask_mod(%b, %h, %i, %j) {
      %c2 = arith.constant 2 : index
      %c0 = arith.constant 0 : index
      %odd = arith.remui %j, %c2 : index
      %kept = arith.cmpi eq, %odd, %c0 : index
      attn.yield %kept : i1
    } outs(%o : !q)
  return %r : !q
}
