// The example that tiles and fuses around attention: its schedule makes one loop nest of producer, attention and consumer, and
// the fused layer has the numbers of the layer as written.
// DEFINE: %{fuse} = transform-preload-library{transform-library-paths=%source/examples/tile_and_fuse/schedule.mlir},transform-interpreter
// DEFINE: %{lower} = attn-decompose,one-shot-bufferize{bufferize-function-boundaries},convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so --shared-libs=%mlir_lib/libmlir_c_runner_utils.so
// RUN: fovea-opt %source/examples/tile_and_fuse/layer.mlir --pass-pipeline="builtin.module(%{fuse})" | FileCheck %s
// CHECK-LABEL: func.func @layer
// CHECK-COUNT-3: scf.for
// CHECK: %[[SCALED:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: %[[O:.*]] = attn.attention ins(%[[SCALED]], {{.*}} : tensor<1x1x?x16xf32>, {{.*}}) causal(%{{.*}} : index) base(
// CHECK: linalg.generic {{.*}} ins(%[[O]],
// CHECK: arith.addf
// CHECK-COUNT-3: scf.yield
// CHECK-NOT: attn.attention

// In each function of a module.
// RUN: sed "s/@layer/@other/; /^#/d" %source/examples/tile_and_fuse/layer.mlir > %t.other
// RUN: cat %source/examples/tile_and_fuse/layer.mlir %t.other > %t.two.mlir
// RUN: fovea-opt %t.two.mlir --pass-pipeline="builtin.module(%{fuse})" | FileCheck %s --check-prefix=TWO
// TWO-COUNT-6: scf.for
// TWO-NOT: scf.for

// RUN: cat %source/examples/tile_and_fuse/layer.mlir %s > %t.mlir
// RUN: fovea-opt %t.mlir --pass-pipeline="builtin.module(%{lower})" | %{run} | sed "s/base@ = [^ ]*//" > %t.whole
// RUN: fovea-opt %t.mlir --pass-pipeline="builtin.module(%{fuse},%{lower})" | %{run} | sed "s/base@ = [^ ]*//" > %t.fused
// RUN: diff %t.whole %t.fused
// RUN: FileCheck %s --check-prefix=VALUES < %t.fused
// Sixty-one queries, which are no multiple of the tile: the last ones are printed too.
// VALUES: sizes = [2, 4, 61, 16]
// VALUES-NOT: nan

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

/// Values that differ from each other: sin of a multiple of the position.
func.func @fill(%b: index, %h: index, %n: index, %step: f32) -> tensor<?x?x?x16xf32> {
  %r = tensor.generate %b, %h, %n {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    %c7 = arith.constant 7 : index
    %c61 = arith.constant 61 : index
    %c16 = arith.constant 16 : index
    %0 = arith.muli %i0, %c7 : index
    %1 = arith.addi %0, %i1 : index
    %2 = arith.muli %1, %c61 : index
    %3 = arith.addi %2, %i2 : index
    %4 = arith.muli %3, %c16 : index
    %5 = arith.addi %4, %i3 : index
    %6 = arith.index_cast %5 : index to i32
    %7 = arith.sitofp %6 : i32 to f32
    %8 = arith.mulf %7, %step : f32
    %9 = math.sin %8 : f32
    tensor.yield %9 : f32
  } : tensor<?x?x?x16xf32>
  return %r : tensor<?x?x?x16xf32>
}

func.func @main() {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c61 = arith.constant 61 : index
  %c75 = arith.constant 75 : index
  %step = arith.constant 0.37 : f32
  %q0 = call @fill(%c2, %c4, %c61, %step) : (index, index, index, f32) -> tensor<?x?x?x16xf32>
  %k0 = call @fill(%c2, %c2, %c75, %step) : (index, index, index, f32) -> tensor<?x?x?x16xf32>
  %q = tensor.cast %q0 : tensor<?x?x?x16xf32> to tensor<2x4x?x16xf32>
  %k = tensor.cast %k0 : tensor<?x?x?x16xf32> to tensor<2x2x?x16xf32>
  %scale = arith.constant dense<1.5> : tensor<4x16xf32>
  %r = call @layer(%q, %k, %k, %scale, %q) : (tensor<2x4x?x16xf32>, tensor<2x2x?x16xf32>, tensor<2x2x?x16xf32>, tensor<4x16xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32>
  %u = tensor.cast %r : tensor<2x4x?x16xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
