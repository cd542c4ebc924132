// RUN: fovea-opt %s --pass-pipeline='builtin.module(func.func(attn-to-tile))' | FileCheck %s

!q = memref<?x8x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!kv = memref<?x2x?x64xf32, strided<[?, ?, ?, ?], offset: ?>>
!docs = memref<?x?xi32, strided<[?, ?], offset: ?>>

// A load by query is a gather where rows exist, one by key a tile load up to the last key in which all rows are alike. A
// quotient by 0 is that by 1, one by -1 the negated number.
// CHECK-LABEL: func.func @documents
// CHECK: scf.for %{{.*}} = %c0
// CHECK: %[[STRUCT:.*]] = arith.cmpi slt
// CHECK: %[[DI:.*]] = attn_tile.gather %arg4[%{{.*}}, %{{.*}}] mask(%{{.*}}) : {{.*}}, [index, tensor<64xindex>], tensor<64xi1> -> tensor<64xi32>
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %arg4 to offset: [%{{.*}}], sizes: [64, 32], strides: [0, %{{.*}}]
// CHECK: %[[DJ:.*]] = attn_tile.load %[[VIEW]][%c0, %c0] rows(%{{.*}}) cols(%{{.*}}) {{{.*}}shift = 0 : i64} : {{.*}} -> tensor<64x32xi32>
// CHECK: %[[NEXT:.*]] = arith.addi %[[DJ]], %{{.*}}
// CHECK: %[[TRIVIAL:.*]] = arith.cmpi ule, %[[NEXT]], %[[ONE:.*]] : tensor<64x32xi32>
// CHECK: %[[DIV:.*]] = arith.select %[[TRIVIAL]], %[[ONE]], %[[DJ]]
// CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[DJ]], %{{.*}}
// CHECK: %[[QUOTIENT:.*]] = arith.divsi %{{.*}}, %[[DIV]]
// CHECK: arith.select %[[MINUS]], %{{.*}}, %[[QUOTIENT]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq
// CHECK: %[[KEEP:.*]] = arith.andi %[[STRUCT]], %[[SAME]]
// CHECK: arith.select %[[KEEP]]
func.func @documents(%q: !q, %k: !kv, %v: !kv, %o: !q, %docs: !docs)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  attn.attention ins(%q, %k, %v : !q, !kv, !kv)
    mask_mod(%b, %h, %i, %j) {
      %di = memref.load %docs[%b, %i] : !docs
      %dj = memref.load %docs[%b, %j] : !docs
      %x = arith.divsi %di, %dj : i32
      %same = arith.cmpi eq, %x, %di : i32
      attn.yield %same : i1
    } outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}

// Both branches are evaluated; loads are made where their branch is taken.
// CHECK-LABEL: func.func @branch
// CHECK: scf.for
// CHECK: %[[TAKEN:.*]] = arith.cmpi sgt
// CHECK: %[[ACTIVE:.*]] = arith.andi %{{.*}}, %[[TAKEN]]
// CHECK: %[[D:.*]] = attn_tile.gather {{.*}} mask(%[[ACTIVE]])
// CHECK: %[[C:.*]] = arith.cmpi eq, %[[D]]
// CHECK: arith.select %[[TAKEN]], %[[C]]
func.func @branch(%q: !q, %k: !kv, %v: !kv, %o: !q, %docs: !docs)
    attributes {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} {
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  attn.attention ins(%q, %k, %v : !q, !kv, !kv)
    mask_mod(%b, %h, %i, %j) {
      %far = arith.cmpi sgt, %j, %c3 : index
      %r = scf.if %far -> i1 {
        %back = affine.apply affine_map<(d0) -> (d0 - 3)>(%j)
        %d = memref.load %docs[%b, %back] : !docs
        %z = arith.cmpi eq, %d, %c0 : i32
        scf.yield %z : i1
      } else {
        scf.yield %true : i1
      }
      attn.yield %r : i1
    } outs(%o : !q)
    {strategy = #attn.strategy<block_m = 64, block_n = 32>}
  return
}
