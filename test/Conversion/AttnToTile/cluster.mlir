// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' --split-input-file | FileCheck %s

!q = memref<?x8x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
!lse = memref<?x8x?xf32, strided<[?, ?, ?], offset: ?>>
!sink = memref<8xf32, strided<[?], offset: ?>>

// The parts of a cluster are its programs. Each merges 16 of 64 columns of what all have, in the order of the parts; the sink
// joins once, and nobody ends before the others have read.
// CHECK-LABEL: func.func @merge
// CHECK: %[[ID:.*]] = attn_tile.program_id
// CHECK: %[[PART:.*]] = arith.remui %[[ID]], %c4
// CHECK: %[[BEGIN:.*]] = arith.muli %[[PART]], %[[SIZE:.*]] : index
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to
// CHECK: %[[STATE:.*]]:3 = scf.for
// CHECK: %[[X:.*]]:12 = attn_tile.exchange %[[STATE]]#0, %[[STATE]]#1, %[[STATE]]#2 programs 4 : (tensor<16xf32>, tensor<16xf32>, tensor<16x64xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>,
// CHECK: %[[COLUMN:.*]] = arith.muli %[[PART]], %c16
// CHECK: %[[M1:.*]] = arith.maxnumf %[[X]]#0, %[[X]]#3
// CHECK: %[[M2:.*]] = arith.maxnumf %[[M1]], %[[X]]#6
// CHECK: %[[M:.*]] = arith.maxnumf %[[M2]], %[[X]]#9
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[M]]
// CHECK: %[[FINITE:.*]] = arith.select %[[NONE]]
// CHECK: arith.subf %[[X]]#0, %[[FINITE]]
// CHECK: %[[WEIGHT:.*]] = math.exp2
// CHECK: arith.mulf %[[X]]#1, %[[WEIGHT]]
// A part without a key adds nothing, whatever it holds.
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[X]]#1
// CHECK: %[[WEIGHTS:.*]] = attn_tile.broadcast %[[WEIGHT]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]]#2, %[[WEIGHTS]]
// CHECK: %[[EMPTIES:.*]] = attn_tile.broadcast %[[EMPTY]]
// CHECK: arith.select %[[EMPTIES]], %{{.*}}, %[[PRODUCT]]
// CHECK: memref.load %arg3
// CHECK: attn_tile.store %{{.*}}, %arg5[%[[B:.*]], %[[H:.*]], %[[I:.*]]] rows
// CHECK: attn_tile.store %{{.*}}, %arg4[%[[B]], %[[H]], %[[I]], %[[COLUMN]]] rows({{.*}} : tensor<16x16xbf16>
// CHECK-NEXT: attn_tile.await_peers
// CHECK-NEXT: return
func.func @merge(%q: !q, %k: !kv, %v: !kv, %sink: !sink, %o: !q, %lse: !lse)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) sink(%sink : !sink) outs(%o, %lse : !q, !lse)
    {strategy = #attn.strategy<block_m = 16, block_n = 32, split_kv = true, round_p = true, cluster = 4>}
  return
}

// -----

!q = memref<?x8x?x80xbf16, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x80xbf16, strided<[?, ?, ?, ?], offset: ?>>

// Rows are heads; a fifth of 80 columns each, and nothing for three programs.
// CHECK-LABEL: func.func @heads
// CHECK: %[[PART:.*]] = arith.remui %{{.*}}, %c8
// CHECK: attn_tile.exchange {{.*}} programs 8 : (tensor<16xf32>, tensor<16xf32>, tensor<16x80xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>,
// CHECK: %[[COLUMN:.*]] = arith.muli %[[PART]], %c16
// CHECK: attn_tile.store %{{.*}}, %arg3[%{{.*}}, %{{.*}}, %{{.*}}, %[[COLUMN]]] rows(%{{.*}}) {alignment = 16 : i64, row_dim = 1 : i64}
func.func @heads(%q: !q, %k: !kv, %v: !kv, %o: !q)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv) outs(%o : !q)
    {strategy = #attn.strategy<block_m = 16, block_n = 32, vector_bytes = 16, pack_heads = true, split_kv = true, round_p = true, cluster = 8>}
  return
}
