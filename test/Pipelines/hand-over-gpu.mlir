// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over=target=sm_80 | FileCheck %s
// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over=target=sm_90a | FileCheck %s --check-prefix=SM90
// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over=target=sm_80 --expand-strided-metadata --lower-affine \
// RUN:   --convert-scf-to-cf --gpu-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// Upstream lowers all of it; only the foreign op still wants its memref.
// LLVM: mgpuStreamCreate
// LLVM: gpu.launch_func <%{{.*}} : !llvm.ptr> @memrefs_attn_0::@memrefs_attn0_narrow
// LLVM: mgpuStreamSynchronize

// CHECK: module attributes {gpu.container_module}
// SM90: module attributes {gpu.container_module}

// The name of the binary is taken: another one is found. No kernel takes a tensor map.
// CHECK-DAG: gpu.binary @memrefs_attn_0 [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">, properties = {O = 3 : i32}, assembly = "{{.*}}.entry memrefs_attn0_any(
// SM90-DAG: gpu.binary @memrefs_attn_0 [#gpu.object<#nvvm.target<O = 3, chip = "sm_90a">
// SM90-NOT: warpgroup
func.func private @memrefs_attn()

// CHECK-LABEL: func.func @memrefs
// CHECK-SAME: %[[Q:.+]]: memref<2x4x64x32xf16>, %{{.*}}: memref<2x2x96x32xf16>
// CHECK: memref.extract_aligned_pointer_as_index %[[Q]]
// CHECK: arith.cmpi sge
// CHECK: scf.if %{{.*}} {
// CHECK:   %[[T0:.*]] = gpu.wait async
// CHECK:   memref.memory_space_cast
// CHECK:   %[[T1:.*]] = gpu.launch_func async [%[[T0]]] @memrefs_attn_0::@memrefs_attn0_narrow blocks in (%c{{.*}}, %{{.*}}, %{{.*}}) threads in (%c128{{.*}}, %{{.*}}, %{{.*}}) dynamic_shared_memory_size %{{.*}} args(%{{.*}} : memref<2x4x64x32xf16, strided<[?, ?, ?, ?], offset: ?>>
// CHECK:   gpu.wait [%[[T1]]]
// CHECK: } else {
// CHECK:   gpu.launch_func async [%{{.*}}] @memrefs_attn_0::@memrefs_attn0_any
// CHECK: "other.op"
func.func @memrefs(%q: memref<2x4x64x32xf16>, %k: memref<2x2x96x32xf16>, %o: memref<2x4x64x32xf16, strided<[?, ?, ?, 1], offset: ?>, 1>) {
  attn.attention ins(%q, %k, %k : memref<2x4x64x32xf16>, memref<2x2x96x32xf16>, memref<2x2x96x32xf16>)
    causal(bottom_right) outs(%o : memref<2x4x64x32xf16, strided<[?, ?, ?, 1], offset: ?>, 1>)
  "other.op"(%q) : (memref<2x4x64x32xf16>) -> ()
  return
}
