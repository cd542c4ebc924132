// A constant that all kernels read.
!q = tensor<2x8x?x64xbf16>
func.func @table(%q: !q, %k: !q, %v: !q) -> !q {
  %c2 = arith.constant 2 : index
  %length = tensor.dim %q, %c2 : !q
  %init = tensor.empty(%length) : !q
  %slopes = arith.constant dense<[0.5, 0.25, 0.125, 0.1, 0.2, 0.3, 0.4, 0.6]> : tensor<8xf32>
  %o = attn.attention ins(%q, %k, %v : !q, !q, !q)
      score_mod(%s, %b, %h, %i, %j) {
        %m = tensor.extract %slopes[%h] : tensor<8xf32>
        %r = arith.mulf %s, %m : f32
        attn.yield %r : f32
      }
      outs(%init : !q)
  return %o : !q
}
