// RUN: fovea-opt %s --attn-plan=target=cpu:x86-64-v3 | FileCheck %s

// With few queries the CPU cuts the keys into parts: two kernels that share two temporaries; the sink is added once.
// CHECK-LABEL: func.func @decode
// CHECK: #attn.variant<name = "{{.*}}", when = {{.*}}, kernels = [@[[PARTS:.*_parts]], @[[COMBINE:.*_combine]]], temporaries = [#attn.temporary<f32, {{.*}}>, #attn.temporary<f32, {{.*}}>]>
func.func @decode(%q: tensor<?x8x1x64xf32>, %k: tensor<?x8x?x64xf32>, %sink: tensor<8xf32>, %init: tensor<?x8x1x64xf32>) -> tensor<?x8x1x64xf32> {
  %o = attn.attention ins(%q, %k, %k : tensor<?x8x1x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
         sink(%sink : tensor<8xf32>) outs(%init : tensor<?x8x1x64xf32>)
  return %o : tensor<?x8x1x64xf32>
}
// CHECK: func.func private @{{.*}}_parts(
// CHECK-NOT: xf32>> {attn.source = #attn.source<operand = 3>}
// CHECK-SAME: {attn.source = #attn.source<temporary = 0>}
// CHECK-SAME: {attn.source = #attn.source<temporary = 1>}
// CHECK: func.func private @{{.*}}_combine(
// CHECK-SAME: {attn.source = #attn.source<temporary = 0>}
// CHECK-SAME: {attn.source = #attn.source<operand = 3>}
// CHECK: attn.combine
