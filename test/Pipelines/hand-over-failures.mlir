// RUN: fovea-opt %s --attn-hand-over=target=sm_80 --verify-diagnostics | FileCheck %s
// RUN: not fovea-opt %s --attn-hand-over='target=sm_80 strict' 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not fovea-opt %s --attn-hand-over=target=sm_1 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not fovea-opt %s --attn-hand-over=threads=0 2>&1 | FileCheck %s --check-prefix=THREADS

// STRICT: hand-over-failures.mlir:[[@LINE+12]]:{{.*}}: error: function 'f8' keeps its attention: no kernel for 'f8E4M3FN' on sm_80
// TARGET: error: unknown target 'sm_1'
// THREADS: error: threads is 0, must be 1 to 65536

// A function without a kernel keeps all its attention; the others are compiled.
// CHECK-LABEL: func.func @f8
// CHECK: attn.attention {{.*}}xf16>
// CHECK-NOT: attn.plan
// CHECK: attn.attention {{.*}}xf8E4M3FN>
func.func @f8(%q: memref<1x1x8x16xf16>, %x: memref<1x1x8x16xf8E4M3FN>, %o: memref<1x1x8x16xf16>, %y: memref<1x1x8x16xf8E4M3FN>) {
  attn.attention ins(%q, %q, %q : memref<1x1x8x16xf16>, memref<1x1x8x16xf16>, memref<1x1x8x16xf16>) outs(%o : memref<1x1x8x16xf16>)
  // expected-warning @+1 {{function 'f8' keeps its attention: no kernel for 'f8E4M3FN' on sm_80}}
  attn.attention ins(%x, %x, %x : memref<1x1x8x16xf8E4M3FN>, memref<1x1x8x16xf8E4M3FN>, memref<1x1x8x16xf8E4M3FN>) outs(%y : memref<1x1x8x16xf8E4M3FN>)
  return
}

// CHECK-LABEL: func.func @shared
// CHECK: attn.attention
func.func @shared(%q: memref<1x1x8x16xf16, 3>, %k: memref<1x1x8x16xf16, #gpu.address_space<global>>, %o: memref<1x1x8x16xf16>) {
  // expected-warning @+1 {{function 'shared' keeps its attention: operand #0 is in memory space 3 : i64, which exists inside of a launch alone; copy it to memory of the device}}
  attn.attention ins(%q, %k, %k : memref<1x1x8x16xf16, 3>, memref<1x1x8x16xf16, #gpu.address_space<global>>, memref<1x1x8x16xf16, #gpu.address_space<global>>) outs(%o : memref<1x1x8x16xf16>)
  return
}

// CHECK-LABEL: func.func @f16
// CHECK-NOT: attn.attention
// CHECK: gpu.launch_func
func.func @f16(%q: memref<1x1x8x16xf16>, %o: memref<1x1x8x16xf16>) {
  attn.attention ins(%q, %q, %q : memref<1x1x8x16xf16>, memref<1x1x8x16xf16>, memref<1x1x8x16xf16>) outs(%o : memref<1x1x8x16xf16>)
  return
}

// Kernels and inner modules are not this module's.
// CHECK: module @inner
// CHECK: attn.attention
module @inner {
  func.func @g(%q: memref<1x1x8x16xf16>, %o: memref<1x1x8x16xf16>) {
    attn.attention ins(%q, %q, %q : memref<1x1x8x16xf16>, memref<1x1x8x16xf16>, memref<1x1x8x16xf16>) outs(%o : memref<1x1x8x16xf16>)
    return
  }
}
