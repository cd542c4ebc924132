// Numbers that a function computes for its launch are those of their types, which wrap around.
// RUN: rm -rf %t && split-file %s %t && cat %t/functions.mlir | fovea-compile --target=cpu -o %t/f.fovea
// RUN: fovea-run %t/f.fovea --function=product --arg=0 --arg=0 --arg=expr:i2 --arg=65536 --arg=65536 --expect=expr:3/2
// RUN: fovea-run %t/f.fovea --function=cut --arg=0 --arg=0 --arg=expr:i2 --arg=4294967298 --expect=expr:2/2
// RUN: fovea-run %t/f.fovea --function=narrow --arg=0 --arg=0 --arg=expr:i2 --arg=100 --arg=100 --expect=expr:4/2
// RUN: fovea-run %t/f.fovea --function=flag --arg=0 --arg=0 --arg=expr:i2 --arg=true --expect=expr:3/2
// RUN: fovea-run %t/f.fovea --function=flag --arg=0 --arg=0 --arg=expr:i2 --arg=false --expect=expr:4/2
// RUN: not fovea-compile %t/wide.mlir --target=cpu -o %t/w.fovea 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: wide.mlir:6:8: error: is of type 'i128', but an artifact computes sizes and scalars in 64 bits

// With one row of queries that keeps keys up to the offset O is the mean of their numbers, half of the offset.
//--- functions.mlir
!q = tensor<1x1x1x16xf32>
!k = tensor<1x1x8x16xf32>
func.func @product(%q: !q, %k: !k, %v: !k, %a: i32, %b: i32) -> !q {
  %c3 = arith.constant 3 : i32
  %init = tensor.empty() : !q
  %x = arith.muli %a, %b : i32
  %y = arith.addi %x, %c3 : i32
  %offset = arith.index_cast %y : i32 to index
  %o = attn.attention ins(%q, %k, %v : !q, !k, !k) causal(%offset : index) outs(%init : !q)
  return %o : !q
}
func.func @cut(%q: !q, %k: !k, %v: !k, %n: index) -> !q {
  %c1 = arith.constant 1 : i32
  %init = tensor.empty() : !q
  %x = arith.index_cast %n : index to i32
  %y = arith.maxsi %x, %c1 : i32
  %offset = arith.index_cast %y : i32 to index
  %o = attn.attention ins(%q, %k, %v : !q, !k, !k) causal(%offset : index) outs(%init : !q)
  return %o : !q
}
func.func @narrow(%q: !q, %k: !k, %v: !k, %a: i8, %b: i8) -> !q {
  %c60 = arith.constant 60 : i64
  %init = tensor.empty() : !q
  %sum = arith.addi %a, %b : i8
  %x = arith.extsi %sum : i8 to i64
  %y = arith.addi %x, %c60 : i64
  %offset = arith.index_cast %y : i64 to index
  %o = attn.attention ins(%q, %k, %v : !q, !k, !k) causal(%offset : index) outs(%init : !q)
  return %o : !q
}
func.func @flag(%q: !q, %k: !k, %v: !k, %c: i1) -> !q {
  %c4 = arith.constant 4 : index
  %init = tensor.empty() : !q
  %x = arith.index_cast %c : i1 to index
  %offset = arith.addi %x, %c4 : index
  %o = attn.attention ins(%q, %k, %v : !q, !k, !k) causal(%offset : index) outs(%init : !q)
  return %o : !q
}
//--- wide.mlir
!q = tensor<1x1x1x16xf32>
!k = tensor<1x1x8x16xf32>
func.func @wide(%q: !q, %k: !k, %v: !k, %a: i64) -> !q {
  %init = tensor.empty() : !q
  %x = arith.extsi %a : i64 to i128
  %y = arith.muli %x, %x : i128
  %offset = arith.index_cast %y : i128 to index
  %o = attn.attention ins(%q, %k, %v : !q, !k, !k) causal(%offset : index) outs(%init : !q)
  return %o : !q
}
