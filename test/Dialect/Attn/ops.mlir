// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --emit-bytecode | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-debuginfo | fovea-opt | FileCheck %s

// CHECK-LABEL: func.func @plain
// CHECK: %[[O:.*]] = attn.attention ins(%arg0, %arg1, %arg2 : tensor<2x8x?x64xbf16>, tensor<2x2x?x64xbf16>, tensor<2x2x?x32xbf16>) outs(%arg3 : tensor<2x8x?x32xf32>){{$}}
// CHECK: return %[[O]]
func.func @plain(%q: tensor<2x8x?x64xbf16>, %k: tensor<2x2x?x64xbf16>, %v: tensor<2x2x?x32xbf16>,
                 %o: tensor<2x8x?x32xf32>) -> tensor<2x8x?x32xf32> {
  %r = attn.attention ins(%q, %k, %v : tensor<2x8x?x64xbf16>, tensor<2x2x?x64xbf16>, tensor<2x2x?x32xbf16>)
         outs(%o : tensor<2x8x?x32xf32>)
  return %r : tensor<2x8x?x32xf32>
}

// Every clause, out of order.
// CHECK-LABEL: func.func @all
// CHECK: %{{.*}}:2 = attn.attention ins(
// CHECK-SAME: scale(1.250000e-01) causal(bottom_right) window(127, *)
// CHECK-SAME: bias(%{{.*}} : tensor<1x1x1x?xf32>) mask(%{{.*}} : tensor<2x1x?x?xi1>) sink(%{{.*}} : tensor<8xf32>)
// CHECK-SAME: kv_lengths(%{{.*}} : tensor<2xi32>) base(%arg9, %arg9, %arg9, %arg9)
// CHECK-SAME: score_mod(%[[S:.+]], %{{.+}}, %[[H:.+]], %{{.+}}, %{{.+}}) {
// CHECK:        %[[SLOPE:.*]] = tensor.extract %{{.*}}[%[[H]]] : tensor<8xf32>
// CHECK:        %[[T:.*]] = arith.mulf %[[S]], %[[SLOPE]] : f32
// CHECK:        attn.yield %[[T]] : f32
// CHECK:      } mask_mod(%{{.+}}, %{{.+}}, %[[I:.+]], %[[J:.+]]) {
// CHECK:        %[[C:.*]] = arith.cmpi ne, %[[I]], %[[J]] : index
// CHECK:        attn.yield %[[C]] : i1
// CHECK:      } outs(%{{.*}}, %{{.*}} : tensor<2x8x?x64xf16>, tensor<2x8x?xf32>)
// CHECK-SAME: {allow_tf32, strategy = #attn.strategy<block_m = 64, block_n = 32>}
func.func @all(%q: tensor<2x8x?x64xf16>, %k: tensor<2x2x?x64xf16>, %o: tensor<2x8x?x64xf16>, %lse: tensor<2x8x?xf32>,
               %bias: tensor<1x1x1x?xf32>, %mask: tensor<2x1x?x?xi1>, %sink: tensor<8xf32>, %n: tensor<2xi32>,
               %slopes: tensor<8xf32>, %c: index) -> (tensor<2x8x?x64xf16>, tensor<2x8x?xf32>) {
  %r:2 = attn.attention outs(%o, %lse : tensor<2x8x?x64xf16>, tensor<2x8x?xf32>)
         {allow_tf32, strategy = #attn.strategy<block_m = 64, block_n = 32>}
         mask_mod(%b, %h, %i, %j) {
           %t = arith.cmpi ne, %i, %j : index
           attn.yield %t : i1
         }
         base(%c, %c, %c, %c) kv_lengths(%n : tensor<2xi32>) sink(%sink : tensor<8xf32>)
         mask(%mask : tensor<2x1x?x?xi1>) bias(%bias : tensor<1x1x1x?xf32>)
         window(127, *) causal(bottom_right) scale(0.125)
         score_mod(%s, %b, %h, %i, %j) {
           %slope = tensor.extract %slopes[%h] : tensor<8xf32>
           %t = arith.mulf %s, %slope : f32
           attn.yield %t : f32
         }
         ins(%q, %k, %k : tensor<2x8x?x64xf16>, tensor<2x2x?x64xf16>, tensor<2x2x?x64xf16>)
  return %r#0, %r#1 : tensor<2x8x?x64xf16>, tensor<2x8x?xf32>
}

// CHECK-LABEL: func.func @diagonals
func.func @diagonals(%q: memref<1x1x4x8xf32>, %k: memref<1x1x9x8xf32>, %o: memref<1x1x4x8xf32>, %scale: f32,
                     %off: index, %offs: memref<1xi64>) {
  // CHECK: scale(%{{.*}}) causal(top_left) outs
  attn.attention ins(%q, %k, %k : memref<1x1x4x8xf32>, memref<1x1x9x8xf32>, memref<1x1x9x8xf32>)
    scale(%scale) causal(top_left) outs(%o : memref<1x1x4x8xf32>)
  // CHECK: causal(%{{.*}} : index) outs
  attn.attention ins(%q, %k, %k : memref<1x1x4x8xf32>, memref<1x1x9x8xf32>, memref<1x1x9x8xf32>)
    causal(%off : index) outs(%o : memref<1x1x4x8xf32>)
  // CHECK: window(3, 5, top_left) outs
  attn.attention ins(%q, %k, %k : memref<1x1x4x8xf32>, memref<1x1x9x8xf32>, memref<1x1x9x8xf32>)
    window(3, 5, top_left) outs(%o : memref<1x1x4x8xf32>)
  // CHECK: window(*, 5, %{{.*}} : memref<1xi64>) outs
  attn.attention ins(%q, %k, %k : memref<1x1x4x8xf32>, memref<1x1x9x8xf32>, memref<1x1x9x8xf32>)
    window(*, 5, %offs : memref<1xi64>) outs(%o : memref<1x1x4x8xf32>)
  // A window without bounds is no window.
  // CHECK: memref<1x1x9x8xf32>) outs
  attn.attention ins(%q, %k, %k : memref<1x1x4x8xf32>, memref<1x1x9x8xf32>, memref<1x1x9x8xf32>)
    window(*, *, %offs : memref<1xi64>) outs(%o : memref<1x1x4x8xf32>)
  return
}

// Empty groups are legal.
// CHECK-LABEL: func.func @no_heads
func.func @no_heads(%q: memref<1x0x4x8xf8E4M3FN>, %o: memref<1x0x4x8xbf16>) {
  // CHECK: attn.attention
  attn.attention ins(%q, %q, %q : memref<1x0x4x8xf8E4M3FN>, memref<1x0x4x8xf8E4M3FN>, memref<1x0x4x8xf8E4M3FN>)
    outs(%o : memref<1x0x4x8xbf16>)
  return
}

// What plans are made of: maps and lists of blocks.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%q: memref<1x1x4x8xf32>, %m: memref<1x1x4x1xi1>, %n: memref<1xi32>, %off: index, %o: memref<1x1x4x8xf32>,
                  %states: memref<1x1x1x1xi32>, %list: memref<1x1x1x3xi32>) {
  // CHECK: attn.block_map ins(%{{.*}}, %{{.*}} : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) mask(%{{.*}} : memref<1x1x4x1xi1>) kv_lengths(%{{.*}} : memref<1xi32>) offset(%{{.*}} : index) base(%{{.*}}) mask_mod {
  // CHECK: outs(%{{.*}} : memref<1x1x1x1xi32>) {causal, diagonal = #attn<diagonal offset>}
  attn.block_map ins(%q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>) mask(%m : memref<1x1x4x1xi1>)
    kv_lengths(%n : memref<1xi32>) offset(%off : index) base(%off, %off, %off, %off) mask_mod {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %kept = arith.cmpi ne, %i, %j : index
    attn.yield %kept : i1
  } outs(%states : memref<1x1x1x1xi32>) {causal, diagonal = #attn<diagonal offset>}
  // CHECK: attn.block_list %{{.*}}, %{{.*}} : memref<1x1x1x1xi32>, memref<1x1x1x3xi32>
  attn.block_list %states, %list : memref<1x1x1x1xi32>, memref<1x1x1x3xi32>
  // CHECK: attn.block_order %{{.*}} : memref<1x1x1x3xi32>
  attn.block_order %list : memref<1x1x1x3xi32>
  // CHECK: block_list(%{{.*}} : memref<1x1x1x3xi32>) outs
  attn.attention ins(%q, %q, %q : memref<1x1x4x8xf32>, memref<1x1x4x8xf32>, memref<1x1x4x8xf32>)
    block_list(%list : memref<1x1x1x3xi32>) outs(%o : memref<1x1x4x8xf32>)
    {strategy = #attn.strategy<block_m = 4, block_n = 4>}
  return
}
