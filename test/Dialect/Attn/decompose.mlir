// RUN: fovea-opt %s --attn-decompose --canonicalize --cse --split-input-file | FileCheck %s
// RUN: fovea-opt %s --attn-decompose --split-input-file --one-shot-bufferize=bufferize-function-boundaries \
// RUN:   --convert-linalg-to-loops | FileCheck %s --check-prefix=LOOPS
// RUN: not fovea-opt %s --attn-decompose=compute-type=f16 --split-input-file 2>&1 | FileCheck %s --check-prefix=TYPE

// TYPE: error: compute-type is 'f16', must be 'f32' or 'f64'
// LOOPS-NOT: linalg
// LOOPS-NOT: tensor<

// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[QUERY:.*]]: tensor<2x8x?x64xbf16>, %[[KEY:.*]]: tensor<2x2x?x64xbf16>, %[[VALUE:.*]]: tensor<2x2x?x32xbf16>, %[[OUT:.*]]: tensor<2x8x?x32xf32>
// CHECK-NOT:   attn.attention
// CHECK:       %[[KR:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8x?x64xbf16>)
// CHECK:         %[[KVHEAD:.*]] = arith.divui %{{.*}}, %c4
// CHECK:         tensor.extract %[[KEY]][%{{.*}}, %[[KVHEAD]],
// CHECK:       %[[VR:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8x?x32xbf16>)
// CHECK:         tensor.extract %[[VALUE]]
// CHECK:       %[[S:.*]] = linalg.generic {indexing_maps = [#[[Q]], #[[K]], {{.*}} ins(%[[QUERY]], %[[KR]] :
// CHECK:         arith.mulf
// CHECK:         arith.addf
// CHECK:       %[[U:.*]] = linalg.generic {{.*}} outs(%[[S]] : tensor<2x8x?x?xf32>)
// CHECK-NOT:     scf.if
// CHECK:         arith.mulf %{{.*}}, %cst{{.*}} : f32
// CHECK:         arith.select
// CHECK:       %[[M:.*]] = linalg.generic {{.*}} ins(%[[U]] :
// CHECK:         arith.maximumf
// CHECK:       %[[P:.*]] = linalg.generic {{.*}} ins(%[[U]], %[[M]] :
// CHECK:         math.exp
// CHECK:       %[[L:.*]] = linalg.generic {{.*}} ins(%[[P]] :
// CHECK:       %[[A:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[U]], %[[VR]] :
// CHECK:       %[[O:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[M]], %[[L]] : {{.*}} outs(%[[OUT]] : tensor<2x8x?x32xf32>)
// CHECK:         arith.divf
// CHECK:       return %[[O]]
func.func @plain(%q: tensor<2x8x?x64xbf16>, %k: tensor<2x2x?x64xbf16>, %v: tensor<2x2x?x32xbf16>,
                 %o: tensor<2x8x?x32xf32>) -> tensor<2x8x?x32xf32> {
  %r = attn.attention ins(%q, %k, %v : tensor<2x8x?x64xbf16>, tensor<2x2x?x64xbf16>, tensor<2x2x?x32xbf16>)
         outs(%o : tensor<2x8x?x32xf32>)
  return %r : tensor<2x8x?x32xf32>
}

// -----

// Dynamic numbers of heads: a size of 0 / 0 is avoided.
// CHECK-LABEL: func.func @dynamic_heads(
// CHECK:       %[[HKV:.*]] = tensor.dim %{{.*}}, %c1 : tensor<1x?x16x8xf32>
// CHECK:       %[[DIVISOR:.*]] = arith.maxui %[[HKV]], %c1
// CHECK:       %[[G:.*]] = arith.divui %{{.*}}, %[[DIVISOR]]
// CHECK:       arith.divui %{{.*}}, %[[G]]
func.func @dynamic_heads(%q: tensor<1x?x4x8xf32>, %k: tensor<1x?x16x8xf32>, %o: tensor<1x6x4x8xf32>,
                         %lse: tensor<1x?x4xf32>) -> (tensor<1x6x4x8xf32>, tensor<1x?x4xf32>) {
  %r:2 = attn.attention ins(%q, %k, %k : tensor<1x?x4x8xf32>, tensor<1x?x16x8xf32>, tensor<1x?x16x8xf32>)
         outs(%o, %lse : tensor<1x6x4x8xf32>, tensor<1x?x4xf32>)
  return %r#0, %r#1 : tensor<1x6x4x8xf32>, tensor<1x?x4xf32>
}

// -----

// A region and loads of the masks run where the key is valid alone.
// CHECK-LABEL: func.func @guarded(
// CHECK-SAME:    %[[SLOPES:[^:]*]]: tensor<2xf32>, %[[MASK:[^:]*]]: tensor<1x2x?x?xi1>, %[[LENGTHS:[^:]*]]: tensor<1xi32>
// CHECK:       linalg.generic
// CHECK:         %[[LENGTH:.*]] = tensor.extract %[[LENGTHS]]
// CHECK:         %[[VALID:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK:         scf.if %[[VALID]] -> (f32) {
// CHECK:           tensor.extract %[[SLOPES]]
// CHECK:           arith.cmpi sle
// CHECK:           %[[IS_ONE:.*]] = arith.cmpi eq, %{{.*}}, %c1 : index
// CHECK:           arith.select %[[IS_ONE]], %c0, %{{.*}} : index
// CHECK:           tensor.extract %[[MASK]]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %{{.*}} : f32
func.func @guarded(%slopes: tensor<2xf32>, %mask: tensor<1x2x?x?xi1>, %lengths: tensor<1xi32>, %q: tensor<1x2x?x8xf32>,
                   %k: tensor<1x2x?x8xf32>, %o: tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32> {
  %r = attn.attention ins(%q, %k, %k : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>)
         causal(bottom_right) mask(%mask : tensor<1x2x?x?xi1>) kv_lengths(%lengths : tensor<1xi32>)
         score_mod(%s, %b, %h, %i, %j) {
           %slope = tensor.extract %slopes[%h] : tensor<2xf32>
           %t = arith.subf %s, %slope : f32
           attn.yield %t : f32
         } outs(%o : tensor<1x2x?x8xf32>)
  return %r : tensor<1x2x?x8xf32>
}

// -----

// Memrefs: temporaries are allocated and freed, results written in place.
// CHECK-LABEL: func.func @memrefs(
// CHECK-SAME:    %{{.*}}, %[[OUT:[^:]*]]: memref<1x2x4x8xf16, strided<[?, ?, ?, ?], offset: ?>>
// CHECK:       %[[ALLOC:.*]] = memref.alloc
// CHECK:       linalg.generic {{.*}} outs(%[[OUT]] :
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK:       memref.dealloc %[[ALLOC]]
func.func @memrefs(%q: memref<1x2x4x8xf16>, %o: memref<1x2x4x8xf16, strided<[?, ?, ?, ?], offset: ?>>) {
  attn.attention ins(%q, %q, %q : memref<1x2x4x8xf16>, memref<1x2x4x8xf16>, memref<1x2x4x8xf16>)
    outs(%o : memref<1x2x4x8xf16, strided<[?, ?, ?, ?], offset: ?>>)
  return
}

// -----

// CHECK-LABEL: func.func @combine(
// CHECK-SAME:    %[[OS:[^:]*]]: tensor<?x2x8x?x64xf32>, %[[LSES:[^:]*]]: tensor<?x2x8x?xf32>, %[[SINK:[^:]*]]: tensor<8xf32>
// CHECK-NOT:   attn.combine
// CHECK:       %[[INIT:.*]] = linalg.generic
// CHECK:         tensor.extract %[[SINK]]
// CHECK:       %[[M:.*]] = linalg.generic {{.*}} ins(%[[LSES]] : {{.*}} outs(%[[INIT]] :
// CHECK:         arith.maximumf
// CHECK:       linalg.generic {{.*}} ins(%[[OS]], %[[LSES]], %[[M]] :
func.func @combine(%os: tensor<?x2x8x?x64xf32>, %lses: tensor<?x2x8x?xf32>, %sink: tensor<8xf32>,
                   %o: tensor<2x8x?x64xbf16>, %lse: tensor<2x8x?xf32>) -> (tensor<2x8x?x64xbf16>, tensor<2x8x?xf32>) {
  %r:2 = attn.combine ins(%os, %lses : tensor<?x2x8x?x64xf32>, tensor<?x2x8x?xf32>) sink(%sink : tensor<8xf32>)
         outs(%o, %lse : tensor<2x8x?x64xbf16>, tensor<2x8x?xf32>)
  return %r#0, %r#1 : tensor<2x8x?x64xbf16>, tensor<2x8x?xf32>
}
