// RUN: fovea-opt %s --split-input-file --verify-diagnostics --attn-tile-assign-layouts --attn-tile-specialize-warps=shared-limit=16432

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{a strategy with unit = warpgroup needs 4, 8 or 12 warps, but this one has 6}}
func.func @warps() attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 6, unit = warpgroup>} {
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{a strategy with unit = warpgroup needs 4, 8 or 12 warps, but this one has 16}}
func.func @many_warps() attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 256, block_n = 32, warps = 16, unit = warpgroup>} {
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{a strategy with unit = warpgroup and 8 warps needs block_m = 128, but this one has 64}}
func.func @block_m() attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 8, unit = warpgroup>} {
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{a strategy with unit = warpgroup needs a block_n that is a multiple of 16 up to 256, but this one has 40}}
func.func @block_n() attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 40, warps = 4, unit = warpgroup>} {
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{a strategy with unit = warpgroup needs a block_n that is a multiple of 16 up to 256, but this one has 272}}
func.func @wide_block_n() attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 272, warps = 4, unit = warpgroup>} {
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{a cluster of 4 needs a block_n that is a multiple of 32, but this strategy has 80}}
func.func @cluster() attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 80, warps = 4, persistent = true, cluster = 4, unit = warpgroup>} {
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
func.func @source(%q: !m, %x: memref<?x?x64xbf16, strided<[?, ?, 1], offset: ?>>) attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = memref.subview %x[0, 0, 0] [1, 64, 64] [1, 1, 1] : memref<?x?x64xbf16, strided<[?, ?, 1], offset: ?>> to memref<64x64xbf16, strided<[?, 1], offset: ?>>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  // expected-error@+1 {{a bulk copy needs an argument of the kernel as its source}}
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : memref<64x64xbf16, strided<[?, 1], offset: ?>> -> tensor<32x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
func.func @bits(%k: memref<?x64xf32>) attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  // expected-error@+1 {{warpgroup products take elements of 16 bits, but got 'f32'; a strategy with unit = warp works}}
  %qt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : memref<?x64xf32> -> tensor<64x64xf32>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : memref<?x64xf32> -> tensor<32x64xf32>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xf32>, tensor<32x64xf32> -> tensor<64x32xf32>
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
func.func @carried(%q: !m, %k: !m, %n: index) attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{a position of a bulk copy depends on a value that a loop carries}}
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%p = %c0) -> index {
    %kt = attn_tile.load %k[%p, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    %next = arith.addi %p, %n : index
    scf.yield %next : index
  }
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
func.func @computed(%q: !m, %k: !m, %b: i1) attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  // expected-error@+1 {{a position of a bulk copy depends on scf.if}}
  %p = scf.if %b -> index {
    scf.yield %c0 : index
  } else {
    %c1 = arith.constant 1 : index
    scf.yield %c1 : index
  }
  %kt = attn_tile.load %k[%p, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
func.func @nested(%q: !m, %k: !m, %b: i1) attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 2, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  // expected-error@+1 {{operands of dots can be loaded in scf.for and scf.if alone}}
  %r = scf.while (%p = %c0) : (index) -> index {
    scf.condition(%b) %p : index
  } do {
  ^bb0(%p: index):
    %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
    %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    scf.yield %p : index
  }
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{the kernel needs 20544 bytes of shared memory, but sm_90a has 16432 for a thread block; smaller tiles or fewer stages work}}
func.func @shared(%q: !m, %k: !m) attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 3, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
  return
}

// -----

!m = memref<?x64xbf16, strided<[?, 1], offset: ?>>
#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// Half of what the multiprocessor has, which is 1024 bytes more than one block may use, and 1024 less of each.
// expected-error@+1 {{the kernel needs 12320 bytes of shared memory, but sm_90a has 7704 for a thread block where a multiprocessor holds 2; smaller tiles, fewer stages or min_blocks = 1 work}}
func.func @shared_by_two(%q: !m, %k: !m) attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, stages = 1, unit = warpgroup, min_blocks = 2>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qt = attn_tile.load %q[%c0, %c0] {row_dim = 0} : !m -> tensor<64x64xbf16>
  %kt = attn_tile.load %k[%c0, %c0] {row_dim = 0} : !m -> tensor<32x64xbf16>
  %s = attn_tile.dot %qt, %kt, %zero {transpose_rhs} : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>>
// expected-error@+1 {{a strategy with pingpong needs 8 or 12 warps, but this one has 4}}
func.func @turns() attributes {attn.launch = #launch, attn.strategy = #attn.strategy<block_m = 64, block_n = 32, warps = 4, unit = warpgroup, pingpong = true>} {
  return
}
