// Attention between two elementwise ops of another dialect: queries are scaled before, a residual is added after. The schedule
// in schedule.mlir makes one loop nest of all three.
#id = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i, d) -> (h, d)>

func.func @layer(%q: tensor<2x4x?x16xf32>, %k: tensor<2x2x?x16xf32>, %v: tensor<2x2x?x16xf32>, %scale: tensor<4x16xf32>,
                 %residual: tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32> {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %q, %c2 : tensor<2x4x?x16xf32>
  %init = tensor.empty(%n) : tensor<2x4x?x16xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q, %scale : tensor<2x4x?x16xf32>, tensor<4x16xf32>) outs(%init : tensor<2x4x?x16xf32>) {
    ^bb0(%x: f32, %s: f32, %out: f32):
      %y = arith.mulf %x, %s : f32
      linalg.yield %y : f32
  } -> tensor<2x4x?x16xf32>
  %o = attn.attention ins(%scaled, %k, %v : tensor<2x4x?x16xf32>, tensor<2x2x?x16xf32>, tensor<2x2x?x16xf32>)
         causal(bottom_right) outs(%init : tensor<2x4x?x16xf32>)
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%o, %residual : tensor<2x4x?x16xf32>, tensor<2x4x?x16xf32>) outs(%init : tensor<2x4x?x16xf32>) {
    ^bb0(%x: f32, %r: f32, %out: f32):
      %y = arith.addf %x, %r : f32
      linalg.yield %y : f32
  } -> tensor<2x4x?x16xf32>
  return %sum : tensor<2x4x?x16xf32>
}
