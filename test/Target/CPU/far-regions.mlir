// Coordinates of an image that the kernel learns the width of, wherever its positions are: quotients and remainders by
// small and large widths, with the next row of the image in the block or not, and limits far from both.
// RUN: fovea-compile %s --target=cpu --with-reference -o %t.fovea
// DEFINE: %{positions} =
// DEFINE: %{numbers} =
// DEFINE: %{run} = fovea-run %t.fovea --function=near --arg=random,dims=1:1:40:16 --arg=random,dims=1:1:70:16 --arg=random,dims=1:1:70:16 %{positions} %{numbers} --arg=out --check | FileCheck %s
// Positions of the queries and keys; then the width, the limits of a column and of a row, and the distances.
// REDEFINE: %{positions} = --arg=549755813868 --arg=549755813858
// REDEFINE: %{numbers} = --arg=1 --arg=3 --arg=3 --arg=549755813867 --arg=549755813869 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813893 --arg=549755813883
// REDEFINE: %{numbers} = --arg=1 --arg=3 --arg=3 --arg=549755813892 --arg=549755813894 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813867 --arg=549755813857
// REDEFINE: %{numbers} = --arg=7 --arg=3 --arg=3 --arg=78536544837 --arg=78536544839 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813892 --arg=549755813882
// REDEFINE: %{numbers} = --arg=7 --arg=3 --arg=3 --arg=78536544840 --arg=78536544842 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813860 --arg=549755813850
// REDEFINE: %{numbers} = --arg=9 --arg=3 --arg=5 --arg=61083979316 --arg=61083979318 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813885 --arg=549755813875
// REDEFINE: %{numbers} = --arg=9 --arg=3 --arg=5 --arg=61083979319 --arg=61083979321 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813868 --arg=549755813858
// REDEFINE: %{numbers} = --arg=64 --arg=3 --arg=60 --arg=8589934590 --arg=8589934592 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813893 --arg=549755813883
// REDEFINE: %{numbers} = --arg=64 --arg=3 --arg=60 --arg=8589934591 --arg=8589934593 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813356 --arg=549755813346
// REDEFINE: %{numbers} = --arg=32767 --arg=3 --arg=32763 --arg=16777726 --arg=16777728 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813381 --arg=549755813371
// REDEFINE: %{numbers} = --arg=32767 --arg=3 --arg=32763 --arg=16777727 --arg=16777729 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813868 --arg=549755813858
// REDEFINE: %{numbers} = --arg=32768 --arg=3 --arg=32764 --arg=16777214 --arg=16777216 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813893 --arg=549755813883
// REDEFINE: %{numbers} = --arg=32768 --arg=3 --arg=32764 --arg=16777215 --arg=16777217 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813356 --arg=549755813346
// REDEFINE: %{numbers} = --arg=32769 --arg=3 --arg=32765 --arg=16776702 --arg=16776704 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813381 --arg=549755813371
// REDEFINE: %{numbers} = --arg=32769 --arg=3 --arg=32765 --arg=16776703 --arg=16776705 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813868 --arg=549755813858
// REDEFINE: %{numbers} = --arg=1048576 --arg=3 --arg=1048572 --arg=524286 --arg=524288 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813893 --arg=549755813883
// REDEFINE: %{numbers} = --arg=1048576 --arg=3 --arg=1048572 --arg=524287 --arg=524289 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755805676 --arg=549755805666
// REDEFINE: %{numbers} = --arg=67108863 --arg=3 --arg=67108859 --arg=8190 --arg=8192 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755805701 --arg=549755805691
// REDEFINE: %{numbers} = --arg=67108863 --arg=3 --arg=67108859 --arg=8191 --arg=8193 --arg=3 --arg=1
// RUN: %{run}
// REDEFINE: %{positions} = --arg=1073741803 --arg=1073741793
// REDEFINE: %{numbers} = --arg=9 --arg=-9223372036854775808 --arg=9223372036854775807 --arg=-9223372036854775808 --arg=9223372036854775807 --arg=3 --arg=0
// RUN: %{run}
// REDEFINE: %{numbers} = --arg=9 --arg=4611686018427387904 --arg=9223372036854775807 --arg=-5 --arg=4 --arg=3 --arg=1099511627776
// RUN: %{run}
// REDEFINE: %{numbers} = --arg=9 --arg=-9223372036854775808 --arg=-4611686018427387904 --arg=4611686018427387904 --arg=9223372036854775807 --arg=4611686018427387904 --arg=3
// RUN: %{run}
// REDEFINE: %{positions} = --arg=1073741804 --arg=1073741794
// REDEFINE: %{numbers} = --arg=32768 --arg=-9223372036854775808 --arg=9223372036854775807 --arg=-9223372036854775808 --arg=9223372036854775807 --arg=3 --arg=0
// RUN: %{run}
// REDEFINE: %{numbers} = --arg=32768 --arg=4611686018427387904 --arg=9223372036854775807 --arg=-5 --arg=4 --arg=3 --arg=1099511627776
// RUN: %{run}
// REDEFINE: %{numbers} = --arg=32768 --arg=-9223372036854775808 --arg=-4611686018427387904 --arg=4611686018427387904 --arg=9223372036854775807 --arg=4611686018427387904 --arg=3
// RUN: %{run}
// REDEFINE: %{numbers} = --arg=1048576 --arg=-9223372036854775808 --arg=9223372036854775807 --arg=-9223372036854775808 --arg=9223372036854775807 --arg=3 --arg=0
// RUN: %{run}
// REDEFINE: %{numbers} = --arg=1048576 --arg=4611686018427387904 --arg=9223372036854775807 --arg=-5 --arg=4 --arg=3 --arg=1099511627776
// RUN: %{run}
// REDEFINE: %{numbers} = --arg=1048576 --arg=-9223372036854775808 --arg=-4611686018427387904 --arg=4611686018427387904 --arg=9223372036854775807 --arg=4611686018427387904 --arg=3
// RUN: %{run}
// REDEFINE: %{positions} = --arg=100 --arg=90
// REDEFINE: %{numbers} = --arg=4611686018427387904 --arg=3 --arg=2305843009213693952 --arg=0 --arg=0 --arg=5 --arg=0
// RUN: %{run}
// REDEFINE: %{positions} = --arg=549755813888 --arg=549755813878
// REDEFINE: %{numbers} = --arg=9223372036854775807 --arg=3 --arg=2305843009213693952 --arg=0 --arg=0 --arg=5 --arg=0
// RUN: %{run}
// Numbers whose distance from a position takes more than 64 bits.
// DEFINE: %{limits} = fovea-run %t.fovea --function=limits --arg=random,dims=1:1:40:16 --arg=random,dims=1:1:70:16 --arg=random,dims=1:1:70:16 %{numbers} --arg=out --check | FileCheck %s
// REDEFINE: %{numbers} = --arg=-9223372036854775808 --arg=9223372036854775807
// RUN: %{limits}
// REDEFINE: %{numbers} = --arg=9223372036854775807 --arg=-9223372036854775808
// RUN: %{limits}
// REDEFINE: %{numbers} = --arg=-9223372036854775808 --arg=9
// RUN: %{limits}
// REDEFINE: %{numbers} = --arg=20 --arg=-9223372036854775808
// RUN: %{limits}
// REDEFINE: %{numbers} = --arg=9223372036854775807 --arg=30
// RUN: %{limits}
// REDEFINE: %{numbers} = --arg=4611686018427387904 --arg=-4611686018427387905
// RUN: %{limits}
// Conditions of rows beside conditions of pairs.
// DEFINE: %{rows} = fovea-run %t.fovea --function=rows --arg=random,dims=1:1:40:16 --arg=random,dims=1:1:70:16 --arg=random,dims=1:1:70:16 %{numbers} --arg=out --check | FileCheck %s
// REDEFINE: %{numbers} = --arg=5 --arg=7 --arg=30
// RUN: %{rows}
// REDEFINE: %{numbers} = --arg=0 --arg=9223372036854775807 --arg=-9223372036854775808
// RUN: %{rows}
// REDEFINE: %{numbers} = --arg=-9223372036854775808 --arg=-9223372036854775808 --arg=9223372036854775807
// RUN: %{rows}
// CHECK: correct {{.*}} {{(near|limits|rows)}}: {{.*}}(ratio 0
!t = tensor<?x?x?x16xf32>
func.func @near(%q: !t, %k: !t, %v: !t, %i0: index, %j0: index, %width: index, %left: index, %right: index, %top: index,
                %bottom: index, %reach_x: index, %reach_y: index, %o: !t) -> !t {
  %c0 = arith.constant 0 : index
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) base(%c0, %c0, %i0, %j0)
      mask_mod(%b, %h, %i, %j) {
        %yi = arith.divui %i, %width : index
        %xi = arith.remui %i, %width : index
        %yj = arith.divui %j, %width : index
        %xj = arith.remui %j, %width : index
        %y0 = arith.maxsi %yi, %top : index
        %y = arith.minsi %y0, %bottom : index
        %x0 = arith.maxsi %xi, %left : index
        %x = arith.minsi %x0, %right : index
        %dy = arith.subi %yj, %y : index
        %dx = arith.subi %xj, %x : index
        %up = math.absi %dy : index
        %side = math.absi %dx : index
        %is_near_y = arith.cmpi sle, %up, %reach_y : index
        %is_near_x = arith.cmpi sle, %side, %reach_x : index
        %is_near = arith.andi %is_near_y, %is_near_x : i1
        %is_left = arith.cmpi slt, %xj, %xi : index
        %is_same = arith.cmpi eq, %xj, %xi : index
        %other = arith.andi %is_left, %is_near_y : i1
        %some = arith.ori %is_near, %other : i1
        %keep = arith.ori %some, %is_same : i1
        attn.yield %keep : i1
      } outs(%o : !t)
  return %r : !t
}

func.func @limits(%q: !t, %k: !t, %v: !t, %m: index, %n: index, %o: !t) -> !t {
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t)
      mask_mod(%b, %h, %i, %j) {
        %most = arith.maxsi %i, %m : index
        %least = arith.minsi %i, %n : index
        %is_below = arith.cmpi sle, %j, %most : index
        %is_above = arith.cmpi sge, %j, %least : index
        %in_range = arith.andi %is_below, %is_above : i1
        %is_far = arith.cmpi slt, %most, %least : index
        %is_less = arith.cmpi slt, %j, %m : index
        %is_more = arith.cmpi sgt, %i, %n : index
        %differs = arith.xori %is_less, %is_more : i1
        %some = arith.andi %differs, %in_range : i1
        %same = arith.cmpi eq, %i, %j : index
        %other = arith.ori %some, %is_far : i1
        %keep = arith.ori %other, %same : i1
        attn.yield %keep : i1
      } outs(%o : !t)
  return %r : !t
}

func.func @rows(%q: !t, %k: !t, %v: !t, %m: index, %n: index, %l: index, %o: !t) -> !t {
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t)
      mask_mod(%b, %h, %i, %j) {
        %d = arith.subi %i, %j : index
        %e = math.absi %d : index
        %is_near = arith.cmpi sle, %e, %c3 : index
        %is_outside = arith.cmpi sgt, %e, %c20 : index
        %is_first = arith.cmpi slt, %i, %m : index
        %is_that = arith.cmpi eq, %i, %n : index
        %is_past = arith.cmpi sge, %i, %l : index
        %kept = arith.ori %is_first, %is_near : i1
        %kept_too = arith.ori %kept, %is_that : i1
        %outer = arith.andi %is_outside, %is_past : i1
        %keep = arith.ori %outer, %kept_too : i1
        attn.yield %keep : i1
      } outs(%o : !t)
  return %r : !t
}
