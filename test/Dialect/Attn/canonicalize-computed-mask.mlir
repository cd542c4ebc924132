// RUN: fovea-opt %s --canonicalize --split-input-file | FileCheck %s

// A boolean tensor that provably equals causal, a window or a region is the same op as one that says so.

!t = tensor<2x4x4x64xf16>

// CHECK-LABEL: func.func @constant_tril
// CHECK-NOT: mask
// CHECK: causal(top_left) outs
func.func @constant_tril(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %mask = arith.constant dense<[[[[true, false, false, false], [true, true, false, false],
                                  [true, true, true, false], [true, true, true, true]]]]> : tensor<1x1x4x4xi1>
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask(%mask : tensor<1x1x4x4xi1>) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<2x4x4x64xf16>

// CHECK-LABEL: func.func @constant_band
// CHECK: causal(top_left) window(1, *)
func.func @constant_band(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %mask = arith.constant dense<[[[[true, false, false, false], [true, true, false, false],
                                  [false, true, true, false], [false, false, true, true]]]]> : tensor<1x1x4x4xi1>
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask(%mask : tensor<1x1x4x4xi1>) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<2x4x4x64xf16>

// One pair is missing: no band.
// CHECK-LABEL: func.func @constant_other
// CHECK: mask(%{{.*}} : tensor<1x1x4x4xi1>)
func.func @constant_other(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %mask = arith.constant dense<[[[[true, false, false, false], [true, true, false, false],
                                  [true, false, true, false], [true, true, true, true]]]]> : tensor<1x1x4x4xi1>
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask(%mask : tensor<1x1x4x4xi1>) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x?x?x64xf16>
#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @computed_tril
// CHECK-NOT: linalg
// CHECK: causal(top_left) outs
func.func @computed_tril(%q: !t, %k: !t, %v: !t, %o: !t, %n: index, %m: index) -> !t {
  %empty = tensor.empty(%n, %m) : tensor<?x?xi1>
  %tril = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x?xi1>) {
  ^bb0(%before: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %later = arith.cmpi sgt, %j, %i : index
    %true = arith.constant true
    %kept = arith.xori %later, %true : i1
    linalg.yield %kept : i1
  } -> tensor<?x?xi1>
  %mask = tensor.expand_shape %tril [[0, 1, 2], [3]] output_shape [1, 1, %n, %m] : tensor<?x?xi1> into tensor<1x1x?x?xi1>
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask(%mask : tensor<1x1x?x?xi1>) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x?x?x64xf16>
#all = affine_map<(b, h, i, j) -> (b, h, i, j)>
#bi = affine_map<(b, h, i, j) -> (b, i)>
#bj = affine_map<(b, h, i, j) -> (b, j)>

// A mask of all pairs that is made of what stands for each position: the op reads that, and the matrix is never made.
// CHECK-LABEL: func.func @documents
// CHECK-SAME: %[[DOCUMENTS:[a-z0-9]*]]: tensor<?x?xi32>
// CHECK-NOT: linalg
// CHECK: mask_mod(%[[B:.*]], %[[H:.*]], %[[I:.*]], %[[J:.*]]) {
// CHECK-DAG: tensor.extract %[[DOCUMENTS]][%[[B]], %[[I]]]
// CHECK-DAG: tensor.extract %[[DOCUMENTS]][%[[B]], %[[J]]]
// CHECK: arith.cmpi eq
func.func @documents(%q: !t, %k: !t, %v: !t, %o: !t, %documents: tensor<?x?xi32>, %n: index, %m: index) -> !t {
  %empty = tensor.empty(%n, %m, %m) : tensor<?x1x?x?xi1>
  %mask = linalg.generic {indexing_maps = [#bi, #bj, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%documents, %documents : tensor<?x?xi32>, tensor<?x?xi32>) outs(%empty : tensor<?x1x?x?xi1>) {
  ^bb0(%mine: i32, %other: i32, %before: i1):
    %kept = arith.cmpi eq, %mine, %other : i32
    linalg.yield %kept : i1
  } -> tensor<?x1x?x?xi1>
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask(%mask : tensor<?x1x?x?xi1>) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<?x?x?x64xf16>
#id = affine_map<(i, j) -> (i, j)>

// Numbers of rows and columns as tensors, compared; a region that is there stays.
// CHECK-LABEL: func.func @compared_tensors
// CHECK: causal(top_left)
// CHECK: mask_mod
// CHECK: tensor.extract
// CHECK-NOT: linalg
// CHECK: outs
func.func @compared_tensors(%q: !t, %k: !t, %v: !t, %o: !t, %kept: tensor<?xi1>) -> !t {
  %empty = tensor.empty() : tensor<1x1x8x8xi64>
  %rows = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>],
                          iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<1x1x8x8xi64>) {
  ^bb0(%before: i64):
    %i = linalg.index 2 : index
    %i64 = arith.index_cast %i : index to i64
    linalg.yield %i64 : i64
  } -> tensor<1x1x8x8xi64>
  %columns = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>],
                             iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<1x1x8x8xi64>) {
  ^bb0(%before: i64):
    %j = linalg.index 3 : index
    %j32 = arith.index_cast %j : index to i64
    linalg.yield %j32 : i64
  } -> tensor<1x1x8x8xi64>
  %mask = arith.cmpi sle, %columns, %rows : tensor<1x1x8x8xi64>
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask(%mask : tensor<1x1x8x8xi1>)
      mask_mod(%b, %h, %i, %j) {
        %y = tensor.extract %kept[%j] : tensor<?xi1>
        attn.yield %y : i1
      } outs(%o : !t)
  return %r : !t
}
