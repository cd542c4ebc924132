func.func @small(%q: tensor<1x2x5x16xf32>, %k: tensor<1x2x7x16xf32>) -> tensor<1x2x5x16xf32> {
  %e = tensor.empty() : tensor<1x2x5x16xf32>
  %o = attn.attention ins(%q, %k, %k : tensor<1x2x5x16xf32>, tensor<1x2x7x16xf32>, tensor<1x2x7x16xf32>) outs(%e : tensor<1x2x5x16xf32>)
  return %o : tensor<1x2x5x16xf32>
}
