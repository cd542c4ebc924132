// Attention in nested loops, branches and functions that call each other, on views of memory, in functions of names that
// no assembler takes, beside symbols of the same names: handed over before and after bufferization, with and without
// threads, by calls of the runtime, and as plain linalg.
// REQUIRES: mlir-runner, plain-build
// DEFINE: %{bufferize} = --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops" --convert-bufferization-to-memref
// DEFINE: %{lower} = --convert-linalg-to-loops --scf-forall-to-for --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-math-to-libm --convert-to-llvm --reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so --shared-libs=%mlir_c_runner_utils --shared-libs=%bin/../lib/libfovea_runtime.so -e main
// RUN: fovea-opt %s --attn-decompose %{bufferize} %{lower} | %{run} | FileCheck %s
// RUN: fovea-opt %s %{bufferize} --attn-hand-over=strict %{lower} | %{run} | FileCheck %s
// RUN: fovea-opt %s --attn-hand-over=strict %{bufferize} %{lower} | %{run} | FileCheck %s
// RUN: fovea-opt %s %{bufferize} --attn-hand-over="strict threads=3" %{lower} | %{run} | FileCheck %s
// RUN: fovea-opt %s %{bufferize} --attn-hand-over="strict via-runtime" %{lower} | %{run} | FileCheck %s
// RUN: fovea-opt %s --attn-hand-over="strict via-runtime" %{bufferize} %{lower} | %{run} | FileCheck %s

// Queries are zero: row i of a causal op is the mean of the values 0 to i, half of value i, and four times so a 16th.
// CHECK: [0],{{[[:space:]]+}}[0.5],{{[[:space:]]+}}[1],{{[[:space:]]+}}[1.5]
// Once in each part of a batch.
// CHECK: [0],{{[[:space:]]+}}[4],{{[[:space:]]+}}[8],{{[[:space:]]+}}[12]
// CHECK: [0],{{[[:space:]]+}}[4],{{[[:space:]]+}}[8],{{[[:space:]]+}}[12]
// Every other value by a view, backwards into every other row.
// CHECK: [8],{{[[:space:]]+}}[-1],{{[[:space:]]+}}[0],{{[[:space:]]+}}[-1]

!t = tensor<1x1x?x1xf32>
!s = tensor<1x1x4x1xf32>

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

// Names that kernels would take.
func.func private @attend_attn0_rows()
llvm.func @attend_attn0(i32)
llvm.mlir.global internal @attend_attn0_name(0 : i32) : i32
memref.global "private" @attend_attn0_rows_split : memref<4xf32>

func.func private @attend(%v: !t) -> !t {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %v, %c2 : !t
  %init = tensor.empty(%n) : !t
  %q = linalg.fill ins(%zero : f32) outs(%init : !t) -> !t
  %o = attn.attention ins(%q, %q, %v : !t, !t, !t) causal(top_left) outs(%init : !t)
  return %o : !t
}

func.func private @"twice, in loops/π"(%v: !t, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (!t) {
    %d = tensor.dim %a, %c2 : !t
    %init = tensor.empty(%d) : !t
    %q = linalg.fill ins(%zero : f32) outs(%init : !t) -> !t
    %inner = scf.for %j = %c0 to %c1 step %c1 iter_args(%b = %a) -> (!t) {
      %o = attn.attention ins(%q, %q, %b : !t, !t, !t) causal(top_left) outs(%b : !t)
      scf.yield %o : !t
    }
    scf.yield %inner : !t
  }
  return %r : !t
}

func.func private @branch(%v: !t, %c: i1) -> !t {
  %r = scf.if %c -> !t {
    %o = func.call @attend(%v) : (!t) -> !t
    scf.yield %o : !t
  } else {
    scf.yield %v : !t
  }
  return %r : !t
}

func.func private @batches(%v: tensor<2x1x4x1xf32>) -> tensor<2x1x4x1xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<2x1x4x1xf32>
  %e = tensor.empty() : !s
  %q = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %r = scf.forall (%b) in (2) shared_outs(%all = %init) -> tensor<2x1x4x1xf32> {
    %vb = tensor.extract_slice %v[%b, 0, 0, 0] [1, 1, 4, 1] [1, 1, 1, 1] : tensor<2x1x4x1xf32> to !s
    %ob = tensor.extract_slice %all[%b, 0, 0, 0] [1, 1, 4, 1] [1, 1, 1, 1] : tensor<2x1x4x1xf32> to !s
    %o = attn.attention ins(%q, %q, %vb : !s, !s, !s) causal(top_left) outs(%ob : !s)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %all[%b, 0, 0, 0] [1, 1, 4, 1] [1, 1, 1, 1] : !s into tensor<2x1x4x1xf32>
    }
  }
  return %r : tensor<2x1x4x1xf32>
}

func.func private @views(%v: memref<1x1x4x1xf32>, %o: memref<1x1x4x1xf32>, %q: memref<1x1x2x1xf32>) {
  %c2 = arith.constant 2 : index
  %values = memref.subview %v[0, 0, 0, 0] [1, 1, 2, 1] [1, 1, 2, 1] : memref<1x1x4x1xf32> to memref<1x1x2x1xf32, strided<[4, 4, 2, 1]>>
  %back = memref.reinterpret_cast %o to offset: [2], sizes: [1, 1, 2, 1], strides: [4, 4, -2, 1] : memref<1x1x4x1xf32> to memref<1x1x2x1xf32, strided<[4, 4, -2, 1], offset: 2>>
  attn.attention ins(%q, %q, %values : memref<1x1x2x1xf32>, memref<1x1x2x1xf32>, memref<1x1x2x1xf32, strided<[4, 4, 2, 1]>>)
    causal(top_left) outs(%back : memref<1x1x2x1xf32, strided<[4, 4, -2, 1], offset: 2>>)
  return
}

func.func @main() {
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %v0 = arith.constant dense<[[[[0.0], [8.0], [16.0], [24.0]]]]> : !s
  %v = tensor.cast %v0 : !s to !t
  %a = call @attend(%v) : (!t) -> !t
  %b = call @"twice, in loops/π"(%a, %c2) : (!t, index) -> !t
  %c = call @branch(%b, %true) : (!t, i1) -> !t
  %cu = tensor.cast %c : !t to tensor<*xf32>
  call @printMemrefF32(%cu) : (tensor<*xf32>) -> ()

  %d0 = arith.constant dense<[[[[0.0], [8.0], [16.0], [24.0]]], [[[0.0], [8.0], [16.0], [24.0]]]]> : tensor<2x1x4x1xf32>
  %d = call @batches(%d0) : (tensor<2x1x4x1xf32>) -> tensor<2x1x4x1xf32>
  %du = tensor.cast %d : tensor<2x1x4x1xf32> to tensor<*xf32>
  call @printMemrefF32(%du) : (tensor<*xf32>) -> ()

  %minus = arith.constant -1.0 : f32
  %zero = arith.constant 0.0 : f32
  %values = memref.alloc() : memref<1x1x4x1xf32>
  %from = bufferization.to_buffer %v0 read_only : !s to memref<1x1x4x1xf32>
  memref.copy %from, %values : memref<1x1x4x1xf32> to memref<1x1x4x1xf32>
  %out = memref.alloc() : memref<1x1x4x1xf32>
  %queries = memref.alloc() : memref<1x1x2x1xf32>
  linalg.fill ins(%minus : f32) outs(%out : memref<1x1x4x1xf32>)
  linalg.fill ins(%zero : f32) outs(%queries : memref<1x1x2x1xf32>)
  call @views(%values, %out, %queries) : (memref<1x1x4x1xf32>, memref<1x1x4x1xf32>, memref<1x1x2x1xf32>) -> ()
  %e = bufferization.to_tensor %out restrict : memref<1x1x4x1xf32> to !s
  %eu = tensor.cast %e : !s to tensor<*xf32>
  call @printMemrefF32(%eu) : (tensor<*xf32>) -> ()
  return
}
