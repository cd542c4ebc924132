// A table that is read at an index which was read itself: rows of a block of queries are beside one another in a vector,
// and what is read for them has to lie so as well.
// RUN: fovea-compile %s --target=cpu --with-reference -o %t.fovea
// DEFINE: %{name} =
// DEFINE: %{queries} =
// DEFINE: %{run} = fovea-run %t.fovea --function=%{name} --arg=random,dims=1:1:%{queries}:16 --arg=random,dims=1:1:90:16 --arg=random,dims=1:1:90:16 --arg=expr:(i0*7)%%13,dims=90 --arg=random,dims=13 --arg=out --check | FileCheck %s
// REDEFINE: %{name} = score
// REDEFINE: %{queries} = 1
// RUN: %{run}
// REDEFINE: %{queries} = 30
// RUN: %{run}
// REDEFINE: %{queries} = 90
// RUN: %{run}
// REDEFINE: %{name} = mask
// RUN: %{run}
// REDEFINE: %{name} = both
// RUN: %{run}
// CHECK: correct
!t = tensor<?x1x?x16xf32>
!c = tensor<?xi32>
!n = tensor<13xf32>
func.func @score(%q: !t, %k: !t, %v: !t, %classes: !c, %table: !n, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
    %class = tensor.extract %classes[%j] : !c
    %place = arith.index_cast %class : i32 to index
    %x = tensor.extract %table[%place] : !n
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } outs(%o : !t)
  return %r : !t
}

func.func @mask(%q: !t, %k: !t, %v: !t, %classes: !c, %table: !n, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
    %zero = arith.constant 0.0 : f32
    %class = tensor.extract %classes[%j] : !c
    %place = arith.index_cast %class : i32 to index
    %x = tensor.extract %table[%place] : !n
    %keep = arith.cmpf olt, %x, %zero : f32
    attn.yield %keep : i1
  } outs(%o : !t)
  return %r : !t
}

// The place depends on both positions, through an index that is cut to the table.
func.func @both(%q: !t, %k: !t, %v: !t, %classes: !c, %table: !n, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {
    %last = arith.constant 12 : index
    %of_i = tensor.extract %classes[%i] : !c
    %of_j = tensor.extract %classes[%j] : !c
    %sum = arith.addi %of_i, %of_j : i32
    %at = arith.index_cast %sum : i32 to index
    %place = arith.minsi %at, %last : index
    %x = tensor.extract %table[%place] : !n
    %y = arith.addf %s, %x : f32
    attn.yield %y : f32
  } outs(%o : !t)
  return %r : !t
}
