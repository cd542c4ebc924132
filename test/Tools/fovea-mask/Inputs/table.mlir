// Keeps what a table of the keys says, of up to %length keys.
!q = tensor<?x4x?x16xf32>
func.func @table(%q: !q, %k: !q, %v: !q, %o: !q, %table: tensor<?xi32>, %lengths: tensor<2xi32>, %mask: tensor<1x1x?x?xi1>)
    -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q) causal(top_left) kv_lengths(%lengths : tensor<2xi32>)
    mask(%mask : tensor<1x1x?x?xi1>)
    mask_mod(%b, %h, %i, %j) {
      %entry = tensor.extract %table[%j] : tensor<?xi32>
      %zero = arith.constant 0 : i32
      %kept = arith.cmpi ne, %entry, %zero : i32
      attn.yield %kept : i1
    } outs(%o : !q)
  return %r : !q
}
