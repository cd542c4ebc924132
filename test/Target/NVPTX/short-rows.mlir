// RUN: fovea-opt %s --attn-plan=target=sm_90a | FileCheck %s
// A mask made of positions and numbers alone is looked at when it is compiled: where rows have few blocks lists are of
// 64 x 64 ones, and a multiprocessor holds two thread blocks. Captured integers count as 128.

!t = tensor<?x?x?x128xbf16>
!s = tensor<?x?x?x192xbf16>
!d = tensor<?x?x?x64xbf16>
!h = tensor<?x?x?x128xf16>

// CHECK: func.func private @near_attn0_warpgroup_map({{.*}}
// CHECK: #attn.strategy<block_m = 64, block_n = 64, {{.*}}min_blocks = 2
func.func @near(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %reach = arith.constant 200 : index
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t)
      mask_mod(%b, %h, %i, %j) {
        %d = arith.subi %i, %j : index
        %a = math.absi %d : index
        %keep = arith.cmpi sle, %a, %reach : index
        %three = arith.constant 3 : index
        %every = arith.remui %j, %three : index
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

// Rows of the image of 128 x 64 keys, of which a block of 64 queries needs a few in the next 64: blocks of 32 keys leave
// out a quarter of the pairs, and a multiprocessor holds three thread blocks of them, four at depth 64.
// CHECK: func.func private @thin_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 64, block_n = 32, {{.*}}stages = 2, {{.*}}min_blocks = 3
func.func @thin(%q: !t, %k: !t, %v: !t, %init: !t, %width: index) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {
    %reach = arith.constant 3 : index
    %yi = arith.divui %i, %width : index
    %xi = arith.remui %i, %width : index
    %yj = arith.divui %j, %width : index
    %xj = arith.remui %j, %width : index
    %dy = arith.subi %yi, %yj : index
    %dx = arith.subi %xi, %xj : index
    %up = math.absi %dy : index
    %side = math.absi %dx : index
    %near_y = arith.cmpi sle, %up, %reach : index
    %near_x = arith.cmpi sle, %side, %reach : index
    %keep = arith.andi %near_y, %near_x : i1
    attn.yield %keep : i1
  } outs(%init : !t)
  return %o : !t
}

// Of scores in two parts, which LSE of f16 inputs needs at depth 128, a thread of two holds 32 keys, of three 16.
// CHECK: func.func private @thin_parts_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 64, block_n = 32, {{.*}}score_part = 64, min_blocks = 2
func.func @thin_parts(%q: !h, %k: !h, %v: !h, %init: !h, %init_lse: tensor<?x?x?xf32>) -> (!h, tensor<?x?x?xf32>) {
  %o, %lse = attn.attention ins(%q, %k, %v : !h, !h, !h) mask_mod(%b, %h, %i, %j) {
    %every = arith.constant 64 : index
    %few = arith.constant 8 : index
    %r = arith.remui %j, %every : index
    %keep = arith.cmpi slt, %r, %few : index
    attn.yield %keep : i1
  } outs(%init, %init_lse : !h, tensor<?x?x?xf32>)
  return %o, %lse : !h, tensor<?x?x?xf32>
}

// CHECK: func.func private @shallow_thin_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 64, block_n = 32, {{.*}}stages = 2, {{.*}}min_blocks = 4
func.func @shallow_thin(%q: !d, %k: !d, %v: !d, %init: !d) -> !d {
  %o = attn.attention ins(%q, %k, %v : !d, !d, !d) mask_mod(%b, %h, %i, %j) {
    %every = arith.constant 64 : index
    %few = arith.constant 8 : index
    %r = arith.remui %j, %every : index
    %keep = arith.cmpi slt, %r, %few : index
    attn.yield %keep : i1
  } outs(%init : !d)
  return %o : !d
}

// Whatever memory holds, the keys before a query are kept: rows of many full blocks have three warpgroups, as plain kernels do.
// CHECK: func.func private @shallow_long_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 192, block_n = 96, {{.*}}stages = 3, {{.*}}pingpong = true
func.func @shallow_long(%q: !d, %k: !d, %v: !d, %init: !d, %prefix: tensor<?xi32>) -> !d {
  %o = attn.attention ins(%q, %k, %v : !d, !d, !d) mask_mod(%b, %h, %i, %j) {
    %p = tensor.extract %prefix[%b] : tensor<?xi32>
    %end = arith.index_cast %p : i32 to index
    %before = arith.cmpi sle, %j, %i : index
    %first = arith.cmpi slt, %j, %end : index
    %keep = arith.ori %before, %first : i1
    attn.yield %keep : i1
  } outs(%init : !d)
  return %o : !d
}

// Of documents no block is full in any case, nor of the half that a band cuts.
// CHECK: func.func private @shallow_documents_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 64, block_n = 64, {{.*}}stages = 2, {{.*}}min_blocks = 3
func.func @shallow_documents(%q: !d, %k: !d, %v: !d, %init: !d, %ids: tensor<?xi32>) -> !d {
  %o = attn.attention ins(%q, %k, %v : !d, !d, !d) causal(top_left) mask_mod(%b, %h, %i, %j) {
    %y = tensor.extract %ids[%i] : tensor<?xi32>
    %z = tensor.extract %ids[%j] : tensor<?xi32>
    %keep = arith.cmpi eq, %y, %z : i32
    attn.yield %keep : i1
  } outs(%init : !d)
  return %o : !d
}

// Short rows of this depth: three thread blocks, with a stage more.
// CHECK: func.func private @shallow_attn0_warpgroup_map(
// CHECK: #attn.strategy<block_m = 64, block_n = 64, {{.*}}stages = 3, {{.*}}min_blocks = 3
func.func @shallow(%q: !d, %k: !d, %v: !d, %init: !d, %width: index) -> !d {
  %o = attn.attention ins(%q, %k, %v : !d, !d, !d) mask_mod(%b, %h, %i, %j) {
    %y = arith.divui %i, %width : index
    %z = arith.divui %j, %width : index
    %keep = arith.cmpi eq, %y, %z : index
    attn.yield %keep : i1
  } outs(%init : !d)
  return %o : !d
}
