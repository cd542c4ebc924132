func.func @f(%q: tensor<1x1x?x64xf32>, %k: tensor<1x1x?x64xf32>, %v: tensor<1x1x?x64xf32>, %o: tensor<1x1x?x64xf32>) -> tensor<1x1x?x64xf32> {
  %r = attn.attention ins(%q, %k, %v : tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>) window(9223372036854775807, *, bottom_right) outs(%o : tensor<1x1x?x64xf32>)
  return %r : tensor<1x1x?x64xf32>
}
