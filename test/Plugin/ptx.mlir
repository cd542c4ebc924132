// From a kernel to PTX with the distribution's tools alone: mlir-opt with the plugin, mlir-translate, llc.
// REQUIRES: plain-build
// DEFINE: %{opt} = mlir-opt --load-dialect-plugin=%bin/../lib/FoveaPlugin.so --load-pass-plugin=%bin/../lib/FoveaPlugin.so
// RUN: %{opt} %s --pass-pipeline="builtin.module(attn-tile-pipeline,attn-tile-to-nvptx)" | mlir-translate --allow-unregistered-dialect --mlir-to-llvmir | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 -mattr=+ptx80 | FileCheck %s
// CHECK: .target sm_80
// CHECK: .visible .entry kernel(
// CHECK: cp.async.cg.shared.global
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ex2.approx

!t = memref<1x2x128x64xf16, strided<[?, ?, ?, ?], offset: ?>>
#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B * Hq * (Sq ceildiv 64))>
func.func @kernel(%q: !t, %k: !t, %v: !t, %o: !t) attributes {attn.launch = #attn.launch<grid = #grid>} {
  attn.attention ins(%q, %k, %v : !t, !t, !t) causal(top_left) outs(%o : !t)
    {strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, stages = 2, vector_bytes = 16, round_p = true>}
  return
}
