// RUN: rm -rf %t && split-file %s %t
// RUN: not fovea-artifact-test %t/operand.mlir 2>&1 | FileCheck %t/operand.mlir
// RUN: not fovea-artifact-test %t/capture.mlir 2>&1 | FileCheck %t/capture.mlir
// RUN: not fovea-artifact-test %t/temporary.mlir 2>&1 | FileCheck %t/temporary.mlir
// RUN: not fovea-artifact-test %t/empty.mlir 2>&1 | FileCheck %t/empty.mlir

// A plan that was written by hand names what the op has.

//--- operand.mlir
// CHECK: error: a kernel of its plan takes #attn.source<operand = 4>, but it has 4 operands
!t = memref<?x1x?x64xf16>
func.func @f(%q: !t, %o: !t) {
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {attn.plan = [#attn.variant<name = "any", kernels = [@k0]>]}
  return
}
func.func @k0(%q: !t {attn.source = #attn.source<operand = 4>})
  attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  return
}

//--- capture.mlir
// CHECK: error: a kernel of its plan takes #attn.source<capture = 0>, but it has 0 captured values
!t = memref<?x1x?x64xf16>
func.func @f(%q: !t, %o: !t) {
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {attn.plan = [#attn.variant<name = "any", kernels = [@k0]>]}
  return
}
func.func @k0(%q: !t {attn.source = #attn.source<capture = 0>})
  attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  return
}

//--- temporary.mlir
// CHECK: error: a kernel of its plan takes #attn.source<temporary = 0> as 'f32'; temporaries are memrefs
!t = memref<?x1x?x64xf16>
func.func @f(%q: !t, %o: !t) {
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {attn.plan = [#attn.variant<name = "any", kernels = [@k0]>]}
  return
}
func.func @k0(%q: f32 {attn.source = #attn.source<temporary = 0>})
  attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  return
}

//--- empty.mlir
// CHECK: error: has a plan without a variant
!t = memref<?x1x?x64xf16>
func.func @f(%q: !t, %o: !t) {
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {attn.plan = []}
  return
}
