// Decoding over a cache of fixed capacity: each sequence of the batch has its own length, read on the device.
// What lies in the cache past a length, garbage or NaN, has no effect.
!q = tensor<?x32x?x128xf16>
!cache = tensor<?x8x?x128xf16>

func.func @decode(%q: !q, %k: !cache, %v: !cache, %lengths: tensor<?xi32>) -> !q {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !q
  %steps = tensor.dim %q, %c2 : !q
  %init = tensor.empty(%batch, %steps) : !q
  %o = attn.attention ins(%q, %k, %v : !q, !cache, !cache)
      causal(bottom_right) kv_lengths(%lengths : tensor<?xi32>) outs(%init : !q)
  return %o : !q
}
