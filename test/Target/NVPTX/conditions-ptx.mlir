// A mask is one choice by all of its conditions: a comparison takes another condition for nothing, a choice would not.
// RUN: split-file %s %t
// RUN: fovea-compile %t/region.mlir --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=REGION
// RUN: fovea-compile %t/any.mlir --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=ANY
// RUN: fovea-compile %t/structure.mlir --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=STRUCTURE

// Each link of the chain is a comparison: what both rows of a thread have in common is the first.
// REGION-LABEL: .entry f_attn0_warpgroup(
// REGION: mul.hi.u32
// REGION: and.pred %[[FIRST:p[0-9]+]], %p{{[0-9]+}}, %p{{[0-9]+}};
// REGION-NEXT: and.pred %[[ALL:p[0-9]+]], %[[FIRST]], %p{{[0-9]+}};
// REGION: // begin inline asm
// REGION-NEXT: selp.f32 %[[SCORE:r[0-9]+]], %r{{[0-9]+}}, %r{{[0-9]+}}, %[[ALL]];
// REGION-NOT: selp.f32 {{.*}}, %[[SCORE]], 0fFF800000
// Kernels without registers to spare make a choice for each.
// REGION: .entry f_attn0_any(
// REGION-NOT: begin inline asm{{[[:space:]]*}}selp.f32

// ANY-LABEL: .entry f_attn0_warpgroup(
// ANY: or.pred
// ANY: // begin inline asm
// ANY-NEXT: selp.f32

// STRUCTURE: .entry f_attn0_any(
// STRUCTURE-NOT: begin inline asm{{[[:space:]]*}}selp.f32

//--- region.mlir
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %n: index, %o: !t) -> !t {
  %c3 = arith.constant 3 : index
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
      %x = arith.remui %i, %n : index
      %z = arith.remui %j, %n : index
      %d = arith.subi %z, %x : index
      %e = math.absi %d : index
      %y = arith.cmpi sle, %e, %c3 : index
      attn.yield %y : i1
    } outs(%o : !t)
  return %r : !t
}

//--- any.mlir
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %n: index, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
      %x = arith.cmpi sle, %j, %i : index
      %y = arith.cmpi slt, %j, %n : index
      %z = arith.ori %x, %y : i1
      attn.yield %z : i1
    } outs(%o : !t)
  return %r : !t
}

//--- structure.mlir
!t = tensor<?x?x?x16xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) window(9, 9, top_left) outs(%o : !t)
  return %r : !t
}
