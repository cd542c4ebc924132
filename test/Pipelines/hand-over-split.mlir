// RUN: fovea-opt %s --attn-hand-over='target=sm_80 threads=132' | FileCheck %s

// One query and many keys: the keys are cut into parts, whose results are in memory of the device from before the first
// launch to after the last.
// CHECK-LABEL: func.func @decode
// CHECK: %[[T0:.*]] = gpu.wait async
// CHECK: %[[O:.*]], %[[T1:.*]] = gpu.alloc async [%[[T0]]] (%{{.*}}) : memref<?x1x8x1x64xf32>
// CHECK: %[[L:.*]], %[[T2:.*]] = gpu.alloc async [%[[T1]]] (%{{.*}}) : memref<?x1x8x1xf32>
// CHECK: %[[T3:.*]] = gpu.launch_func async [%[[T2]]] @decode_attn::@decode_attn0_rows_split_parts
// CHECK: %[[T4:.*]] = gpu.launch_func async [%[[T3]]] @decode_attn::@decode_attn0_rows_split_combine
// CHECK: %[[T5:.*]] = gpu.dealloc async [%[[T4]]] %[[O]]
// CHECK: %[[T6:.*]] = gpu.dealloc async [%[[T5]]] %[[L]]
// CHECK: gpu.wait [%[[T6]]]
func.func @decode(%q: memref<1x8x1x64xf16>, %k: memref<1x2x?x64xf16>, %o: memref<1x8x1x64xf16>) {
  attn.attention ins(%q, %k, %k : memref<1x8x1x64xf16>, memref<1x2x?x64xf16>, memref<1x2x?x64xf16>) outs(%o : memref<1x8x1x64xf16>)
  return
}
