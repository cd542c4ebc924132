func.func @f(%q: tensor<1x2x3x40xbf16>, %k: tensor<1x1x70x40xbf16>, %v: tensor<1x1x70x24xbf16>, %sink: tensor<2xf32>, %documents: tensor<?x?xi32>) -> (tensor<1x2x3x24xf32>, tensor<1x2x3xf32>) {
  %dim0 = arith.constant 0 : index
  %dim1 = arith.constant 1 : index
  %dim2 = arith.constant 2 : index
  %out = tensor.empty() : tensor<1x2x3x24xf32>
  %lse = tensor.empty() : tensor<1x2x3xf32>
  %new_out, %new_lse = attn.attention
    ins(%q, %k, %v : tensor<1x2x3x40xbf16>, tensor<1x1x70x40xbf16>, tensor<1x1x70x24xbf16>)
    sink(%sink : tensor<2xf32>)
    mask_mod(%b, %h, %i, %j) {
      %di = tensor.extract %documents[%b, %i] : tensor<?x?xi32>
      %dj = tensor.extract %documents[%b, %j] : tensor<?x?xi32>
      %y = arith.cmpi eq, %di, %dj : i32
      attn.yield %y : i1
    }
    outs(%out, %lse : tensor<1x2x3x24xf32>, tensor<1x2x3xf32>)
  return %new_out, %new_lse : tensor<1x2x3x24xf32>, tensor<1x2x3xf32>
}
