// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over=target=sm_80 --verify-diagnostics | FileCheck %s
// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over=target=cpu --verify-diagnostics | FileCheck %s
// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over='target=cpu via-runtime' --verify-diagnostics | FileCheck %s
// RUN: not fovea-opt %s --allow-unregistered-dialect --attn-hand-over='target=sm_80 strict' 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: fovea-opt %s --allow-unregistered-dialect --attn-hand-over=target=sm_80 --gpu-kernel-outlining 2>&1 | FileCheck %s --check-prefix=OUTLINED

// Attention stays where its launches could not be, and the op around it says why; what is beside it is handed over.
// STRICT: hand-over-places.mlir:{{.*}}: error: attention stays as it is: 'gpu.launch' runs it on a device
// STRICT: hand-over-places.mlir:{{.*}}: error: attention stays as it is: 'gpu.func' runs it on a device
// OUTLINED: gpu.module @launch_kernel
// OUTLINED: attn.attention

!t = memref<1x1x8x16xf16>

// CHECK-LABEL: func.func @launch
// CHECK: gpu.launch
// CHECK-COUNT-2: attn.attention
// CHECK: gpu.terminator
// CHECK-NOT: attn.attention
// CHECK-LABEL: gpu.module @device
func.func @launch(%q: !t, %o: !t) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%x, %y, %z) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%bx = %c1, %by = %c1, %bz = %c1) {
    scf.for %i = %c1 to %c1 step %c1 {
      // expected-warning @+1 {{attention stays as it is: 'gpu.launch' runs it on a device, which launches no kernels; move it out}}
      attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
    }
    attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
    gpu.terminator
  }
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return
}

gpu.module @device {
  // CHECK-LABEL: gpu.func @kernel
  // CHECK: attn.attention
  gpu.func @kernel(%q: !t, %o: !t) kernel {
    // expected-warning @+1 {{'gpu.func' runs it on a device, which launches no kernels; move it out}}
    attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
    gpu.return
  }
  // CHECK-LABEL: func.func @helper
  // CHECK: attn.attention
  func.func @helper(%q: !t, %o: !t) {
    // expected-warning @+1 {{'gpu.module' around it has symbols of its own, which no kernel can join; move it out}}
    attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
    return
  }
}

// CHECK-LABEL: func.func @marked_kernel
// CHECK: attn.attention
func.func @marked_kernel(%q: !t, %o: !t) attributes {gpu.kernel} {
  // expected-warning @+1 {{'func.func' runs it on a device, which launches no kernels; move it out}}
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return
}

// CHECK-LABEL: func.func @mapped
// CHECK: scf.forall
// CHECK: attn.attention
// CHECK: scf.parallel
// CHECK: attn.attention
// CHECK: scf.parallel
// CHECK-NOT: attn.attention
// CHECK-LABEL: func.func @unregistered
func.func @mapped(%q: !t, %o: !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b) in (4) {
    // expected-warning @+1 {{'scf.forall' runs it on a device, which launches no kernels; move it out}}
    attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  } {mapping = [#gpu.block<x>]}
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    // expected-warning @+1 {{'scf.parallel' runs it on a device, which launches no kernels; move it out}}
    attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  } {mapping = [#gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  } {mapping = [#gpu.loop_dim_map<processor = sequential, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  return
}

// CHECK: "other.loop"() ({
// CHECK: attn.attention
// CHECK: "other.branch"() ({
// CHECK: attn.combine
// CHECK: "other.end"
// CHECK-NOT: attn.attention
// CHECK: "other.function"() ({
// CHECK: attn.attention
func.func @unregistered(%q: !t, %o: !t, %p: memref<2x1x1x8x16xf32>, %l: memref<2x1x1x8xf32>) {
  "other.loop"() ({
    // expected-warning @+1 {{attention stays as it is: 'other.loop' around it is not registered, so what its regions mean is not known; load its dialect, or move it out}}
    attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
    "other.end"() : () -> ()
  }) : () -> ()
  "other.branch"() ({
    // expected-warning @+1 {{'other.branch' around it is not registered}}
    attn.combine ins(%p, %l : memref<2x1x1x8x16xf32>, memref<2x1x1x8xf32>) outs(%o : !t)
    "other.end"() : () -> ()
  }, {}) : () -> ()
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return
}
"other.function"() ({
^bb0(%q: !t, %o: !t):
  // expected-warning @+1 {{'other.function' around it is not registered}}
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  "other.end"() : () -> ()
}) {sym_name = "f"} : () -> ()
