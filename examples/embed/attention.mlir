func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %init = tensor.empty() : tensor<2x4x8x16xf32>
  %o = attn.attention ins(%q, %k, %k : tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>) outs(%init : tensor<2x4x8x16xf32>)
  return %o : tensor<2x4x8x16xf32>
}
