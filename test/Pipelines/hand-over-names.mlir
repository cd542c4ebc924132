// Kernels of functions whose names no assembler takes have names that it does, which are free.
// RUN: fovea-opt %s --attn-hand-over=target=sm_80 | FileCheck %s
// RUN: fovea-opt %s --attn-hand-over=target=cpu | FileCheck %s --check-prefix=CPU
// RUN: fovea-compile %s --target=sm_80 --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: fovea-compile %s --target=cpu,sm_80 -o %t.fovea
// RUN: fovea-run %t.fovea --describe | FileCheck %s --check-prefix=DESCRIBE

// CHECK-DAG: gpu.binary @"a-b_attn" [{{.*}}.entry a_b_attn0_any(
// CHECK-DAG: gpu.binary @a_b_attn [{{.*}}.entry a_b_attn0_any(
// CHECK-DAG: gpu.binary @"1 \CF\80_attn" [{{.*}}.entry _1____attn0_any(
// CHECK-DAG: gpu.launch_func async [%{{.*}}] @"a-b_attn"::@a_b_attn0_any
// CHECK-DAG: gpu.launch_func async [%{{.*}}] @a_b_attn::@a_b_attn0_any
// CPU-DAG: llvm.func internal @a_b_attn0_tiled(
// CPU-DAG: llvm.func internal @[[SECOND:a_b_attn0_tiled_[0-9]+]](
// CPU-DAG: llvm.call @a_b_attn0_tiled(
// CPU-DAG: llvm.call @[[SECOND]](
// PTX-DAG: .entry a_b_attn0_any(
// PTX-DAG: .entry a_b_attn0_any_{{[0-9]+}}(
// PTX-DAG: .entry _1____attn0_any(
// DESCRIBE-DAG: function  a-b{{$}}
// DESCRIBE-DAG: function  a_b{{$}}

!t = memref<1x1x8x16xf16>
func.func @"a-b"(%q: !t, %o: !t) {
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return
}
func.func @a_b(%q: !t, %o: !t) {
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return
}
func.func @"1 π"(%q: !t, %o: !t) {
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return
}
