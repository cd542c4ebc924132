// RUN: fovea-opt %s --attn-cpu-judge | FileCheck %s
// RUN: fovea-opt %s --attn-cpu-judge=erase-functions --attn-cpu-to-llvm | fovea-cpu-emit --allow-libm --emit=obj -o %t.o
// RUN: llvm-nm --extern-only %t.o | FileCheck %s --check-prefix=SYMBOLS

// CHECK: #[[GRID:.*]] = affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> ((s0 * s1) * (s3 ceildiv 16))>
// CHECK-LABEL: func.func @f(
// CHECK:         attn.attention
// CHECK-LABEL: func.func private @f_judge0(
// CHECK-SAME:    memref<?x4x?x8xbf16, strided<[?, ?, ?, ?], offset: ?>> {attn.source = #attn.source<operand = 0>}
// CHECK-SAME:    memref<?x2x?x8xbf16, strided<[?, ?, ?, ?], offset: ?>> {attn.source = #attn.source<operand = 1>}
// CHECK-SAME:    memref<?x2x?x16xbf16, strided<[?, ?, ?, ?], offset: ?>> {attn.source = #attn.source<operand = 2>}
// CHECK-SAME:    f32 {attn.source = #attn.source<operand = 3>}
// CHECK-SAME:    %[[SLOPES:[^:]*]]: memref<4xf32, strided<[?], offset: ?>> {attn.source = #attn.source<capture = 0>}
// CHECK-SAME:    memref<?x4x?x16xf64, strided<[?, ?, ?, ?], offset: ?>> {attn.source = #attn.source<temporary = 0>}
// CHECK-SAME:    memref<?x4x?xf64, strided<[?, ?, ?], offset: ?>> {attn.source = #attn.source<temporary = 1>}
// CHECK-SAME:    memref<?x4x?x16xf64, strided<[?, ?, ?, ?], offset: ?>> {attn.source = #attn.source<temporary = 2>}
// CHECK-SAME:    memref<?x4x?xf64, strided<[?, ?, ?], offset: ?>> {attn.source = #attn.source<temporary = 3>}
// CHECK-SAME:    memref<?x4x?x16xf64, strided<[?, ?, ?, ?], offset: ?>> {attn.source = #attn.source<temporary = 4>}
// CHECK-SAME:    attn.launch = #attn.launch<grid = #[[GRID]]>
// CHECK:         memref.load %[[SLOPES]]
// CHECK-NOT:     tensor
// CHECK:         return

// SYMBOLS-DAG: T f_judge0
// SYMBOLS-DAG: U exp
// SYMBOLS-NOT: task
func.func @f(%q: tensor<?x4x?x8xbf16>, %k: tensor<?x2x?x8xbf16>, %v: tensor<?x2x?x16xbf16>, %scale: f32,
             %slopes: tensor<4xf32>, %o: tensor<?x4x?x16xbf16>) -> tensor<?x4x?x16xbf16> {
  %r = attn.attention ins(%q, %k, %v : tensor<?x4x?x8xbf16>, tensor<?x2x?x8xbf16>, tensor<?x2x?x16xbf16>)
         scale(%scale) causal(bottom_right)
         score_mod(%s, %b, %h, %i, %j) {
           %slope = tensor.extract %slopes[%h] : tensor<4xf32>
           %x = arith.mulf %s, %slope : f32
           attn.yield %x : f32
         } outs(%o : tensor<?x4x?x16xbf16>)
  return %r : tensor<?x4x?x16xbf16>
}
