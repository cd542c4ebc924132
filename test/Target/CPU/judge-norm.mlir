// The norm rule rounds the weights relative to the largest key: a sink far above makes it no weaker.
// RUN: fovea-compile %s --with-reference -o %t.fovea
// RUN: fovea-run %t.fovea --target=cpu --arg=expr:i0+1 --arg=expr:i2%%3 --arg=expr:1000*i3+i2 --arg=22 --check | FileCheck %s
// CHECK: result0 norm: {{.*}} where 0.000{{[0-9]+}} is allowed
!q = tensor<1x2x3x16xf16>
!kv = tensor<1x2x40x16xf16>
func.func @f(%q: !q, %k: !kv, %v: !kv, %sink: tensor<2xf32>) -> !q {
  %init = tensor.empty() : !q
  %o = attn.attention ins(%q, %k, %v : !q, !kv, !kv) sink(%sink : tensor<2xf32>) outs(%init : !q)
  return %o : !q
}
