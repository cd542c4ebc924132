// RUN: fovea-opt %s --attn-plan=target=sm_90a | FileCheck %s
// A mask made of positions and numbers alone is looked at when it is compiled: where rows have few blocks lists are of
// 64 x 64 ones, and a multiprocessor holds two thread blocks. Captured integers count as 64.

!t = tensor<?x?x?x128xbf16>
!s = tensor<?x?x?x192xbf16>

// CHECK: func.func private @near_attn0_warpgroup_map({{.*}}
// CHECK: #attn.strategy<block_m = 64, block_n = 64, {{.*}}min_blocks = 2
func.func @near(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %reach = arith.constant 200 : index
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t)
      mask_mod(%b, %h, %i, %j) {
        %d = arith.subi %i, %j : index
        %a = math.absi %d : index
        %keep = arith.cmpi sle, %a, %reach : index
        %every = arith.remui %j, %reach : index
        %zero = arith.constant 0 : index
        %first = arith.cmpi eq, %every, %zero : index
        %both = arith.andi %keep, %first : i1
        attn.yield %both : i1
      } outs(%init : !t)
  return %o : !t
}

// CHECK: func.func private @captured_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 64, block_n = 64, {{.*}}min_blocks = 2
func.func @captured(%q: !t, %k: !t, %v: !t, %init: !t, %width: index) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t)
      mask_mod(%b, %h, %i, %j) {
        %y = arith.divui %i, %width : index
        %z = arith.divui %j, %width : index
        %keep = arith.cmpi eq, %y, %z : index
        attn.yield %keep : i1
      } outs(%init : !t)
  return %o : !t
}

// Half of all blocks, on the mean.
// CHECK: func.func private @long_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 128, block_n = 128,
func.func @long(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %three = arith.constant 3 : index
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) causal(top_left)
      mask_mod(%b, %h, %i, %j) {
        %r = arith.remui %j, %three : index
        %s = arith.remui %i, %three : index
        %keep = arith.cmpi eq, %r, %s : index
        attn.yield %keep : i1
      } outs(%init : !t)
  return %o : !t
}

// What memory holds is not known.
// CHECK: func.func private @loaded_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 128, block_n = 128,
func.func @loaded(%q: !t, %k: !t, %v: !t, %init: !t, %ids: tensor<?xi32>) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t)
      mask_mod(%b, %h, %i, %j) {
        %y = tensor.extract %ids[%i] : tensor<?xi32>
        %z = tensor.extract %ids[%j] : tensor<?xi32>
        %keep = arith.cmpi eq, %y, %z : i32
        attn.yield %keep : i1
      } outs(%init : !t)
  return %o : !t
}

// Two thread blocks of deeper heads have no room.
// CHECK: func.func private @deep_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 128, block_n = 64,
func.func @deep(%q: !s, %k: !s, %v: !s, %init: !s, %width: index) -> !s {
  %o = attn.attention ins(%q, %k, %v : !s, !s, !s)
      mask_mod(%b, %h, %i, %j) {
        %y = arith.divui %i, %width : index
        %z = arith.divui %j, %width : index
        %keep = arith.cmpi eq, %y, %z : index
        attn.yield %keep : i1
      } outs(%init : !s)
  return %o : !s
}
