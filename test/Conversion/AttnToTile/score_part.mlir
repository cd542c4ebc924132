// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile),canonicalize,cse)' | FileCheck %s

!q = memref<?x8x?x128xf16, strided<[?, ?, ?, 1], offset: ?>>
!lse = memref<?x8x?xf32, strided<[?, ?, ?], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// Scores are summed up in parts, those of the block that is multiplied again too; the second product is not.
// CHECK-LABEL: func.func @parts
// CHECK: attn_tile.dot %{{.*}} {part = 48 : i64, transpose_rhs}
// CHECK: scf.for
// CHECK: attn_tile.dot %{{.*}} {part = 48 : i64, transpose_rhs}
// CHECK: attn_tile.dot %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : tensor<64x32xf16>
// CHECK: scf.for
// CHECK: attn_tile.dot %{{.*}} {part = 48 : i64, transpose_rhs}
// CHECK: scf.if
// CHECK: %[[ZERO:.*]] = attn_tile.recompute %{{.*}} : tensor<
// CHECK: attn_tile.dot %{{.*}}, %{{.*}}, %[[ZERO]] {part = 48 : i64, transpose_rhs}
func.func @parts(%q: !q, %k: !q, %v: !q, %o: !q, %l: !lse) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) outs(%o, %l : !q, !lse)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, round_p = true, overlap = true, rescale = optimistic, score_part = 48>}
  return
}

// A part as deep as the product is all of it.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: {part =
func.func @whole(%q: !q, %k: !q, %v: !q, %o: !q, %l: !lse) attributes {attn.launch = #launch} {
  attn.attention ins(%q, %k, %v : !q, !q, !q) outs(%o, %l : !q, !lse)
    {strategy = #attn.strategy<block_m = 64, block_n = 32, round_p = true, score_part = 128>}
  return
}
