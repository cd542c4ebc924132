// A sliding window of 128 keys with one learned sink logit per head, as in models with attention sinks.
!q = tensor<?x64x?x64xbf16>
!kv = tensor<?x8x?x64xbf16>

func.func @window_sinks(%q: !q, %k: !kv, %v: !kv, %sink: tensor<64xf32>) -> !q {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !q
  %length = tensor.dim %q, %c2 : !q
  %init = tensor.empty(%batch, %length) : !q
  %o = attn.attention ins(%q, %k, %v : !q, !kv, !kv)
      window(127, 0, bottom_right) sink(%sink : tensor<64xf32>) outs(%init : !q)
  return %o : !q
}
