func.func @f(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %scale: f32, %bias: tensor<1x?x?x?xf32>, %mask: tensor<?x1x1x?xi1>, %sink: tensor<?xf32>, %kv_lengths: tensor<?xi32>) -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %dim0 = arith.constant 0 : index
  %dim1 = arith.constant 1 : index
  %dim2 = arith.constant 2 : index
  %size0 = tensor.dim %q, %dim0 : tensor<?x?x?x64xf16>
  %size1 = tensor.dim %q, %dim1 : tensor<?x?x?x64xf16>
  %size2 = tensor.dim %q, %dim2 : tensor<?x?x?x64xf16>
  %out = tensor.empty(%size0, %size1, %size2) : tensor<?x?x?x64xf16>
  %lse = tensor.empty(%size0, %size1, %size2) : tensor<?x?x?xf32>
  %new_out, %new_lse = attn.attention
    ins(%q, %k, %v : tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
    scale(%scale)
    causal(bottom_right)
    window(40, 5)
    bias(%bias : tensor<1x?x?x?xf32>)
    mask(%mask : tensor<?x1x1x?xi1>)
    sink(%sink : tensor<?xf32>)
    kv_lengths(%kv_lengths : tensor<?xi32>)
    score_mod(%s, %b, %h, %i, %j) {
      %cap = arith.constant 2.0 : f32
      %r = arith.divf %s, %cap : f32
      %t = math.tanh %r : f32
      %y = arith.mulf %t, %cap : f32
      attn.yield %y : f32
    }
    mask_mod(%b, %h, %i, %j) {
      %c3 = arith.constant 3 : index
      %c10 = arith.constant 10 : index
      %c0m = arith.constant 0 : index
      %r = arith.remui %i, %c3 : index
      %a = arith.cmpi ne, %r, %c0m : index
      %n = arith.addi %i, %c10 : index
      %l = arith.cmpi slt, %j, %n : index
      %y = arith.andi %a, %l : i1
      attn.yield %y : i1
    }
    outs(%out, %lse : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>)
  return %new_out, %new_lse : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
