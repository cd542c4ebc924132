// A sum of positions and a constant near the ends of 64 bits wraps around in the middle of a block, as the arithmetic of
// regions does everywhere.
// RUN: fovea-compile %s --target=cpu --with-reference -o %t.fovea
// DEFINE: %{name} =
// DEFINE: %{run} = fovea-run %t.fovea --function=%{name} --arg=random,dims=1:1:128:16 --arg=random,dims=1:1:65:16 --arg=random,dims=1:1:65:16 --arg=out --check | FileCheck %s
// REDEFINE: %{name} = below
// RUN: %{run}
// REDEFINE: %{name} = above
// RUN: %{run}
// REDEFINE: %{name} = equal
// RUN: %{run}
// CHECK: correct
!t = tensor<?x1x?x16xf32>
func.func @below(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
    %far = arith.constant -9223372036854775807 : index
    %two = arith.constant 2 : index
    %d = arith.subi %j, %i : index
    %sum = arith.addi %d, %far : index
    %keep = arith.cmpi slt, %sum, %two : index
    attn.yield %keep : i1
  } outs(%o : !t)
  return %r : !t
}

func.func @above(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
    %far = arith.constant 9223372036854775807 : index
    %limit = arith.constant 65 : index
    %d = arith.subi %i, %j : index
    %sum = arith.addi %d, %far : index
    %keep = arith.cmpi sle, %sum, %limit : index
    attn.yield %keep : i1
  } outs(%o : !t)
  return %r : !t
}

func.func @equal(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
    %far = arith.constant -9223372036854775808 : index
    %limit = arith.constant 9223372036854775780 : index
    %d = arith.subi %i, %j : index
    %sum = arith.addi %d, %far : index
    %near = arith.cmpi ne, %sum, %limit : index
    %low = arith.cmpi sge, %sum, %limit : index
    %keep = arith.ori %near, %low : i1
    attn.yield %keep : i1
  } outs(%o : !t)
  return %r : !t
}
