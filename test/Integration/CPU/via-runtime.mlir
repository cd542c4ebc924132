// Attention in several functions, in loops and of dynamic sizes as calls of the runtime, under mlir-runner.
// REQUIRES: mlir-runner, plain-build
// DEFINE: %{bufferize} = --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops"
// DEFINE: %{lower} = --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so --shared-libs=%mlir_c_runner_utils --shared-libs=%bin/../lib/libfovea_runtime.so
// RUN: fovea-opt %s %{bufferize} --attn-hand-over="via-runtime strict threads=2" %{lower} | %{run} -e main | FileCheck %s
// RUN: fovea-opt %s --attn-hand-over="via-runtime strict" %{bufferize} %{lower} | %{run} -e main | FileCheck %s

// Instead of aborting, the module's own function prints the status.
// RUN: fovea-opt %s %{bufferize} --attn-hand-over="via-runtime strict runtime-call=report" %{lower} | %{run} -e main | FileCheck %s --check-prefixes=CHECK,STATUS
// RUN: fovea-opt %s %{bufferize} --attn-hand-over="via-runtime strict runtime-call=report" %{lower} | %{run} -e wrong | FileCheck %s --check-prefix=WRONG
// RUN: fovea-opt %s %{bufferize} --attn-hand-over="via-runtime strict" %{lower} > %t.mlir
// RUN: not --crash mlir-runner %t.mlir -e wrong --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so --shared-libs=%mlir_c_runner_utils --shared-libs=%bin/../lib/libfovea_runtime.so 2>&1 | FileCheck %s --check-prefix=ABORT

// Row i is the mean of the values 0 to i; three times so, it is i / 8.
// STATUS: 0
// CHECK: [0],{{[[:space:]]+}}[0.5],{{[[:space:]]+}}[1],{{[[:space:]]+}}[1.5]
// STATUS-COUNT-3: 0
// CHECK: [0],{{[[:space:]]+}}[0.125],{{[[:space:]]+}}[0.25],{{[[:space:]]+}}[0.375]
// Queries of no row and keys of none: nothing to compute, and zeros.
// CHECK: sizes = [1, 1, 0, 1]
// CHECK: [0],{{[[:space:]]+}}[0],{{[[:space:]]+}}[0],{{[[:space:]]+}}[0]

// A head of queries with two of keys, which the types do not show.
// WRONG: 1
// ABORT: fovea: once_attn0: query has 1 heads, which is no multiple of the 2 heads of key

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
llvm.func @printI64(i64)
llvm.func @printNewline()
llvm.func @fovea_embedded_run(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32) -> i32
llvm.func @report(%embedded: !llvm.ptr, %name: !llvm.ptr, %device: !llvm.ptr, %arguments: !llvm.ptr, %count: i32) {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = llvm.mlir.constant(0 : i32) : i32
  %status = llvm.call @fovea_embedded_run(%embedded, %name, %device, %arguments, %count, %null, %zero) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32) -> i32
  %wide = llvm.zext %status : i32 to i64
  llvm.call @printI64(%wide) : (i64) -> ()
  llvm.call @printNewline() : () -> ()
  llvm.return
}

func.func @once(%q: tensor<1x?x?x1xf32>, %v: tensor<1x?x?x1xf32>) -> tensor<1x?x?x1xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %heads = tensor.dim %q, %c1 : tensor<1x?x?x1xf32>
  %rows = tensor.dim %q, %c2 : tensor<1x?x?x1xf32>
  %e = tensor.empty(%heads, %rows) : tensor<1x?x?x1xf32>
  %r = attn.attention ins(%q, %v, %v : tensor<1x?x?x1xf32>, tensor<1x?x?x1xf32>, tensor<1x?x?x1xf32>) scale(0.0) causal(top_left) outs(%e : tensor<1x?x?x1xf32>)
  return %r : tensor<1x?x?x1xf32>
}

func.func @often(%v: tensor<1x1x4x1xf32>, %n: index) -> tensor<1x1x4x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scale = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (tensor<1x1x4x1xf32>) {
    %e = tensor.empty() : tensor<1x1x4x1xf32>
    %y = attn.attention ins(%x, %x, %x : tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>)
      scale(%scale) causal(top_left) outs(%e : tensor<1x1x4x1xf32>)
    scf.yield %y : tensor<1x1x4x1xf32>
  }
  return %r : tensor<1x1x4x1xf32>
}

func.func @print(%x: tensor<1x?x?x1xf32>) {
  %u = tensor.cast %x : tensor<1x?x?x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  %v = arith.constant dense<[[[[0.0], [1.0], [2.0], [3.0]]]]> : tensor<1x1x4x1xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %w = tensor.cast %v : tensor<1x1x4x1xf32> to tensor<1x?x?x1xf32>
  %a = call @once(%w, %w) : (tensor<1x?x?x1xf32>, tensor<1x?x?x1xf32>) -> tensor<1x?x?x1xf32>
  call @print(%a) : (tensor<1x?x?x1xf32>) -> ()
  %b = call @often(%v, %c3) : (tensor<1x1x4x1xf32>, index) -> tensor<1x1x4x1xf32>
  %bw = tensor.cast %b : tensor<1x1x4x1xf32> to tensor<1x?x?x1xf32>
  call @print(%bw) : (tensor<1x?x?x1xf32>) -> ()
  %c1 = arith.constant 1 : index
  %none = tensor.empty(%c1, %c0) : tensor<1x?x?x1xf32>
  %c = call @once(%none, %w) : (tensor<1x?x?x1xf32>, tensor<1x?x?x1xf32>) -> tensor<1x?x?x1xf32>
  call @print(%c) : (tensor<1x?x?x1xf32>) -> ()
  %d = call @once(%w, %none) : (tensor<1x?x?x1xf32>, tensor<1x?x?x1xf32>) -> tensor<1x?x?x1xf32>
  call @print(%d) : (tensor<1x?x?x1xf32>) -> ()
  return
}

func.func @wrong() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %q = tensor.empty(%c1, %c1) : tensor<1x?x?x1xf32>
  %k = tensor.empty(%c2, %c1) : tensor<1x?x?x1xf32>
  %x = call @once(%q, %k) : (tensor<1x?x?x1xf32>, tensor<1x?x?x1xf32>) -> tensor<1x?x?x1xf32>
  call @print(%x) : (tensor<1x?x?x1xf32>) -> ()
  return
}
