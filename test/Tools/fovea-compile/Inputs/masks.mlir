!t = tensor<?x?x?x16xf16>

func.func @masks(%q: !t, %k: !t, %v: !t, %o: !t, %documents: tensor<?xi32>, %lengths: tensor<?xi32>) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) kv_lengths(%lengths : tensor<?xi32>)
    mask_mod(%b, %h, %i, %j) {
      %earlier = arith.cmpi uge, %i, %j : index
      %mine = tensor.extract %documents[%i] : tensor<?xi32>
      %other = tensor.extract %documents[%j] : tensor<?xi32>
      %same = arith.cmpi eq, %mine, %other : i32
      %kept = arith.andi %earlier, %same : i1
      attn.yield %kept : i1
    } outs(%o : !t)
  return %r : !t
}

func.func @undecided(%q: !t, %k: !t, %v: !t, %o: !t, %mask: tensor<1x1x?x?xi1>, %map: tensor<1x1x?x?xi8>) -> !t {
  %half = arith.constant 0.5 : f32
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask(%mask : tensor<1x1x?x?xi1>)
    block_map(%map : tensor<1x1x?x?xi8>, 128, 64)
    mask_mod(%b, %h, %i, %j) {
      %n = arith.subi %i, %j : index
      %n64 = arith.index_cast %n : index to i64
      %x = arith.sitofp %n64 : i64 to f32
      %kept = arith.cmpf olt, %x, %half : f32
      attn.yield %kept : i1
    } outs(%o : !t)
  return %r : !t
}

func.func @plain(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}
