// The whole way on the CPU with the distribution's tools alone, as Fovea's kernel and as plain linalg: mlir-opt with the plugin,
// mlir-runner. Equal scores, so that row i is the mean of the values 0 to i.
// REQUIRES: plain-build
// DEFINE: %{opt} = mlir-opt --load-dialect-plugin=%bin/../lib/FoveaPlugin.so --load-pass-plugin=%bin/../lib/FoveaPlugin.so
// DEFINE: %{lower} = expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so --shared-libs=%mlir_lib/libmlir_c_runner_utils.so
// RUN: %{opt} %s --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries},attn-hand-over{target=cpu},%{lower})" | %{run} | FileCheck %s
// RUN: %{opt} %s --pass-pipeline="builtin.module(attn-decompose,one-shot-bufferize{bufferize-function-boundaries},convert-linalg-to-loops,%{lower})" | %{run} | FileCheck %s
// CHECK: [0],{{[[:space:]]+}}[0.5],{{[[:space:]]+}}[1],{{[[:space:]]+}}[1.5]

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %q = arith.constant dense<0.0> : tensor<1x1x4x1xf32>
  %v = arith.constant dense<[[[[0.0], [1.0], [2.0], [3.0]]]]> : tensor<1x1x4x1xf32>
  %init = tensor.empty() : tensor<1x1x4x1xf32>
  %o = attn.attention ins(%q, %q, %v : tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>) causal(top_left) outs(%init : tensor<1x1x4x1xf32>)
  %u = tensor.cast %o : tensor<1x1x4x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
