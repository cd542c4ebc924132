// An op that does not verify is refused by the plugin's verifier, at its place.
// REQUIRES: plain-build
// RUN: not mlir-opt --load-dialect-plugin=%bin/../lib/FoveaPlugin.so %s 2>&1 | FileCheck %s
// CHECK: invalid.mlir:[[#@LINE+2]]:{{.*}} error: 'attn.attention' op key dim 3 (Dqk) is 32 but query dim 3 is 64
func.func @depths(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x32xf16>) -> tensor<1x2x8x64xf16> {
  %r = attn.attention ins(%q, %k, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x32xf16>, tensor<1x2x8x64xf16>) outs(%q : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}
