// RUN: rm -rf %t && split-file %s %t
// RUN: fovea-artifact-test %t/maps.mlir | FileCheck %t/maps.mlir
// RUN: not fovea-artifact-test %t/argument.mlir 2>&1 | FileCheck %t/argument.mlir

// What a kernel's attributes say of its launch is what the artifact says.

//--- maps.mlir
// CHECK:      variant persistent
// CHECK-NEXT:   kernel k0 block 384 grid ArgDim(0, 0) ArgDim(0, 2) Const(128) CeilDiv Mul Threads Min Const(7) Min{{$}}
// CHECK-NEXT:     tensor map of 1: 176 x 64, rows in 2, swizzle 128
// CHECK-NEXT:     tensor map of 0: 128 x 64, rows in 2, swizzle 128
// CHECK-NEXT: variant any
// CHECK-NEXT:   kernel k1 block 128 grid ArgDim(0, 0){{$}}
// CHECK-NOT:  tensor map
!t = memref<?x1x?x64xf16>
func.func @f(%q: !t, %k: !t, %o: !t) {
  attn.attention ins(%q, %k, %k : !t, !t, !t) outs(%o : !t)
    {attn.plan = [#attn.variant<name = "persistent", kernels = [@k0]>, #attn.variant<name = "any", kernels = [@k1]>]}
  return
}
func.func @k0(%q: !t {attn.source = #attn.source<operand = 0>}, %k: !t {attn.source = #attn.source<operand = 1>},
              %v: !t {attn.source = #attn.source<operand = 2>}, %o: !t {attn.source = #attn.source<operand = 3>})
  attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] ->
                                                           (B * (Sq ceildiv 128), threads, 7)>, block = 384>,
              attn.tensor_maps = [#attn.tensor_map<argument = 1, rows = 176, cols = 64, row_dim = 2>,
                                  #attn.tensor_map<argument = 0, rows = 128, cols = 64, row_dim = 2>]} {
  return
}
func.func @k1(%q: !t {attn.source = #attn.source<operand = 0>}, %k: !t {attn.source = #attn.source<operand = 1>},
              %v: !t {attn.source = #attn.source<operand = 2>}, %o: !t {attn.source = #attn.source<operand = 3>})
  attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>, block = 128>} {
  return
}

//--- argument.mlir
// CHECK: error: #attn.tensor_map<argument = 1, rows = 8, cols = 64, row_dim = 2> describes argument 1 of kernel 'k0', which has 1
!t = memref<?x1x?x64xf16>
func.func @f(%q: !t, %o: !t) {
  attn.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {attn.plan = [#attn.variant<name = "any", kernels = [@k0]>]}
  return
}
func.func @k0(%q: !t {attn.source = #attn.source<operand = 0>})
  attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>,
              attn.tensor_maps = [#attn.tensor_map<argument = 1, rows = 8, cols = 64, row_dim = 2>]} {
  return
}
