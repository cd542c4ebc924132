// RUN: not fovea-compile %s --target=sm_80 --emit=ptx 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: names-invalid.mlir:[[@LINE+4]]:{{.*}}: error: 'my-kernel' cannot be the name of a kernel in PTX: letters, digits, '_' and '$' make one, and no digit at the front; rename it

#grid = affine_map<()[s0, s1, s2, s3, s4, s5, s6] -> (s0)>
!t = memref<1x1x64x16xf16>
func.func private @"my-kernel"(%q: !t, %o: !t) attributes {attn.launch = #attn.launch<grid = #grid>} {
  return
}
