// The distribution's own mlir-opt with Fovea as a plugin.
// REQUIRES: plain-build
// DEFINE: %{dialects} = mlir-opt --load-dialect-plugin=%bin/../lib/FoveaPlugin.so
// DEFINE: %{opt} = %{dialects} --load-pass-plugin=%bin/../lib/FoveaPlugin.so

// Parses, verifies, prints and canonicalizes; the mask that keeps everything is dropped.
// RUN: %{dialects} %s --canonicalize | FileCheck %s
// CHECK-LABEL: func.func @mask
// CHECK-NOT: mask_mod
// CHECK: attn.attention ins(%{{.*}}) causal(top_left) outs(

// Upstream's passes see the interfaces of Fovea's ops.
// RUN: %{opt} %s --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries})" | FileCheck %s --check-prefix=BUFFERS
// BUFFERS: attn.attention ins({{.*}}memref<1x2x128x64xf16

// Each step of the pipeline by name.
// RUN: %{opt} %s --pass-pipeline="builtin.module(attn-plan-pipeline{target=sm_80})" | FileCheck %s --check-prefix=PLAN
// PLAN: attn.plan = [#attn.variant<
// PLAN: func.func private @mask_attn0_{{.*}} attributes {attn.launch
// RUN: %{opt} %s --pass-pipeline="builtin.module(attn-plan{target=cpu},attn-tile-pipeline)" | FileCheck %s --check-prefix=TILE
// TILE: attn_tile.dot

// The whole pipeline: PTX in the module.
// RUN: %{opt} %s --pass-pipeline="builtin.module(canonicalize,one-shot-bufferize{bufferize-function-boundaries},attn-hand-over{target=sm_80})" | FileCheck %s --check-prefix=PTX
// PTX-DAG: gpu.binary @{{.*}} chip = "sm_80"{{.*}}.entry mask_attn0
// PTX-DAG: gpu.launch_func {{.*}}@mask_attn::@mask_attn0

func.func @mask(%q: tensor<1x2x128x64xf16>, %o: tensor<1x2x128x64xf16>) -> tensor<1x2x128x64xf16> {
  %r = attn.attention ins(%q, %q, %q : tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>) causal(top_left)
    mask_mod(%b, %h, %i, %j) {
      %true = arith.constant true
      attn.yield %true : i1
    }
    outs(%o : tensor<1x2x128x64xf16>)
  return %r : tensor<1x2x128x64xf16>
}
