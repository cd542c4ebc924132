// REQUIRES: x86
// Which instructions code for a processor has, and what a machine must have to run it: nothing of what operating systems
// and virtual machines hide (uintr, serialize, ...), and tile registers for bf16 alone.
// RUN: fovea-compile %s --mcpu=cooperlake --emit=asm -o - | FileCheck %s --check-prefix=VECTORS
// RUN: fovea-compile %s --mcpu=znver4 --emit=asm -o - | FileCheck %s --check-prefix=VECTORS
// RUN: fovea-compile %s --mcpu=sapphirerapids --emit=asm -o - | FileCheck %s --check-prefix=TILES
// RUN: fovea-compile %s --mcpu=icelake-server --emit=asm -o - | FileCheck %s --check-prefix=NONE
// RUN: sed s/xbf16/xf32/g %s > %t.f32.mlir
// RUN: fovea-compile %t.f32.mlir --mcpu=sapphirerapids --emit=asm -o - | FileCheck %s --check-prefix=NONE
// RUN: fovea-compile %s --mcpu=sapphirerapids -o %t.bf16.fovea
// RUN: fovea-compile %t.f32.mlir --mcpu=sapphirerapids -o %t.f32.fovea
// RUN: fovea-compile %s --mcpu=znver4 -o %t.znver4.fovea
// RUN: fovea-run %t.bf16.fovea --describe | FileCheck %s --check-prefix=NEEDS-TILES
// RUN: fovea-run %t.f32.fovea --describe | FileCheck %s --check-prefix=NEEDS
// RUN: fovea-run %t.znver4.fovea --describe | FileCheck %s --check-prefix=NEEDS

// VECTORS-NOT: tdpbf16ps
// VECTORS-COUNT-48: vdpbf16ps
// TILES-NOT: vdpbf16ps
// TILES: ldtilecfg
// TILES-COUNT-6: tdpbf16ps
// TILES: tilerelease
// NONE-NOT: {{tdp|vdp}}bf16ps
// NEEDS-TILES: needs +64bit,+amx-bf16,+amx-tile,+avx,+avx2,+avx512bf16,+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vbmi,+avx512vbmi2,+avx512vl,+bmi,+bmi2,+cmov,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+popcnt,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3{{$}}
// NEEDS: needs +64bit,+avx,+avx2,+avx512bf16,+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vbmi,+avx512vbmi2,+avx512vl,+bmi,+bmi2,+cmov,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+popcnt,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3{{$}}
!t = tensor<1x8x?x64xbf16>
func.func @attention(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%init : !t)
  return %o : !t
}
