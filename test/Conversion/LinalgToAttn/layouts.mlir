// RUN: fovea-opt %s --attn-raise --verify-diagnostics | FileCheck %s --implicit-check-not=linalg.softmax --implicit-check-not=linalg.contract --implicit-check-not=linalg.generic

#ckq = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#ckk = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#cks = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#cvp = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#cvv = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#cvo = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
#gkk = affine_map<(b, h, i, j, d) -> (b, j, h, d)>
#gqq = affine_map<(b, h, i, j, d) -> (b, i, h, d)>
#pq = affine_map<(i, p, j, d) -> (i, d)>
#pk = affine_map<(i, p, j, d) -> (p, j, d)>
#ps = affine_map<(i, p, j, d) -> (i, p, j)>
#pp = affine_map<(i, d, p, j) -> (i, p, j)>
#pv = affine_map<(i, d, p, j) -> (p, j, d)>
#po = affine_map<(i, d, p, j) -> (i, d)>
#mq = affine_map<(i, j, d) -> (i, d)>
#mk = affine_map<(i, j, d) -> (j, d)>
#ms = affine_map<(i, j, d) -> (i, j)>
#cks2 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#gvv = affine_map<(b, h, i, d, j) -> (b, j, h, d)>
#gvo = affine_map<(b, h, i, d, j) -> (b, i, h, d)>
#id4 = affine_map<(b, h, i, j) -> (b, h, i, j)>
#id5 = affine_map<(b, h, g, i, d) -> (b, h, g, i, d)>
#one_head = affine_map<(b, h, g, i, d) -> (b, h, 0, i, d)>
#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

// CHECK-LABEL: func.func @transposed_keys(
// CHECK: attn.attention ins({{.*}}) scale(1.250000e-01)
func.func @transposed_keys(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %es: tensor<?x?x?xf32>, %eo: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x64xf16>
  %n = tensor.dim %q, %c1 : tensor<?x?x64xf16>
  %nk = tensor.dim %k, %c1 : tensor<?x?x64xf16>
  %te = tensor.empty(%b, %nk) : tensor<?x64x?xf16>
  %kt = linalg.transpose ins(%k : tensor<?x?x64xf16>) outs(%te : tensor<?x64x?xf16>) permutation = [0, 2, 1]
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<?x?x64xf16>, tensor<?x64x?xf16>) outs(%s0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %m = arith.mulf %x0, %scale : f32
    linalg.yield %m : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x64xf16>) outs(%o0 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %r : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @two_batch_dims(
// CHECK: attn.attention ins(%arg0, %arg1, %arg2 : {{.*}}) scale(1.250000e-01) outs
func.func @two_batch_dims(%q: tensor<2x4x?x64xf16>, %k: tensor<2x4x?x64xf16>, %v: tensor<2x4x?x64xf16>, %es: tensor<2x4x?x?xf32>,
                          %eo: tensor<2x4x?x64xf32>) -> tensor<2x4x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %s = linalg.contract indexing_maps = [#ckq, #ckk, #cks] ins(%q, %k : tensor<2x4x?x64xf16>, tensor<2x4x?x64xf16>)
         outs(%s0 : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %t = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%s : tensor<2x4x?x?xf32>) outs(%es : tensor<2x4x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<2x4x?x?xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x4x?x?xf32>) outs(%es : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x?x64xf32>) -> tensor<2x4x?x64xf32>
  %r = linalg.contract indexing_maps = [#cvp, #cvv, #cvo] ins(%p, %v : tensor<2x4x?x?xf32>, tensor<2x4x?x64xf16>)
         outs(%o0 : tensor<2x4x?x64xf32>) -> tensor<2x4x?x64xf32>
  return %r : tensor<2x4x?x64xf32>
}

// Positions before heads in all operands: one transposition each, which a view can undo.
// CHECK-LABEL: func.func @positions_before_heads(
// CHECK-COUNT-3: linalg.transpose {{.*}} permutation = [0, 2, 1, 3]
// CHECK: %[[O:.*]] = attn.attention ins({{.*}}) scale(1.000000e+00) outs({{.*}} : tensor<2x4x8x16xf32>)
// CHECK: linalg.transpose ins(%[[O]] : {{.*}}) {{.*}} permutation = [0, 2, 1, 3]
// CHECK-NOT: linalg
func.func @positions_before_heads(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x4x16xf32>, %v: tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x4x8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %s = linalg.contract indexing_maps = [#gqq, #gkk, #cks] ins(%q, %k : tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>)
         outs(%s0 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x4x8x8xf32>) outs(%es : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %eo = tensor.empty() : tensor<2x8x4x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
  %r = linalg.contract indexing_maps = [#cks2, #gvv, #gvo] ins(%p, %v : tensor<2x4x8x8xf32>, tensor<2x8x4x16xf32>)
         outs(%o0 : tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
  return %r : tensor<2x8x4x16xf32>
}

// Batch and heads in one dimension, 4D and 3D in turns.
// CHECK-LABEL: func.func @collapsed(
// CHECK: attn.attention ins(%arg0, %arg1, %arg2 : {{.*}}) scale(1.250000e-01) outs
func.func @collapsed(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %q3 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
  %k3 = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
  %v3 = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
  %es = tensor.empty() : tensor<8x8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q3, %k3 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%s0 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %s4 = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32>
  %e4 = tensor.empty() : tensor<2x4x8x8xf32>
  %t = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
         ins(%s4 : tensor<2x4x8x8xf32>) outs(%e4 : tensor<2x4x8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<2x4x8x8xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x4x8x8xf32>) outs(%e4 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %p3 = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32>
  %eo = tensor.empty() : tensor<8x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
  %r3 = linalg.batch_matmul ins(%p3, %v3 : tensor<8x8x8xf32>, tensor<8x8x16xf32>) outs(%o0 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
  %r = tensor.expand_shape %r3 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// Keys and values repeated for the heads of a group: the op keeps the small ones.
// CHECK-LABEL: func.func @grouped_heads(
// CHECK: attn.attention ins(%arg0, %arg1, %arg2 : tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>) scale(1.000000e+00) outs
func.func @grouped_heads(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<2x2x2x8x16xf32>
  %k5 = tensor.expand_shape %k [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 8, 16] : tensor<2x2x8x16xf32> into tensor<2x2x1x8x16xf32>
  %kr = linalg.generic {indexing_maps = [#one_head, #id5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
          ins(%k5 : tensor<2x2x1x8x16xf32>) outs(%er : tensor<2x2x2x8x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<2x2x2x8x16xf32>
  %k4 = tensor.collapse_shape %kr [[0], [1, 2], [3], [4]] : tensor<2x2x2x8x16xf32> into tensor<2x4x8x16xf32>
  %vb = linalg.broadcast ins(%v : tensor<2x2x8x16xf32>) outs(%er : tensor<2x2x2x8x16xf32>) dimensions = [2]
  %v4 = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<2x2x2x8x16xf32> into tensor<2x4x8x16xf32>
  %es = tensor.empty() : tensor<2x4x8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %s = linalg.contract indexing_maps = [#ckq, #ckk, #cks] ins(%q, %k4 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
         outs(%s0 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x4x8x8xf32>) outs(%es : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %eo = tensor.empty() : tensor<2x4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  %r = linalg.contract indexing_maps = [#cvp, #cvv, #cvo] ins(%p, %v4 : tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>)
         outs(%o0 : tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// One head without a batch.
// CHECK-LABEL: func.func @one_head(
// CHECK: attn.attention ins({{.*}} : tensor<1x1x?x64xf16>, tensor<1x1x?x64xf16>, tensor<1x1x?x64xf16>) scale(1.000000e+00) outs
func.func @one_head(%q: tensor<?x64xf16>, %k: tensor<?x64xf16>, %v: tensor<?x64xf16>, %es: tensor<?x?xf32>, %eo: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul indexing_maps = [#mq, #mk, #ms] ins(%q, %k : tensor<?x64xf16>, tensor<?x64xf16>) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x64xf16>) outs(%o0 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// Keys in pages: the softmax runs over two dimensions.
// CHECK-LABEL: func.func @two_key_dims(
// CHECK: attn.attention ins({{.*}} : tensor<1x1x5x64xf16>, tensor<1x1x8x64xf16>, tensor<1x1x8x64xf16>) scale(1.000000e+00) outs
// CHECK-NOT: math.exp
func.func @two_key_dims(%q: tensor<5x64xf16>, %k: tensor<4x2x64xf16>, %v: tensor<4x2x64xf16>, %es: tensor<5x4x2xf32>, %er: tensor<5xf32>, %eo: tensor<5x64xf32>) -> tensor<5x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %s = linalg.contract indexing_maps = [#pq, #pk, #ps] ins(%q, %k : tensor<5x64xf16>, tensor<4x2x64xf16>) outs(%s0 : tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<5x4x2xf32>) outs(%m0 : tensor<5xf32>) dimensions = [1, 2]
  %mb = linalg.broadcast ins(%m : tensor<5xf32>) outs(%es : tensor<5x4x2xf32>) dimensions = [1, 2]
  %d = linalg.sub ins(%s, %mb : tensor<5x4x2xf32>, tensor<5x4x2xf32>) outs(%es : tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %e = linalg.exp ins(%d : tensor<5x4x2xf32>) outs(%es : tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<5x4x2xf32>) outs(%l0 : tensor<5xf32>) dimensions = [1, 2]
  %lb = linalg.broadcast ins(%l : tensor<5xf32>) outs(%es : tensor<5x4x2xf32>) dimensions = [1, 2]
  %p = linalg.div ins(%e, %lb : tensor<5x4x2xf32>, tensor<5x4x2xf32>) outs(%es : tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<5x64xf32>) -> tensor<5x64xf32>
  %r = linalg.contract indexing_maps = [#pp, #pv, #po] ins(%p, %v : tensor<5x4x2xf32>, tensor<4x2x64xf16>) outs(%o0 : tensor<5x64xf32>) -> tensor<5x64xf32>
  return %r : tensor<5x64xf32>
}
