// The warpgroup kernels of a compiled artifact get their tensor maps from a fake driver; tensors that no map describes
// run another variant.
// RUN: fovea-compile %s --target=sm_90a -o %t.fovea
// RUN: env FOVEA_LIBCUDA=%bin/libfovea-fake-cuda.so fovea-run %t.fovea --device=1 --random --dim=100 --dim=70 | FileCheck %s --check-prefix=MAPS
// RUN: env FOVEA_LIBCUDA=%bin/libfovea-fake-cuda.so fovea-run %t.fovea --device=1 --random --dim=100 --dim=0 | FileCheck %s --check-prefix=MAPS
// MAPS: variant   attention: warpgroup

// Broadcast keys, and queries in reverse: aligned, but not for a map.
// RUN: env FOVEA_LIBCUDA=%bin/libfovea-fake-cuda.so fovea-run %t.fovea --device=1 --random --dim=100 --arg=random \
// RUN:   --arg=random,dims=2:4:70:64,strides=17920:0:64:1 | FileCheck %s --check-prefix=OTHER
// RUN: env FOVEA_LIBCUDA=%bin/libfovea-fake-cuda.so fovea-run %t.fovea --device=1 --random --dim=70 \
// RUN:   --arg=random,dims=2:4:100:64,strides=25600:6400:-64:1,offset=6336 | FileCheck %s --check-prefix=OTHER
// OTHER: variant   attention:
// OTHER-NOT: warpgroup

func.func @f(%q: tensor<2x4x?x64xbf16>, %k: tensor<2x4x?x64xbf16>, %v: tensor<2x4x?x64xbf16>) -> tensor<2x4x?x64xbf16> {
  %c2 = arith.constant 2 : index
  %s = tensor.dim %q, %c2 : tensor<2x4x?x64xbf16>
  %e = tensor.empty(%s) : tensor<2x4x?x64xbf16>
  %o = attn.attention ins(%q, %k, %v : tensor<2x4x?x64xbf16>, tensor<2x4x?x64xbf16>, tensor<2x4x?x64xbf16>)
    outs(%e : tensor<2x4x?x64xbf16>)
  return %o : tensor<2x4x?x64xbf16>
}
