// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over='target=cpu:x86-64-v3 via-runtime threads=4' | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over='target=sm_80,sm_90a via-runtime runtime-call=launch' | FileCheck %s --check-prefixes=CHECK,GPU

// What upstream lowers, and no gpu op in it.
// RUN: fovea-opt %s --allow-unregistered-dialect --one-shot-bufferize='bufferize-function-boundaries allow-return-allocs-from-loops' --attn-hand-over='via-runtime' --expand-strided-metadata --lower-affine \
// RUN:   --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM --implicit-check-not=gpu.
// LLVM-LABEL: llvm.func @loop
// LLVM: llvm.call @memrefs_attn0_0(

// RUN: not fovea-opt %s --allow-unregistered-dialect --attn-hand-over='target=cpu,sm_80 via-runtime' 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: targets 'cpu' and 'sm_80' have different memory; hand over for one of them
// RUN: not fovea-opt %s --allow-unregistered-dialect --attn-hand-over='target=sm_80,sm_90a' 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: got 2 targets; kernels in IR are for one, and via-runtime takes several
// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over='via-runtime runtime-call=memrefs_attn0' 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: warning: function 'memrefs' keeps its attention: calls of the runtime go to 'memrefs_attn0', which this module has as something else than an llvm.func of type '!llvm.func<void (ptr, ptr, ptr, ptr, i32)>'
// TAKEN: attn.attention

func.func private @memrefs_attn0()
// Declared by the user; the other name is declared by the pass.
llvm.func @launch(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32)
// CHECK: llvm.func @launch(

// The address of the first element, sizes and strides; scalars as bits. A foreign op stays.
// CHECK-LABEL: func.func @memrefs
// CHECK-SAME: %[[Q:.*]]: memref<2x4x?x64xf16>, %[[K:.*]]: memref<2x2x96x64xf16, strided<[?, ?, 64, 1], offset: ?>>, %[[O:.*]]: memref<2x4x?x64xf16>, %[[SCALE:.*]]: f32
// CHECK: %{{.*}}, %[[OFFSET:.*]], %[[SIZES:.*]]:4, %[[STRIDES:.*]]:4 = memref.extract_strided_metadata %[[K]]
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[K]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c2{{.*}}
// CHECK: %[[FIRST:.*]] = arith.addi %[[START]], %[[BYTES]]
// CHECK: %[[WORD:.*]] = arith.index_cast %[[FIRST]] : index to i64
// CHECK: %[[ADDRESS:.*]] = llvm.inttoptr %[[WORD]] : i64 to !llvm.ptr
// CHECK: arith.bitcast %[[SCALE]] : f32 to i32
// CHECK: llvm.call @memrefs_attn0_0({{.*}}%[[ADDRESS]], {{.*}}) : (!llvm.ptr, i64
// CHECK-NEXT: "other.op"(%[[Q]])
func.func @memrefs(%q: memref<2x4x?x64xf16>, %k: memref<2x2x96x64xf16, strided<[?, ?, 64, 1], offset: ?>>, %o: memref<2x4x?x64xf16>, %scale: f32) {
  attn.attention ins(%q, %k, %k : memref<2x4x?x64xf16>, memref<2x2x96x64xf16, strided<[?, ?, 64, 1], offset: ?>>, memref<2x2x96x64xf16, strided<[?, ?, 64, 1], offset: ?>>)
    scale(%scale) causal(bottom_right) outs(%o : memref<2x4x?x64xf16>)
  "other.op"(%q) : (memref<2x4x?x64xf16>) -> ()
  return
}

// The same attention of tensors in a loop: the same code.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: %[[FRESH:.*]] = bufferization.alloc_tensor
// CHECK: llvm.call @memrefs_attn0_0(
// CHECK: bufferization.to_tensor
func.func @loop(%q: tensor<2x4x?x64xf16>, %k: tensor<2x2x96x64xf16>, %scale: f32, %n: index) -> tensor<2x4x?x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %q) -> (tensor<2x4x?x64xf16>) {
    %y = attn.attention ins(%x, %k, %k : tensor<2x4x?x64xf16>, tensor<2x2x96x64xf16>, tensor<2x2x96x64xf16>)
      scale(%scale) causal(bottom_right) outs(%q : tensor<2x4x?x64xf16>) {note = "its own attributes do not count"}
    scf.yield %y : tensor<2x4x?x64xf16>
  }
  return %r : tensor<2x4x?x64xf16>
}

// Other attention with captured values: other code.
// CHECK-LABEL: func.func @captures
// CHECK: llvm.call @captures_attn0(
func.func @captures(%q: memref<1x2x64x64xf16>, %o: memref<1x2x64x64xf16>, %t: memref<?xf32>, %n: i1) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  attn.attention ins(%q, %q, %q : memref<1x2x64x64xf16>, memref<1x2x64x64xf16>, memref<1x2x64x64xf16>)
    score_mod(%s, %b, %h, %i, %j) {
      %x = memref.load %t[%h] : memref<?xf32>
      %y = tensor.extract %c[%h] : tensor<2xf32>
      %z = arith.select %n, %x, %y : f32
      %u = arith.addf %s, %z : f32
      attn.yield %u : f32
    } outs(%o : memref<1x2x64x64xf16>)
  return
}

// One artifact of each, with all code. On sm_90a kernels copy by tensor maps.
// CPU-DAG: llvm.func @fovea_embedded_run_or_abort(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32)
// CHECK-COUNT-1: llvm.mlir.global internal constant @memrefs_attn0_bytes("{{.*}}FOVA
// GPU-SAME: .target sm_90a{{.*}}cp.async.bulk.tensor{{.*}}.target sm_80
// CHECK-SAME: alignment = 16
// CHECK: llvm.mlir.global internal @memrefs_attn0_artifact
// CHECK: llvm.func internal @memrefs_attn0_0(%[[D:.*]]: !llvm.ptr, %{{.*}}: i64
// CHECK: llvm.alloca %{{.*}} x !llvm.struct<(i32, i32, ptr, ptr, ptr, i64, ptr, i64)>
// CPU: llvm.call @fovea_embedded_run_or_abort(
// GPU: llvm.call @launch(
// CHECK: llvm.mlir.global internal constant @captures_attn0_bytes
// CHECK-NOT: _bytes(
