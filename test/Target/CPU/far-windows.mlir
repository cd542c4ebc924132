// Windows and offsets may be any numbers of 64 bits; a base lies where positions are.
// RUN: fovea-compile %s --target=cpu --with-reference -o %t.fovea
// RUN: fovea-run %t.fovea --function=window --arg=random,dims=1:2:5:16 --arg=random,dims=1:2:9:16 --arg=random,dims=1:2:9:16 --arg=out --check | FileCheck %s
// RUN: fovea-run %t.fovea --function=offset --arg=random,dims=1:2:5:16 --arg=random,dims=1:2:9:16 --arg=random,dims=1:2:9:16 --arg=9223372036854775807 --arg=out --check | FileCheck %s
// RUN: fovea-run %t.fovea --function=offset --arg=random,dims=1:2:5:16 --arg=random,dims=1:2:9:16 --arg=random,dims=1:2:9:16 --arg=-9223372036854775808 --arg=out --check | FileCheck %s
// RUN: fovea-run %t.fovea --function=base --arg=random,dims=1:2:5:16 --arg=random,dims=1:2:9:16 --arg=random,dims=1:2:9:16 --arg=1099511627771 --arg=out --check | FileCheck %s
// RUN: not fovea-run %t.fovea --function=base --arg=random,dims=1:2:5:16 --arg=random,dims=1:2:9:16 --arg=random,dims=1:2:9:16 --arg=1099511627772 --arg=out 2>&1 | FileCheck %s --check-prefix=BASE
// RUN: not fovea-run %t.fovea --function=base --arg=random,dims=1:2:5:16 --arg=random,dims=1:2:9:16 --arg=random,dims=1:2:9:16 --arg=-1 --arg=out 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: fovea-run %t.fovea --function=both --arg=random,dims=1:2:5:16 --arg=random,dims=1:2:9:16 --arg=random,dims=1:2:9:16 --arg=4611686018427387904 --arg=out --check | FileCheck %s
// RUN: fovea-run %t.fovea --function=both --arg=random,dims=1:2:5:16 --arg=random,dims=1:2:9:16 --arg=random,dims=1:2:9:16 --arg=-9223372036854775808 --arg=out --check | FileCheck %s
// CHECK: correct {{.*}} near: {{.*}}(ratio 0
// BASE: fovea-run: error: base of the queries is 1099511627772, but positions go from 0 to below 2^40; 0 to 1099511627771 works
// NEGATIVE: fovea-run: error: base of the queries is -1, but positions go from 0 to below 2^40; 0 to 1099511627771 works
!t = tensor<?x?x?x16xf32>
func.func @window(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) window(9223372036854775807, 0, bottom_right) outs(%o : !t)
  return %r : !t
}
func.func @offset(%q: !t, %k: !t, %v: !t, %off: index, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) causal(%off : index) outs(%o : !t)
  return %r : !t
}
func.func @both(%q: !t, %k: !t, %v: !t, %off: index, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) window(9223372036854775807, 9223372036854775807, %off : index) outs(%o : !t)
  return %r : !t
}
func.func @base(%q: !t, %k: !t, %v: !t, %i0: index, %o: !t) -> !t {
  %c0 = arith.constant 0 : index
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) base(%c0, %c0, %i0, %c0) causal(top_left) outs(%o : !t)
  return %r : !t
}
